// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * MAINTAINERS: sections of a title and lines "X:<blank>value". A line that is neither blank, nor a remark, nor
 * such an entry is the title of a new section, so prose above the list makes sections that nothing matches.
 */
#include "reports/mail/maintainers.h"

#include <assert.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "reports/mail/expression.h"

/* Patterns longer than any path of a kernel only cost time. */
#define PATTERN_MAX_BYTES 512

struct section {
	const char *at, *end; /* its entries, whole lines */
	uint32_t named;	      /* a bit for each file whose name an N: matches */
	bool told;	      /* a K: matches what was changed */
};
static_assert(MAINTAINERS_MAX_FILES <= 32, "a file has no bit");

struct sections {
	struct section *items; /* [n] */
	size_t n, cap;
};

struct entry {
	char type;
	const char *value;
	size_t len;
};

static void sections_deinit(struct sections *s)
{
	free(s->items);
}

void maintainers_deinit(struct maintainers *m)
{
	addresses_deinit(&m->people);
	addresses_deinit(&m->reviewers);
	addresses_deinit(&m->lists);
}

static const char *line_end(const char *at, const char *end)
{
	const char *nl = memchr(at, '\n', (size_t)(end - at));

	return nl ? nl : end;
}

/* "X:", blanks, and a value of which the blanks at its end are no part */
static bool is_entry(const char *at, const char *end, struct entry *ret)
{
	if (end - at < 2 || at[0] < 'A' || at[0] > 'Z' || at[1] != ':')
		return false;
	ret->type = at[0];
	at += 2;
	while (at < end && isspace((unsigned char)*at))
		at++;
	while (at < end && isspace((unsigned char)end[-1]))
		end--;
	ret->value = at;
	ret->len = (size_t)(end - at);
	return true;
}

static bool is_empty(const char *at, const char *end)
{
	while (at < end && isspace((unsigned char)*at))
		at++;
	return at == end || *at == '#';
}

static void split(const char *text, const char *end, struct sections *ret)
{
	struct section *open = NULL;
	struct entry e;

	for (const char *at = text, *eol; at < end; at = eol + (eol < end)) {
		eol = line_end(at, end);
		if (!is_entry(at, eol, &e)) {
			if (!is_empty(at, eol))
				open = NULL;
			continue;
		}
		if (!open) {
			if (ret->n == ret->cap) {
				ret->cap = ret->cap ? 2 * ret->cap : 256;
				ret->items = xrealloc(ret->items, ret->cap, sizeof(*ret->items));
			}
			open = &ret->items[ret->n++];
			*open = (struct section){ .at = at };
		}
		open->end = eol;
	}
}

/* The next entry of a section: *at goes behind it. */
static bool next_entry(const struct section *s, const char **at, struct entry *ret)
{
	while (*at < s->end) {
		const char *line = *at, *eol = line_end(line, s->end);

		*at = eol + (eol < s->end);
		if (is_entry(line, eol, ret))
			return true;
	}
	return false;
}

static size_t count_slashes(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += s[i] == '/';
	return n;
}

/* "[ch]", "[^a-z]" against one character; *used: bytes of the pattern; 0: it is no class */
static bool in_class(const char *p, const char *end, char c, size_t *used)
{
	const char *at = p + 1;
	bool negated = at < end && (*at == '^' || *at == '!');
	bool in = false;

	at += negated;
	for (const char *first = at; at < end && (*at != ']' || at == first); at++) {
		if (end - at > 2 && at[1] == '-' && at[2] != ']') {
			in |= c >= at[0] && c <= at[2];
			at += 2;
		} else {
			in |= c == *at;
		}
	}
	*used = at < end ? (size_t)(at - p) + 1 : 0;
	return in != negated;
}

/* Whether one part of the pattern, no star, takes the character; *used: its bytes. */
static bool takes(const char *p, const char *end, char c, size_t *used)
{
	bool in;

	*used = 1;
	if (*p == '?')
		return true;
	if (*p != '[')
		return *p == c;
	in = in_class(p, end, c, used);
	if (*used)
		return in;
	*used = 1;
	return c == '[';
}

/* Whether the pattern matches a beginning of the file's name; a star takes slashes too. */
static bool matches_start(const char *p, const char *end, const char *file)
{
	const char *star = NULL, *from = NULL;

	for (;;) {
		size_t used;

		if (p == end)
			return true;
		if (*p == '*') {
			star = ++p;
			from = file;
		} else if (*file && takes(p, end, *file, &used)) {
			p += used;
			file++;
		} else if (star && *from) {
			p = star;
			file = ++from;
		} else {
			return false;
		}
	}
}

int maintainers_match(const char *pattern, size_t len, const char *file)
{
	size_t slashes = count_slashes(pattern, len);
	bool is_dir = len && pattern[len - 1] == '/';
	bool is_plain = true, is_deep = false;

	if (!len || len > PATTERN_MAX_BYTES)
		return MAINTAINERS_NO_MATCH;
	for (size_t i = 0; i < len; i++) {
		is_plain &= !strchr("*?[", pattern[i]);
		is_deep |= i + 1 < len && pattern[i] == '*' && pattern[i + 1] == '*';
	}
	if (!matches_start(pattern, pattern + len, file))
		return MAINTAINERS_NO_MATCH;
	/* A directory may be named without the slash at its end. */
	if (is_plain && file[len] == '/')
		is_dir = true;
	if (!is_dir && !is_deep && slashes != count_slashes(file, strlen(file)))
		return MAINTAINERS_NO_MATCH;
	if (pattern[0] == '*')
		return -1;
	return (int)slashes + (pattern[len - 1] != '/');
}

