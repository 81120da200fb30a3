// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Figures and foreign text as words: see words.h. Subjects and reasons come from anybody who ever
 * committed or from a guest, so each way out has its own escape, and there is no other.
 */
#include "reports/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"

static int put_size(char *ret, size_t size, uint64_t bytes)
{
	if (bytes && bytes % (1 << 20) == 0)
		return snprintf(ret, size, "%" PRIu64 " MiB", bytes >> 20);
	if (bytes && bytes % 1024 == 0)
		return snprintf(ret, size, "%" PRIu64 " KiB", bytes >> 10);
	return snprintf(ret, size, "%" PRIu64 " B", bytes);
}

struct word word_size(uint64_t bytes, uint64_t offset)
{
	struct word w = { "" };
	int n = put_size(w.text, sizeof(w.text), bytes);

	if (offset) {
		n += snprintf(w.text + n, sizeof(w.text) - (size_t)n, " +");
		put_size(w.text + n, sizeof(w.text) - (size_t)n, offset);
	}
	return w;
}

struct word word_ms(int64_t ns)
{
	struct word w = { "" };

	if (ns < 0)
		snprintf(w.text, sizeof(w.text), "-");
	else if (ns < 1000 * NS_PER_MS)
		snprintf(w.text, sizeof(w.text), "%.1f ms", (double)ns / NS_PER_MS);
	else
		snprintf(w.text, sizeof(w.text), "%" PRId64 " ms", ns / NS_PER_MS);
	return w;
}

struct word word_windows(const struct measurement *m)
{
	struct word w = { "" };

	if (!m->repeats)
		snprintf(w.text, sizeof(w.text), "failed");
	else if (m->regime == REGIME_RW_RESIDENT)
		snprintf(w.text, sizeof(w.text), "%u of %u", m->windows, m->predicted);
	else
		snprintf(w.text, sizeof(w.text), "%u", m->windows);
	return w;
}

struct word word_split(const struct measurement *m)
{
	struct word w = { "" };

	if (!m->windows)
		return word_ms(m->median_ns);
	snprintf(w.text, sizeof(w.text), "%u window%s + %" PRId64 " ms", m->windows,
		 m->windows == 1 ? "" : "s", m->residual_ns / NS_PER_MS);
	return w;
}

struct word word_count(uint64_t n, const char *one, const char *many)
{
	struct word w = { "" };

	snprintf(w.text, sizeof(w.text), "%" PRIu64 " %s", n, n == 1 ? one : many);
	return w;
}

/*
 * One character of UTF-8: its code point, and in *used its bytes. What is not well-formed (RFC
 * 3629: overlong, surrogate, beyond U+10FFFF, cut) is U+FFFD, byte by byte.
 */
static uint32_t take_char(const char *s, size_t *used)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc0 ? 2 : 0;
	uint32_t c = n == 1 ? p[0] : n == 2 ? p[0] & 0x1f : n == 3 ? p[0] & 0xf : p[0] & 7;

	*used = 1;
	if (!n || p[0] > 0xf4)
		return 0xfffd;
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0xfffd;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0xfffd;
	*used = n;
	return c;
}

/* Moves a cursor, hides text or turns its direction: controls, zero-width, bidirectional, lines. */
static bool is_unfit(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c >= 0xfff0 && c <= 0xffff) ||
	       (c >= 0xe0000 && c <= 0xe0fff);
}

void buf_plain_cut(struct buf *b, const char *s, size_t columns, bool pad)
{
	size_t start = b->len, before_dots = b->len, n = 0, used;

	for (; *s && n < columns; s += used, n++) {
		uint32_t c = take_char(s, &used);

		if (n + 3 <= columns)
			before_dots = b->len;
		if (c == '\t' || c == '\n')
			buf_puts(b, " ");
		else if (is_unfit(c))
			buf_puts(b, "?");
		else
			buf_add(b, s, used);
	}
	if (*s && b->len > start) {
		b->len = before_dots;
		buf_puts(b, columns >= 3 ? "..." : "");
	}
	for (; pad && n < columns; n++)
		buf_puts(b, " ");
}

void buf_plain(struct buf *b, const char *s)
{
	buf_plain_cut(b, s, SIZE_MAX - 3, false);
}

#define COLUMNS 100
#define INDENT	14

void buf_plain_wrapped(struct buf *b, const char *label, const char *text)
{
	_cleanup_buf_ struct buf plain = { 0 };
	size_t column = INDENT;
	char *save = NULL;

	if (!text || !*text)
		return;
	buf_plain(&plain, text);
	buf_printf(b, "  %-*s", INDENT - 2, label);
	for (char *w = strtok_r(plain.data, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		size_t len = strlen(w);

		if (column > INDENT && column + 1 + len > COLUMNS) {
			buf_printf(b, "\n%*s", INDENT, "");
			column = INDENT;
		}
		buf_printf(b, "%s%s", column > INDENT ? " " : "", w);
		column += len + (column > INDENT);
	}
	buf_puts(b, "\n");
}

static const char *html_entity(uint32_t c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	case '\t':
	case '\n':
		return " ";
	default:
		return is_unfit(c) ? "&#xfffd;" : NULL;
	}
}

void buf_html(struct buf *b, const char *s)
{
	for (size_t used; *s; s += used) {
		uint32_t c = take_char(s, &used);
		const char *entity = html_entity(c);

		if (entity)
			buf_puts(b, entity);
		else
			buf_add(b, s, used);
	}
}

void buf_row(struct buf *b, const char *indent, const struct report *r,
	     const struct measurement *row, size_t n)
{
	buf_printf(b, "%s%-17s %-13s", indent, regime_name(row->regime),
		   word_size(row->bytes, row->offset).text);
	for (size_t i = 0; i < r->n_subjects && i < n; i++) {
		const struct measurement *m = report_row(&r->subjects[i], row);

		buf_printf(b, "  %8s %10s", m ? word_windows(m).text : "-",
			   m ? word_ms(m->median_ns).text : "-");
	}
	buf_puts(b, "\n");
}
