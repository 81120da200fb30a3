/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside objects/ only: the head of a commit, read out of its text. */
#ifndef RANGE_OBJECTS_COMMIT_H
#define RANGE_OBJECTS_COMMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "range/gitlib.h"

/* A list of ids that grows and is used again. Zero-initialised it is empty. */
struct ids {
	git_oid *items;
	size_t n, cap;
};
void ids_deinit(struct ids *ids);

/** ids_add() - room for one more id, to be filled */
git_oid *ids_add(struct ids *ids);

struct commit_text {
	git_oid tree;
	int64_t date_s; /* committer date; 0 where git, too, finds none */
};

/** commit_hex() - 40 hex digits of either case; false if they are something else */
bool commit_hex(const unsigned char *hex, git_oid *ret);

/**
 * commit_parse() - tree, parents and date, as strict as git is when it walks
 * @text:    [len] bytes
 * @parents: emptied, then filled
 * @why:     set on failure: what is wrong with the text
 *
 * Return: 0, or -1 with @why set.
 * Source: parse_commit_buffer() of git's commit.c.
 */
int commit_parse(const unsigned char *text, size_t len, struct commit_text *ret,
		 struct ids *parents, const char **why);

#endif