static void match_expression(struct section *s, const struct entry *e, const char *const *files,
			     size_t n, const char *changes)
{
	struct expression *x = expression_create(e->value, e->len);

	if (!x)
		return;
	if (e->type == 'K')
		s->told |= expression_matches_any(x, changes);
	for (size_t i = 0; i < n && e->type == 'N'; i++)
		if (expression_matches(x, files[i], strlen(files[i])))
			s->named |= UINT32_C(1) << i;
	expression_destroy(x);
}

/* Each once for all files. */
static void match_expressions(const struct sections *all, const char *const *files, size_t n,
			      const char *changes)
{
	size_t left = MAINTAINERS_MAX_EXPRESSIONS;

	for (size_t i = 0; i < all->n; i++) {
		const char *at = all->items[i].at;
		struct entry e;

		while (next_entry(&all->items[i], &at, &e))
			if ((e.type == 'N' || (e.type == 'K' && changes)) && left) {
				left--;
				match_expression(&all->items[i], &e, files, n, changes);
			}
	}
}

/* How deep a section reaches that is for the file. */
static int depth_of(const struct section *s, const char *file, bool named)
{
	int depth = MAINTAINERS_NO_MATCH;
	const char *at = s->at;
	struct entry e;

	while (next_entry(s, &at, &e)) {
		int d;

		if (e.type != 'F' && e.type != 'X')
			continue;
		d = maintainers_match(e.value, e.len, file);
		if (e.type == 'X' && d != MAINTAINERS_NO_MATCH)
			return MAINTAINERS_NO_MATCH;
		if (e.type == 'F' && d > depth)
			depth = d;
	}
	return named && depth < 0 ? 0 : depth;
}

static bool has_maintainer(const struct section *s)
{
	_cleanup_(addresses_deinit) struct addresses people = { 0 };
	const char *at = s->at;
	struct entry e;

	while (!people.n && next_entry(s, &at, &e))
		if (e.type == 'M')
			addresses_add(&people, e.value, e.len);
	return people.n;
}

static bool is_closed(const struct entry *e)
{
	static const char word[] = "subscribers-only";

	for (size_t i = 0; i + strlen(word) <= e->len; i++)
		if (strncasecmp(e->value + i, word, strlen(word)) == 0)
			return true;
	return false;
}

static void take_section(const struct section *s, struct maintainers *ret)
{
	const char *at = s->at;
	struct entry e;

	while (next_entry(s, &at, &e)) {
		if (e.type == 'M')
			addresses_add(&ret->people, e.value, e.len);
		else if (e.type == 'R')
			addresses_add(&ret->reviewers, e.value, e.len);
		else if (e.type == 'L' && !is_closed(&e))
			addresses_add(&ret->lists, e.value, e.len);
	}
}

/* Of a section beside what was changed: all of its people are asked to look, not to answer. */
static void take_beside(const struct section *s, struct maintainers *ret)
{
	_cleanup_(maintainers_deinit) struct maintainers m = { 0 };

	take_section(s, &m);
	for (size_t i = 0; i < m.people.n; i++)
		addresses_add_pair(&ret->reviewers, m.people.items[i].name, m.people.items[i].addr);
	for (size_t i = 0; i < m.reviewers.n; i++)
		addresses_add_pair(&ret->reviewers, m.reviewers.items[i].name,
				   m.reviewers.items[i].addr);
	for (size_t i = 0; i < m.lists.n; i++)
		addresses_add_pair(&ret->lists, m.lists.items[i].name, m.lists.items[i].addr);
}

/* @least: sections of less depth do not count; Return: whether one did */
static bool take_file(const struct sections *all, const char *file, uint32_t bit, int least,
		      struct maintainers *ret)
{
	_cleanup_free_ int *depth = xcalloc(all->n + 1, sizeof(*depth));
	int best = MAINTAINERS_NO_MATCH;

	for (size_t i = 0; i < all->n; i++) {
		depth[i] = depth_of(&all->items[i], file, all->items[i].named & bit);
		if (depth[i] > best && has_maintainer(&all->items[i]))
			best = depth[i];
	}
	for (size_t i = 0; best >= least && i < all->n; i++)
		if (depth[i] >= best)
			take_section(&all->items[i], ret);
	return best >= least;
}

/* Those of an N: that another section is deeper than, unless an X: of theirs leaves the file out; and those of a K:. */
static void take_others(const struct sections *all, const char *const *files, size_t n,
			struct maintainers *ret)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct section *s = &all->items[i];
		bool beside = s->told;

		for (size_t f = 0; f < n && !beside; f++)
			beside = (s->named & UINT32_C(1) << f) &&
				 depth_of(s, files[f], true) != MAINTAINERS_NO_MATCH;
		if (beside)
			take_beside(s, ret);
	}
}

void maintainers_find(const char *text, const char *const *files, size_t n, const char *changes,
		      struct maintainers *ret)
{
	_cleanup_(sections_deinit) struct sections all = { 0 };
	bool found = false;

	split(text, text + strnlen(text, MAINTAINERS_MAX_BYTES), &all);
	if (n > MAINTAINERS_MAX_FILES)
		n = MAINTAINERS_MAX_FILES;
	match_expressions(&all, files, n, changes);
	for (size_t i = 0; i < n; i++)
		found |= take_file(&all, files[i], UINT32_C(1) << i, 0, ret);
	for (size_t i = 0; !found && i < n; i++)
		take_file(&all, files[i], UINT32_C(1) << i, MAINTAINERS_NO_MATCH + 1, ret);
	take_others(&all, files, n, ret);
	addresses_without(&ret->reviewers, &ret->people);
}
