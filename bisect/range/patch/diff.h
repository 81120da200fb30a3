/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside range/ only: a patch as text, read and laid over a file's content. Pure.
 *
 * libgit2 reads diffs too, but none that git did not write, and it applies a hunk only at the very line
 * it names: over a range of commits the lines wander. What fits where is decided as git apply decides it,
 * by all of the context at whatever offset.
 */
#ifndef RANGE_PATCH_DIFF_H
#define RANGE_PATCH_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct diff_hunk {
	uint32_t old_start, old_lines; /* lines count from 1; 0: before the first */
	uint32_t new_start, new_lines;
	const char *text; /* [len] lines with their marks; owned by the diff */
	size_t len;
};

/* One file of a patch. */
struct diff_file {
	char *old_name;		     /* NULL: the patch makes it */
	char *new_name;		     /* NULL: the patch removes it */
	uint32_t old_mode, new_mode; /* 0: not said */
	bool copied;		     /* the old one stays */
	struct diff_hunk *hunks;     /* [n_hunks] */
	size_t n_hunks;
};

struct diff {
	char *text; /* [len] */
	size_t len;
	struct diff_file *files; /* [n] >= 1, in order, each on top of those before */
	size_t n;
};
void diff_deinit(struct diff *d);

/**
 * diff_parse() - a diff, or mails with diffs
 * @text: [len] git's form or diff -u's, whatever stands before, between and behind
 * @ret:  owned by the caller, diff_deinit()
 * @err:  ERR_USAGE without the patch's name: no diff in it, damaged with the line, a binary file, a
 *        submodule, a mail in a transport encoding, a name that leaves the tree
 *
 * A text whose lines all end in CR LF is read without the CRs. Names are taken without their first
 * part where it differs on both sides ("a/", "b/"), which is how git and people write them.
 *
 * Source: git-diff(1) "Generating patch text with -p", git's apply.c.
 */
int diff_parse(const char *text, size_t len, struct diff *ret, struct err *err);

/**
 * diff_fit() - lay a file's hunks over its content
 * @f:       of a diff
 * @reverse: take away what the patch adds, and the other way round
 * @text:    [len]
 * @ret:     the new content, appended
 * @moved:   lines by which hunks lay elsewhere than they say are added
 *
 * Return: 0, or the number of the first hunk that fits nowhere, counted from 1.
 */
size_t diff_fit(const struct diff_file *f, bool reverse, const char *text, size_t len,
		struct buf *ret, uint64_t *moved);

/* A line of a hunk. */
struct diff_line {
	char mark; /* ' ', '+' or '-' */
	const char *text;
	size_t len; /* with its newline, if it has one */
};

/** diff_line_next() - the line at *@at; false at the end. @at: from 0, moved on */
bool diff_line_next(const struct diff_hunk *h, size_t *at, struct diff_line *ret);

#endif
