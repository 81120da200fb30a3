// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON as it comes: see json_out.h. A level and its members each begin a line; what lies deeper than
 * that stays on its line, so that a list of objects reads as a table. */
#include "wire/json_out.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "wire/text.h"

#define FLUSH_BYTES 65536
#define LINES_DEPTH 2 /* members of levels up to here have lines of their own */

void json_out_deinit(struct json_out *j)
{
	buf_deinit(&j->text);
}

static void flush(struct json_out *j)
{
	if (!j->to || !j->text.len)
		return;
	/* An error stays with the stream; main looks at it. */
	fwrite(j->text.data, 1, j->text.len, j->to);
	j->text.len = 0;
}

static void begin_line(struct json_out *j)
{
	static const char tabs[JSON_OUT_DEPTH] = "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t";

	buf_puts(&j->text, "\n");
	buf_add(&j->text, tabs, j->depth);
}

/* A run of bytes that JSON takes as they are. */
static size_t plain(const char *s)
{
	size_t n = 0;

	while ((unsigned char)s[n] >= ' ' && (unsigned char)s[n] < 0x7f && s[n] != '"' &&
	       s[n] != '\\')
		n++;
	return n;
}

static void put_text(struct json_out *j, const char *s)
{
	size_t left = strlen(s);

	buf_add(&j->text, "\"", 1);
	while (left) {
		size_t n = plain(s);
		uint32_t point;

		if (n) {
			buf_add(&j->text, s, n);
		} else if (*s == '"' || *s == '\\') {
			n = 1;
			buf_add(&j->text, (const char[]){ '\\', *s }, 2);
		} else {
			n = utf8_take(s, left, &point);
			if (!n)
				buf_puts(&j->text, "\xef\xbf\xbd");
			else if (point <= 0x7f)
				buf_printf(&j->text, "\\u%04x", point);
			else
				buf_add(&j->text, s, n);
			n = n ? n : 1;
		}
		s += n;
		left -= n;
	}
	buf_add(&j->text, "\"", 1);
}

static void begin_member(struct json_out *j, const char *key)
{
	unsigned int d = j->depth;

	assert(!key == (!d || j->list[d]));
	if (d) {
		if (j->members[d])
			buf_puts(&j->text, d > LINES_DEPTH && !j->compact ? ", " : ",");
		if (d <= LINES_DEPTH && !j->compact)
			begin_line(j);
		j->members[d] = true;
	}
	if (key) {
		put_text(j, key);
		buf_puts(&j->text, j->compact ? ":" : ": ");
	}
}

static void end_member(struct json_out *j)
{
	if (j->text.len >= FLUSH_BYTES)
		flush(j);
}

static void begin_level(struct json_out *j, const char *key, bool list)
{
	begin_member(j, key);
	buf_puts(&j->text, list ? "[" : "{");
	assert(j->depth + 1 < JSON_OUT_DEPTH);
	j->depth++;
	j->members[j->depth] = false;
	j->list[j->depth] = list;
}

void json_out_object(struct json_out *j, const char *key)
{
	begin_level(j, key, false);
}

void json_out_list(struct json_out *j, const char *key)
{
	begin_level(j, key, true);
}

void json_out_end(struct json_out *j)
{
	bool list = j->list[j->depth];
	bool lines = j->members[j->depth] && j->depth <= LINES_DEPTH && !j->compact;

	assert(j->depth);
	j->depth--;
	if (lines)
		begin_line(j);
	buf_puts(&j->text, list ? "]" : "}");
	if (!j->depth) {
		buf_puts(&j->text, "\n");
		flush(j);
	}
	end_member(j);
}

void json_out_str(struct json_out *j, const char *key, const char *value)
{
	begin_member(j, key);
	if (value)
		put_text(j, value);
	else
		buf_puts(&j->text, "null");
	end_member(j);
}

void json_out_int(struct json_out *j, const char *key, int64_t value)
{
	begin_member(j, key);
	buf_printf(&j->text, "%" PRId64, value);
	end_member(j);
}

void json_out_num(struct json_out *j, const char *key, double value)
{
	begin_member(j, key);
	if (isfinite(value))
		buf_printf(&j->text, "%.6g", value);
	else
		buf_puts(&j->text, "null");
	end_member(j);
}

void json_out_bool(struct json_out *j, const char *key, bool value)
{
	begin_member(j, key);
	buf_puts(&j->text, value ? "true" : "false");
	end_member(j);
}
