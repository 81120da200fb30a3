// SPDX-License-Identifier: GPL-2.0-or-later
/* Words of a build's output: see text.h. */
#include "build/log/text.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define ESC '\033'
#define BEL '\a'

const char *buildtext_base(const char *path, size_t len)
{
	const char *p = path + len;

	while (p > path && p[-1] != '/')
		p--;
	return p;
}

/* "ESC[01;31m" of a colour, "ESC]8;;https://... BEL" or "... ESC\" of a link: its length. */
static size_t escape(const char *s)
{
	size_t n = 2;

	if (s[1] == '[') {
		n += strspn(s + n, "0123456789;:?");
		return s[n] ? n + 1 : n;
	}
	if (s[1] != ']')
		return 1;
	while (s[n] && s[n] != BEL && s[n] != ESC)
		n++;
	if (s[n] == BEL)
		return n + 1;
	return s[n] == ESC && s[n + 1] == '\\' ? n + 2 : n;
}

/* Quotes of a locale: ‘ ’ “ ” in UTF-8. */
static bool is_quote(const char *s)
{
	return str_starts(s, "\xe2\x80\x98") || str_starts(s, "\xe2\x80\x99") ||
	       str_starts(s, "\xe2\x80\x9c") || str_starts(s, "\xe2\x80\x9d");
}

void buildtext_plain(const char *line, char *ret, size_t size)
{
	size_t n = 0;

	while (*line && n + 1 < size) {
		if (*line == ESC) {
			line += escape(line);
		} else if (is_quote(line)) {
			ret[n++] = '\'';
			line += 3;
		} else if (iscntrl((unsigned char)*line) && *line != '\t') {
			line++;
		} else {
			ret[n++] = *line++;
		}
	}
	ret[n] = '\0';
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* What says more about the place than about the mistake: its length, or 0. */
static size_t aside(const char *s)
{
	static const char first_use[] = " (first use in this function)";
	static const char hint[] = "; did you mean ";
	size_t n = 3;

	if (str_starts(s, first_use))
		return sizeof(first_use) - 1;
	if (str_starts(s, hint)) {
		s += sizeof(hint) - 1;
		return sizeof(hint) - 1 + strcspn(s, "?") + (strchr(s, '?') != NULL);
	}
	if (!str_starts(s, "+0x"))
		return 0;
	while (isxdigit((unsigned char)s[n]))
		n++;
	if (str_starts(s + n, "/0x"))
		for (n += 3; isxdigit((unsigned char)s[n]);)
			n++;
	return n;
}

/* "__UNIQUE_ID_ddebug456": the length without its number, and all of it. */
static size_t counted(const char *s, size_t *whole)
{
	size_t len = 0;

	if (!str_starts(s, "__UNIQUE_ID_") && !str_starts(s, "__compiletime_assert_"))
		return 0;
	while (is_word(s[len]))
		len++;
	*whole = len;
	while (isdigit((unsigned char)s[len - 1]))
		len--;
	return len;
}

static size_t put(char *ret, size_t n, size_t size, const char *s, size_t len)
{
	for (size_t i = 0; i < len && n + 1 < size; i++)
		ret[n++] = s[i] == '\t' || s[i] == '\n' || s[i] == '\r' ? ' ' : s[i];
	return n;
}

void buildtext_shorten(const char *msg, char *ret, size_t size)
{
	const char *s = msg;
	size_t n = 0;

	while (*s && n + 1 < size) {
		bool begins = s == msg || !is_word(s[-1]);
		size_t word = strcspn(s, " \t'\"`()[];,:");
		size_t keep, skip = aside(s);

		if (skip) {
			s += skip;
			continue;
		}
		if (begins && (keep = counted(s, &skip))) {
			n = put(ret, n, size, s, keep);
			s += skip;
			continue;
		}
		if (begins && word > 1 && memchr(s, '/', word) && s[word - 1] != '/')
			s = buildtext_base(s, word);
		n = put(ret, n, size, s, 1);
		s++;
	}
	while (n && isspace((unsigned char)ret[n - 1]))
		n--;
	ret[n] = '\0';
}

const char *buildtext_position(const char *line, size_t *path_len, bool *column)
{
	const char *colon = strchr(line, ':');
	const char *p;

	if (!colon || colon == line || isspace((unsigned char)*line))
		return NULL;
	p = colon;
	for (unsigned int i = 0; i < 2 && *p == ':' && isdigit((unsigned char)p[1]); i++) {
		p += 1 + strspn(p + 1, "0123456789");
		*column = i == 1;
	}
	if (p == colon || *p != ':')
		return NULL;
	*path_len = (size_t)(colon - line);
	return p[1] == ' ' ? p + 2 : p + 1;
}

bool buildtext_function(const char *line, char *ret, size_t size)
{
	static const char *const words[] = { "In function '", "in function `",
					     "   inlined from '" };
	size_t len;

	if (str_ends(line, ": At top level:")) {
		*ret = '\0';
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const char *p = strstr(line, words[i]);

		if (!p || (i < 2 && p != line && (p - line < 2 || p[-2] != ':')))
			continue;
		p += strlen(words[i]);
		len = strcspn(p, "'");
		if (!len || p[len] != '\'' || len >= size)
			return false;
		memcpy(ret, p, len);
		ret[len] = '\0';
		return true;
	}
	return false;
}
