// SPDX-License-Identifier: GPL-2.0-or-later
/* Blockers: see blocker.h. */
#include "controller/blocker.h"

#include <string.h>

#include "base/str.h"
#include "controller/same.h"
#include "judge/judge.h"

/* An id or an address without 0x; git's shortest unique ids have seven digits. */
#define HEX_MIN 7

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_path(char c)
{
	return is_word(c) || (c && strchr("./-+~@", c));
}

/* What a compiler counts within a file, "__UNIQUE_ID_ddebug456", "__compiletime_assert_17". */
static size_t counted_name(const char *s)
{
	static const char *const names[] = { "__UNIQUE_ID_", "__compiletime_assert_" };
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_starts(s, names[i])) {
			while (is_word(s[len]))
				len++;
			while (len && is_digit(s[len - 1]))
				len--;
		}
	return len;
}

/* Length of a number at the beginning of a word: 0x1f, 9af31c2d, 17; 0 if the word is none. */
static size_t number(const char *s)
{
	size_t hex = 0, dec = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X') && is_hex(s[2])) {
		for (hex = 2; is_hex(s[hex]);)
			hex++;
		return hex;
	}
	while (is_hex(s[hex]))
		hex++;
	while (is_digit(s[dec]))
		dec++;
	/* "defaced" is a word: an id has a digit, all but always */
	if (hex >= HEX_MIN && !is_word(s[hex]) && strcspn(s, "0123456789") < hex)
		return hex;
	return dec;
}

/* ‘ and ’ of a compiler with a locale, “ and ”, and ` of the linker. */
static size_t quote(const char *s)
{
	if (*s == '`' || *s == '"')
		return 1;
	if (str_starts(s, "\xe2\x80\x98") || str_starts(s, "\xe2\x80\x99") ||
	    str_starts(s, "\xe2\x80\x9c") || str_starts(s, "\xe2\x80\x9d"))
		return 3;
	return 0;
}

/* Length of the directories in front of a file's name at @s; 0 if there are none. */
static size_t directories(const char *s)
{
	size_t len = 0, dirs = 0;

	for (; is_path(s[len]); len++)
		if (s[len] == '/' && is_path(s[len + 1]))
			dirs = len + 1;
	return dirs;
}

/* "+#/#" behind a function's name is where in it, and how long this build made it. */
static void drop_offset(struct buf *b)
{
	static const char offset[] = "+#/#";
	size_t len = strlen(offset);

	if (b->len >= len && memcmp(b->data + b->len - len, offset, len) == 0) {
		b->len -= len;
		b->data[b->len] = '\0';
	}
}

/* A number; ":190:9:" behind a file's name is where in it, and goes. */
static void put_number(struct buf *b, bool place)
{
	if (place && b->len && b->data[b->len - 1] == ':')
		b->data[--b->len] = '\0';
	else
		buf_puts(b, "#");
	drop_offset(b);
}

static bool is_offset(const char *s)
{
	return s[0] == '+' && s[1] == '0' && s[2] == 'x';
}

char *blocker_normal(const char *text)
{
	struct buf b = { 0 };
	const char *s = text;

	while (*s) {
		bool begins = s == text || !is_word(s[-1]);
		size_t n;

		if (begins && (n = counted_name(s))) {
			buf_add(&b, s, n);
			buf_puts(&b, "#");
			s += n + strspn(s + n, "0123456789");
		} else if (begins && (n = number(s))) {
			put_number(&b, s[n] == ':');
			s += n;
		} else if ((n = quote(s))) {
			buf_puts(&b, "'");
			s += n;
		} else if ((s == text || !is_path(s[-1])) && is_path(*s) && (n = directories(s)) &&
			   !is_offset(s + strcspn(s, "+/"))) {
			s += n;
		} else if ((unsigned char)*s <= ' ') {
			s += strspn(s, " \t\r\n");
			if (*s && b.len)
				buf_puts(&b, " ");
			s += *s && (unsigned char)*s < ' ';
		} else {
			buf_add(&b, s++, 1);
		}
	}
	return buf_take(&b);
}

/* Rules whose text is about the commit. What was measured and moved is chance, and so no blocker. */
static bool tells(const struct store_verdict *v)
{
	enum judge_rule rule;

	return v->verdict == VERDICT_SKIP && *v->reason && !judge_rule_parse(v->rule, &rule) &&
	       strcmp(v->rule, "user") != 0 &&
	       !str_starts(v->reason, "make failed without an error line");
}

uint32_t blocker_of(const struct store_verdict *v)
{
	_cleanup_free_ char *normal = NULL;
	_cleanup_free_ char *text = NULL;
	uint32_t hash = 2166136261U; /* FNV-1a, 32 bits */

	if (!tells(v))
		return 0;
	/* The other artifact is stopped by the same. */
	normal = blocker_normal(same_reason(v->reason));
	text = str_printf("%s: %s", v->rule, normal);
	for (const char *c = text; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 16777619U;
	return hash ? hash : 1;
}

char *blocker_text(const struct store_trial *t, size_t n, uint32_t blocker)
{
	for (size_t i = 0; i < n; i++)
		if (t[i].ended && blocker_of(&t[i].v) == blocker)
			return str_printf("%s: %s", t[i].v.rule, t[i].v.reason);
	return NULL;
}
