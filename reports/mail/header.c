// SPDX-License-Identifier: GPL-2.0-or-later
/* Header fields of a mail: see header.h. */
#include "reports/mail/header.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "reports/words.h"

#define LINE_COLUMNS 75
#define WORD_START   "=?UTF-8?Q?"

/* Columns of the line that is being written. */
static size_t column(const struct buf *b)
{
	const char *nl = b->data ? memrchr(b->data, '\n', b->len) : NULL;

	return nl ? b->len - (size_t)(nl + 1 - b->data) : b->len;
}

/* What would be taken for an encoded word is encoded, so that it is read as it was written. */
static bool needs_encoding(const char *s)
{
	for (const char *p = s; *p; p++)
		if (!isascii((unsigned char)*p))
			return true;
	return strstr(s, "=?") != NULL;
}

/* Valid UTF-8 only: the bytes of the character at @s. */
static size_t char_bytes(const char *s)
{
	size_t n = 1;

	while ((s[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* RFC 2047, 5 (3): what may stand for itself in a phrase; the strictest place */
static bool is_itself(char c)
{
	return isascii((unsigned char)c) && (isalnum((unsigned char)c) || strchr("!*+-/", c));
}

static void encode_char(struct buf *b, const char *s, size_t n)
{
	if (*s == ' ')
		buf_puts(b, "_");
	else if (n == 1 && is_itself(*s))
		buf_add(b, s, 1);
	else
		for (size_t i = 0; i < n; i++)
			buf_printf(b, "=%02X", (unsigned char)s[i]);
}

/* Encoded words on as many lines as it takes; no character is broken over two of them. */
static void put_encoded(struct buf *b, const char *s)
{
	bool open = false;

	for (size_t n; *s; s += n) {
		_cleanup_buf_ struct buf one = { 0 };

		n = char_bytes(s);
		encode_char(&one, s, n);
		if (open && column(b) + one.len + strlen("?=") > LINE_COLUMNS) {
			buf_puts(b, "?=\n ");
			open = false;
		}
		if (!open)
			buf_puts(b, WORD_START);
		open = true;
		buf_add(b, one.data, one.len);
	}
	if (open)
		buf_puts(b, "?=");
}

static void put_folded(struct buf *b, const char *text)
{
	bool first = true;

	for (const char *s = text + strspn(text, " "); *s; s += strspn(s, " ")) {
		size_t len = strcspn(s, " ");

		if (!first)
			buf_puts(b, column(b) + 1 + len > LINE_COLUMNS ? "\n " : " ");
		buf_add(b, s, len);
		first = false;
		s += len;
	}
}

void header_text(struct buf *b, const char *name, const char *text)
{
	_cleanup_buf_ struct buf plain = { 0 };

	buf_plain_cut(&plain, text, 250, false);
	buf_printf(b, "%s: ", name);
	if (needs_encoding(plain.data ? plain.data : ""))
		put_encoded(b, plain.data);
	else
		put_folded(b, plain.data ? plain.data : "");
	buf_puts(b, "\n");
}

/* RFC 5322, 3.2.5: a phrase is atoms, or stands in quotes */
static bool is_phrase(const char *s)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(" !#$%&'*+-/=?^_`{|}~", *s))
			return false;
	return true;
}

static void put_name(struct buf *b, const char *s)
{
	if (needs_encoding(s)) {
		put_encoded(b, s);
		return;
	}
	if (is_phrase(s)) {
		buf_puts(b, s);
		return;
	}
	buf_puts(b, "\"");
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_puts(b, "\\");
		buf_add(b, s, 1);
	}
	buf_puts(b, "\"");
}

void header_addresses(struct buf *b, const char *name, const struct addresses *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct address *a = &l->items[i];
		size_t len = strlen(a->addr) + strlen("<>,");

		if (i)
			buf_puts(b, ",\n ");
		else
			buf_printf(b, "%s: ", name);
		if (!*a->name) {
			buf_puts(b, a->addr);
			continue;
		}
		put_name(b, a->name);
		buf_printf(b, "%s<%s>", column(b) + 1 + len > LINE_COLUMNS ? "\n " : " ", a->addr);
	}
	if (l->n)
		buf_puts(b, "\n");
}

void header_date(struct buf *b, int64_t date_s)
{
	static const char days[][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	time_t t = (time_t)date_s;
	struct tm tm = { .tm_mday = 1 };

	gmtime_r(&t, &tm);
	buf_printf(b, "Date: %s, %d %s %d %02d:%02d:%02d +0000\n", days[tm.tm_wday], tm.tm_mday,
		   months[tm.tm_mon], 1900 + tm.tm_year, tm.tm_hour, tm.tm_min, tm.tm_sec);
}
