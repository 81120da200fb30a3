// SPDX-License-Identifier: GPL-2.0-or-later
/* git's configuration syntax, as far as includes need it: see includes.h. */
#include "range/door/includes.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-."

/* From behind '['. Return: whether what follows may name a file to include. */
static bool take_section(const char **s)
{
	const char *name = *s;
	size_t len = strspn(name, NAME);
	bool quoted = false;

	for (; **s && **s != '\n' && (quoted || **s != ']'); ++*s) {
		if (**s == '\\' && (*s)[1] && (*s)[1] != '\n')
			++*s;
		else if (**s == '"')
			quoted = !quoted;
	}
	if (**s == ']')
		++*s;
	return (len == 7 && strncasecmp(name, "include", len) == 0) ||
	       (len >= 9 && strncasecmp(name, "includeif", 9) == 0);
}

/* What stands behind a backslash. Return: bytes taken of @s. */
static size_t unescape(const char *s, struct buf *ret)
{
	static const char letters[] = "ntb";
	static const char meant[] = "\n\t\b";
	const char *letter = *s ? strchr(letters, *s) : NULL;

	if (*s == '\n')
		return 1;
	if (s[0] == '\r' && s[1] == '\n')
		return 2;
	if (!*s)
		return 0;
	buf_add(ret, letter ? &meant[letter - letters] : s, 1);
	return 1;
}

/* From behind '=' to the end of the value, which goes on behind a backslash at the end of a line. */
static char *take_value(const char **s)
{
	_cleanup_buf_ struct buf b = { 0 };
	size_t keep = 0; /* up to the last that is no blank, or is quoted */
	bool quoted = false;
	char *ret;

	*s += strspn(*s, " \t");
	while (**s && **s != '\n' && (quoted || !strchr("#;", **s))) {
		char c = *(*s)++;

		if (c == '"') {
			quoted = !quoted;
			continue;
		}
		if (c == '\\')
			*s += unescape(*s, &b);
		else
			buf_add(&b, &c, 1);
		if (quoted || !strchr(" \t\r", c))
			keep = b.len;
	}
	*s += strcspn(*s, "\n");
	ret = buf_take(&b);
	ret[keep] = '\0';
	return ret;
}

void includes_find(const char *text, struct strv *ret)
{
	const char *s = str_starts(text, "\xef\xbb\xbf") ? text + 3 : text;
	bool including = false;

	while (*(s += strspn(s, " \t\r\n"))) {
		size_t len = strspn(s, NAME);
		const char *name = s;

		if (*s == '[') {
			s++;
			including = take_section(&s);
			continue;
		}
		s += len;
		s += strspn(s, " \t");
		if (!len || *s != '=') {
			s += strcspn(s, "\n");
			continue;
		}
		s++;
		if (including && len == 4 && strncasecmp(name, "path", len) == 0)
			strv_take(ret, take_value(&s));
		else
			free(take_value(&s));
	}
}
