// SPDX-License-Identifier: GPL-2.0-or-later
/* A commit's text: "tree ID", a "parent ID" for each, "author ...", "committer NAME <MAIL> SECONDS ZONE". */
#include "range/objects/commit.h"

#include <stdlib.h>
#include <string.h>

#define HEX_LEN	   40
#define TREE_LEN   (5 + HEX_LEN + 1) /* "tree ID\n" */
#define PARENT_LEN (7 + HEX_LEN + 1) /* "parent ID\n" */

void ids_deinit(struct ids *ids)
{
	free(ids->items);
	*ids = (struct ids){ 0 };
}

git_oid *ids_add(struct ids *ids)
{
	if (ids->n == ids->cap) {
		ids->cap = ids->cap ? 2 * ids->cap : 16;
		ids->items = xrealloc(ids->items, ids->cap, sizeof(*ids->items));
	}
	return &ids->items[ids->n++];
}

/* The value of a hex digit plus one; 0 for anything else. */
static const unsigned char digits[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,
	['6'] = 7,  ['7'] = 8,	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
	['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
	['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

bool commit_hex(const unsigned char *hex, git_oid *ret)
{
	for (size_t i = 0; i < GIT_ID_LEN; i++) {
		unsigned int high = digits[hex[2 * i]];
		unsigned int low = digits[hex[2 * i + 1]];

		if (!high || !low)
			return false;
		ret->id[i] = (unsigned char)((high - 1) << 4 | (low - 1));
	}
	return true;
}

/* "@word ID\n", of @line_len bytes in all. */
static bool take_id(const unsigned char *p, size_t left, const char *word, size_t line_len,
		    git_oid *ret)
{
	size_t n = line_len - HEX_LEN - 1;

	return left >= line_len && memcmp(p, word, n) == 0 && p[line_len - 1] == '\n' &&
	       commit_hex(p + n, ret);
}

/* The seconds after the last '>' of the committer's line. What cannot be read is 0, as for git. */
static int64_t find_date(const unsigned char *p, const unsigned char *end)
{
	const unsigned char *eol;
	const unsigned char *mail;
	int64_t date_s = 0;

	if (end - p < 6 || memcmp(p, "author", 6) != 0)
		return 0;
	p = memchr(p, '\n', (size_t)(end - p));
	if (!p || end - ++p < 9 || memcmp(p, "committer", 9) != 0)
		return 0;
	eol = memchr(p, '\n', (size_t)(end - p));
	mail = eol ? memrchr(p, '>', (size_t)(eol - p)) : NULL;
	if (!mail)
		return 0;
	for (p = mail + 1; p < eol && (*p == ' ' || *p == '\t'); p++)
		;
	for (; p < eol && *p >= '0' && *p <= '9'; p++) {
		if (date_s > (INT64_MAX - 9) / 10)
			return INT64_MAX;
		date_s = 10 * date_s + (*p - '0');
	}
	return date_s;
}

int commit_parse(const unsigned char *text, size_t len, struct commit_text *ret,
		 struct ids *parents, const char **why)
{
	const unsigned char *p = text;
	const unsigned char *end = text + len;

	parents->n = 0;
	if (!take_id(p, len, "tree ", TREE_LEN, &ret->tree)) {
		*why = "it does not begin with a tree";
		return -1;
	}
	p += TREE_LEN;
	while (end - p >= 7 && memcmp(p, "parent ", 7) == 0) {
		if (!take_id(p, (size_t)(end - p), "parent ", PARENT_LEN, ids_add(parents))) {
			*why = "a parent is no full id";
			return -1;
		}
		p += PARENT_LEN;
	}
	ret->date_s = find_date(p, end);
	return 0;
}
