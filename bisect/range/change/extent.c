// SPDX-License-Identifier: GPL-2.0-or-later
/* Where functions stand in C text: see extent.h. */
#include "range/change/extent.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

void extents_deinit(struct extents *e)
{
	free(e->items);
	*e = (struct extents){ 0 };
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next place where a name stands as a word, or NULL. */
static const char *find_word(const char *text, const char *at, const char *end, const char *name)
{
	size_t len = strlen(name);

	while (len && at < end && (at = memmem(at, (size_t)(end - at), name, len))) {
		if ((at == text || !is_word(at[-1])) && (at + len == end || !is_word(at[len])))
			return at;
		at++;
	}
	return NULL;
}

bool extent_mentions(const char *text, size_t len, const char *name)
{
	return find_word(text, text, text + len, name) != NULL;
}

/* What is longer is no head of a function: a generated table, or a brace that is never closed. */
#define HEAD_MAX_BYTES 4096

/* Where the line of a place begins; in a line too long, somewhere within it. */
static const char *line_start(const char *text, const char *at)
{
	const char *stop = at - text > HEAD_MAX_BYTES ? at - HEAD_MAX_BYTES : text;

	while (at > stop && at[-1] != '\n')
		at--;
	return at;
}

static bool opens_line(const char *line)
{
	return isalpha((unsigned char)*line) || *line == '_';
}

/* A return type may have a line of its own above. */
static const char *definition_start(const char *text, const char *at)
{
	const char *line = line_start(text, at);
	const char *above = line > text ? line_start(text, line - 1) : line;

	if (!opens_line(line) || (line > text && line[-1] != '\n'))
		return NULL;
	if (above < line && opens_line(above) && (is_word(line[-2]) || line[-2] == '*'))
		return above;
	return line;
}

/* From behind the name: the brace that opens the body; NULL if it is a call or a declaration. */
static const char *body_of(const char *at, const char *end)
{
	long depth = 0;

	if (end - at > HEAD_MAX_BYTES)
		end = at + HEAD_MAX_BYTES;
	while (at < end && isspace((unsigned char)*at))
		at++;
	if (at == end || *at != '(')
		return NULL;
	for (; at < end; at++) {
		depth += *at == '(';
		depth -= *at == ')';
		if (depth <= 0 && (*at == ';' || *at == '=' || *at == ','))
			return NULL;
		if (depth <= 0 && *at == '{')
			return at;
	}
	return NULL;
}

/* The brace that closes the body. */
static const char *body_end(const char *at, const char *end)
{
	long depth = 0;

	for (; at < end; at++) {
		depth += *at == '{';
		depth -= *at == '}';
		if (*at == '}' && (depth == 0 || at[-1] == '\n'))
			return at;
	}
	return end;
}

static uint32_t count_lines(const char *at, const char *end)
{
	uint32_t n = 0;

	while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
		n++;
		at++;
	}
	return n;
}

void extents_add(struct extents *e, const char *text, size_t len, const char *name)
{
	const char *end = text + len;
	const char *counted = text;
	const char *at = text;
	uint32_t line = 1; /* that @counted is in */

	while ((at = find_word(text, at, end, name))) {
		const char *start = definition_start(text, at);
		const char *body = start ? body_of(at + strlen(name), end) : NULL;

		at += strlen(name);
		if (!body)
			continue;
		at = body_end(body, end);
		if (e->n == e->cap) {
			e->cap = e->cap ? 2 * e->cap : 4;
			e->items = xrealloc(e->items, e->cap, sizeof(*e->items));
		}
		line += count_lines(counted, start);
		e->items[e->n].first = line;
		line += count_lines(start > counted ? start : counted, at);
		e->items[e->n++].last = line;
		counted = at;
	}
}

bool extents_meet(const struct extents *e, uint32_t first, uint32_t n)
{
	for (size_t i = 0; i < e->n; i++)
		if (n && first <= e->items[i].last && first + n > e->items[i].first)
			return true;
	return false;
}
