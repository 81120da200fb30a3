/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a commit changes, and which commits are the same change: asked about single commits and about
 * the candidates of a range, beside the walk.
 */
#ifndef RANGE_CHANGE_CHANGE_H
#define RANGE_CHANGE_CHANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "range/range.h"

/* How two commits are known to be one change, the surest first. */
enum same_how {
	SAME_NOT,
	SAME_COMMIT,   /* the same id */
	SAME_UPSTREAM, /* "commit ID upstream.", "[ Upstream commit ID ]" */
	SAME_PICK,     /* "(cherry picked from commit ID)", "(backported from commit ID)" */
	SAME_PATCH,    /* equal patch-id */
	SAME_HOWS
};

/** same_how_name() - "not", "commit", "upstream", "cherry-pick", "patch-id" */
const char *same_how_name(enum same_how how);

/* A commit as a change that other trees may hold as well. */
struct identity {
	char id[COMMIT_ID_SIZE];
	char upstream[COMMIT_ID_SIZE]; /* full or abbreviated id its message names; "": none */
	enum same_how how;	       /* SAME_UPSTREAM or SAME_PICK if @upstream is named */
	char patch_id[COMMIT_ID_SIZE]; /* stable patch-id; "": a merge, a root or an empty change */
	char *subject;
};
void identity_deinit(struct identity *i);

/**
 * identity_of() - a commit's identity; the message is text from outside and may name anything
 * @err: ERR_USAGE: no such commit; ERR_HOST
 */
int identity_of(const char *repo, const char *id, struct identity *ret, struct err *err);

/** identity_same() - whether two commits are one change, and how that is known */
enum same_how identity_same(const struct identity *a, const struct identity *b);

/**
 * identity_find() - the commit of OLD..NEW that is the same change
 * @paths: the walk is limited to; NULL: to the files that @what changes
 * @ret:   its full id, or empty if there is none
 */
int identity_find(const char *repo, const char *old, const char *new, const struct identity *what,
		  char ret[COMMIT_ID_SIZE], enum same_how *how, struct err *err);

/**
 * change_follow() - the paths, and the names their files had before or after within good..bad
 * @paths: as range_spec; a directory is followed as a whole, a file by name
 * @ret:   all names, owned by the caller; those given come first
 *
 * A file counts as renamed where one commit takes a name away and adds another whose content is at
 * least half the same. Source: git-diff(1), --find-renames.
 */
int change_follow(const struct range_spec *spec, struct strv *ret, struct err *err);

/**
 * change_touches() - which candidates change any of some files
 * @range: candidates
 * @files: relative to the repository's root; names that do not exist are allowed
 * @ret:   [range->n], true: differs from a parent in one of the files
 */
int change_touches(const char *repo, const struct range *range, const struct strv *files, bool *ret,
		   struct err *err);

/**
 * change_functions() - which candidates change a line inside of some functions
 * @functions: names as in C
 * @ret:       [range->n]; hunk headers and the lines around tell the function
 */
int change_functions(const char *repo, const struct range *range, const struct strv *functions,
		     const char *const *paths, size_t n_paths, bool *ret, struct err *err);

#endif
