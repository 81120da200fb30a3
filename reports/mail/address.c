// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses out of foreign text: see address.h. */
#include "reports/mail/address.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "reports/words.h"

#define NAME_COLUMNS 60 /* so that its header line stays short */

void addresses_deinit(struct addresses *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->items[i].name);
		free(l->items[i].addr);
	}
	free(l->items);
	*l = (struct addresses){ 0 };
}

/* RFC 5322, 3.2.3 */
static bool is_atext(char c)
{
	return isascii((unsigned char)c) &&
	       (isalnum((unsigned char)c) || (c && strchr("!#$%&'*+-/=?^_`{|}~", c)));
}

static bool is_host_char(char c)
{
	return isascii((unsigned char)c) && (isalnum((unsigned char)c) || c == '-');
}

static bool is_dotted(const char *s, size_t len, bool (*fits)(char c))
{
	if (!len || s[0] == '.' || s[len - 1] == '.')
		return false;
	for (size_t i = 0; i < len; i++)
		if (s[i] == '.' ? s[i + 1] == '.' : !fits(s[i]))
			return false;
	return true;
}

bool address_is_valid(const char *s, size_t len)
{
	const char *at = memchr(s, '@', len);
	size_t local = at ? (size_t)(at - s) : 0;

	/* RFC 5321, 4.5.3.1: 64 for the local part, 254 for all */
	return at && local <= 64 && len <= 254 && is_dotted(s, local, is_atext) &&
	       is_dotted(at + 1, len - local - 1, is_host_char);
}

static void trim(const char **s, size_t *len)
{
	while (*len && isspace((unsigned char)**s)) {
		++*s;
		--*len;
	}
	while (*len && isspace((unsigned char)(*s)[*len - 1]))
		--*len;
}

/* One line that hides nothing; the quotes that a mail program put round it are not part of the name. */
static char *clean_name(const char *s, size_t len)
{
	_cleanup_free_ char *raw = NULL;
	struct buf b = { 0 };

	trim(&s, &len);
	if (len >= 2 && s[0] == '"' && s[len - 1] == '"') {
		s++;
		len -= 2;
		trim(&s, &len);
	}
	raw = xstrndup(s, len);
	buf_plain_cut(&b, raw, NAME_COLUMNS, false);
	return buf_take(&b);
}

static bool add(struct addresses *l, const char *name, size_t name_len, const char *addr,
		size_t addr_len)
{
	_cleanup_free_ char *own = NULL;

	if (!address_is_valid(addr, addr_len))
		return false;
	own = xstrndup(addr, addr_len);
	if (addresses_has(l, own))
		return true;
	if (l->n >= ADDRESSES_MAX)
		return false;
	l->items = xrealloc(l->items, l->n + 1, sizeof(*l->items));
	l->items[l->n++] =
		(struct address){ .name = clean_name(name, name_len), .addr = take_ptr(own) };
	return true;
}

bool addresses_add(struct addresses *l, const char *text, size_t len)
{
	const char *open = memchr(text, '<', len);
	const char *close = open ? memchr(open, '>', len - (size_t)(open - text)) : NULL;
	size_t n = 0;

	if (close)
		return add(l, text, (size_t)(open - text), open + 1, (size_t)(close - open) - 1);
	trim(&text, &len);
	while (n < len && !isspace((unsigned char)text[n]) && text[n] != '(' && text[n] != ',')
		n++;
	return add(l, "", 0, text, n);
}

bool addresses_add_pair(struct addresses *l, const char *name, const char *addr)
{
	name = name ? name : "";
	addr = addr ? addr : "";
	return add(l, name, strlen(name), addr, strlen(addr));
}

bool addresses_has(const struct addresses *l, const char *addr)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcasecmp(l->items[i].addr, addr) == 0)
			return true;
	return false;
}

void addresses_without(struct addresses *l, const struct addresses *other)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		if (!addresses_has(other, l->items[i].addr)) {
			l->items[kept++] = l->items[i];
			continue;
		}
		free(l->items[i].name);
		free(l->items[i].addr);
	}
	l->n = kept;
}

void addresses_of_message(struct addresses *l, const char *message)
{
	static const char *const trailers[] = {
		"Signed-off-by:", "Co-developed-by:", "Reviewed-by:",  "Acked-by:",
		"Tested-by:",	  "Reported-by:",     "Suggested-by:",
	};

	for (const char *line = message; *line;) {
		size_t len = strcspn(line, "\n");

		for (size_t i = 0; i < ARRAY_SIZE(trailers); i++) {
			size_t word = strlen(trailers[i]);

			if (len > word && strncasecmp(line, trailers[i], word) == 0)
				addresses_add(l, line + word, len - word);
		}
		line += len + (line[len] == '\n');
	}
}
