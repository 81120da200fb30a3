// SPDX-License-Identifier: GPL-2.0-or-later
/* The text of the live line: see progress_line.h. */
#include "base/progress/line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* Bytes of the character that begins with @c; a stray byte is one of its own. */
static size_t char_bytes(const char *s)
{
	unsigned char c = (unsigned char)*s;
	size_t want = c < 0xc2 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf5 ? 4 : 1;

	for (size_t i = 1; i < want; i++)
		if (((unsigned char)s[i] & 0xc0) != 0x80)
			return 1;
	return want;
}

/* Latin, Greek, Cyrillic and their kin take one column; all else is taken for two. */
static unsigned int char_columns(const char *s)
{
	return (unsigned char)*s < 0xe0 ? 1 : 2;
}

void line_clean(char *dst, size_t size, const char *src)
{
	size_t len = 0;

	while (*src) {
		size_t n = char_bytes(src);
		unsigned char c = (unsigned char)*src;
		bool c1 = n == 2 && c == 0xc2 && (unsigned char)src[1] < 0xa0;
		bool stray = n == 1 && c >= 0x80;

		if (len + n >= size)
			break;
		if (c < ' ' || c == 0x7f || c1 || stray) {
			dst[len++] = c == '\n' || c == '\t' || c == '\r' ? ' ' : '?';
		} else {
			memcpy(dst + len, src, n);
			len += n;
		}
		src += n;
	}
	dst[len] = '\0';
}

static unsigned int width_of(const char *s)
{
	unsigned int columns = 0;

	for (; *s; s += char_bytes(s))
		columns += char_columns(s);
	return columns;
}

struct cursor {
	struct buf *out;
	unsigned int used, columns;
};

/* Adds text, or as much of it as fits with an ellipsis. */
static void add(struct cursor *c, const char *text)
{
	unsigned int width = width_of(text);
	unsigned int room = c->columns - c->used;
	unsigned int keep = width <= room ? room : room >= 3 ? room - 3 : 0;
	unsigned int taken = 0;

	if (!room)
		return;
	for (const char *s = text; *s; s += char_bytes(s)) {
		if (taken + char_columns(s) > keep)
			break;
		buf_add(c->out, s, char_bytes(s));
		taken += char_columns(s);
	}
	c->used += taken;
	if (width > room && room >= 3) {
		buf_puts(c->out, "...");
		c->used = c->columns;
	}
}

/* Whole seconds below a minute: a tenth that changes with each redraw only distracts. */
static void rough_duration(int64_t ns, char *ret, size_t size)
{
	if (ns < 60 * NS_PER_S)
		snprintf(ret, size, "%" PRId64 " s", ns / NS_PER_S);
	else
		clock_duration_text(ns, ret, size);
}

/* To whole seconds, so that what is expected is never less than what has passed, nor 0 s. */
static int64_t rounded_up(int64_t ns)
{
	return (ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
}

unsigned int line_compose(const struct progress_line *l, unsigned int columns, bool bold,
			  struct buf *ret)
{
	struct cursor c = { .out = ret, .columns = columns };
	char text[64], time[32];

	if (*l->who) {
		add(&c, l->who);
		add(&c, *l->stage || *l->name ? "  " : "  idle  ");
	}
	if (l->step) {
		snprintf(text, sizeof(text), "step %u of ~%u  ", l->step,
			 l->about > l->step ? l->about : l->step);
		add(&c, text);
	}
	if (*l->stage) {
		if (bold)
			buf_puts(ret, "\033[1m");
		add(&c, l->stage);
		if (bold)
			buf_puts(ret, "\033[0m");
		rough_duration(l->elapsed_ns, time, sizeof(time));
		snprintf(text, sizeof(text), " %s", time);
		add(&c, text);
		/* One that lasts longer than expected is not described by that any more. */
		if (l->expect_ns >= l->elapsed_ns) {
			rough_duration(rounded_up(l->expect_ns), time, sizeof(time));
			snprintf(text, sizeof(text), " of ~%s", time);
			add(&c, text);
		}
		add(&c, "  ");
	}
	if (*l->detail) {
		add(&c, l->detail);
		add(&c, "  ");
	}
	if (l->eta_ns >= 0) {
		rough_duration(l->eta_ns, time, sizeof(time));
		snprintf(text, sizeof(text), "ETA %s  ", time);
		add(&c, text);
	}
	if (*l->name)
		add(&c, l->name);
	return c.used;
}
