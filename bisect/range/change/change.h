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
 * @id:  full commit id
 * @ret: owned by the caller, identity_deinit()
 * @err: ERR_USAGE: no full id; ERR_HOST: no such commit, or it cannot be read
 *
 * What messages are understood is in trailers.h. The patch-id is that of `git diff-tree -p ID | git
 * patch-id --stable`: of the difference to the parent, without looking for renames; but where an empty
 * file comes or goes libgit2 hashes other lines of its header. There is none where a binary file changes,
 * or where a partial clone lacks a content.
 */
int identity_of(const char *repo, const char *id, struct identity *ret, struct err *err);

/**
 * identity_same() - whether two commits are one change, and how that is known
 *
 * One names the other, both name the same third (as sure as the less sure of the two), or their
 * patch-ids are equal. Abbreviated ids, of 12 digits or more, count as what they begin.
 */
enum same_how identity_same(const struct identity *a, const struct identity *b);

/**
 * identity_find() - the commit of OLD..NEW that is the same change
 * @what: its commit need not be in this repository
 * @ret:  its full id, or empty if there is none; of several the surest, and of those the oldest
 * @how:  how it is known; SAME_NOT if there is none
 * @err:  as range_open() says of the ends
 *
 * First by what messages name, in both directions; then by patch-id among commits with the same subject,
 * and among those that change exactly the same files. The walk is limited to the files that @what
 * changes, if they are known, few, and there under these names.
 */
int identity_find(const char *repo, const char *old, const char *new, const struct identity *what,
		  char ret[COMMIT_ID_SIZE], enum same_how *how, struct err *err);

/**
 * change_named() - which candidates are one of several changes, by what messages name
 * @what: [n], of any tree; their patch-ids are not looked at
 * @ret:  [range->n]
 * @err:  ERR_HOST: an object that is missing or damaged; ERR_STOPPED
 */
int change_named(const char *repo, const struct range *range, const struct identity *what, size_t n,
		 bool *ret, struct err *err);

/**
 * change_follow() - the paths, and the names their files had before or after within good..bad
 * @spec: its paths; a directory is followed as a whole, a file by name
 * @ret:  all names, owned by the caller; those given come first, in the one form that paths have
 * @err:  as range_open() says, but that no commit touches the paths is fine
 *
 * A file counts as renamed where one commit takes a name away and adds another with the same content, or
 * with the one that is most like it and at least half the same. In a commit that takes away (or adds)
 * more than 1000 files, only those of the same directory or name are compared for likeness.
 *
 * The result is a plain set of paths: limited to it, range_open() gives what git rev-list does.
 *
 * Source: git-diff(1), --find-renames; git-config(1), diff.renameLimit.
 */
int change_follow(const struct range_spec *spec, struct strv *ret, struct err *err);

/**
 * change_touches() - which candidates change any of some files, or how they are built
 * @range: candidates
 * @files: relative to the repository's root; names that do not exist are allowed
 * @ret:   [range->n], true: differs from a parent in the repository in one of the files
 * @err:   ERR_HOST: an object that is missing or damaged; ERR_STOPPED
 *
 * What a compiler does not name counts as well: each Makefile, Kbuild, Kconfig and .mk file in a directory
 * on the way to one of @files, and below the directory that holds all their sources (one further up if
 * they are all in one: a Makefile may include its neighbours'); there, too, a file that appears with the
 * name of one of @files, which it may hide.
 *
 * Files have other names in other candidates: give those as well, from change_follow().
 */
int change_touches(const char *repo, const struct range *range, const struct strv *files, bool *ret,
		   struct err *err);

/** change_touches_only() - the same of the files alone, however they are built */
int change_touches_only(const char *repo, const struct range *range, const struct strv *files,
			bool *ret, struct err *err);

/* Files that a question is about. */
struct change_files {
	bool (*enters)(void *arg, const char *dir);  /* false: none of them lies below @dir */
	bool (*counts)(void *arg, const char *path); /* asked in the order of the trees */
	void *arg;
};

/**
 * change_touches_such() - which candidates change a file that counts
 * @ret: [range->n], true: differs from a parent in the repository in such a file; after the first of a
 *       candidate no other of it is asked about
 * @err: ERR_HOST: an object that is missing or damaged; ERR_STOPPED
 */
int change_touches_such(const char *repo, const struct range *range,
			const struct change_files *what, bool *ret, struct err *err);

/** change_between() - 1: two commits, by full id, differ in a file that counts; 0: not; -1: as above */
int change_between(const char *repo, const char *from, const char *to,
		   const struct change_files *what, struct err *err);

/**
 * change_patch() - a commit's difference to its parent as a patch, for a tree of another repository
 * @ret: the text is added to it
 * @err: ERR_HOST: no such commit, or it cannot be read
 *
 * Return: 0; 1 if it has none: a merge, a root, a binary file, a content that a partial clone lacks; -1
 */
int change_patch(const char *repo, const char *id, struct buf *ret, struct err *err);

/**
 * change_functions() - which candidates change a line inside of some functions
 * @functions: names as in C
 * @paths:     only files there are looked into; [n_paths], 0: all
 * @ret:       [range->n]; a hint, for what to try first
 * @err:       ERR_HOST: an object that is damaged; ERR_STOPPED
 *
 * Looks into .c and .h files whose first or last content within the range holds one of the names, compares
 * them to the first parent's, and asks whether a changed line is within a definition, before or after.
 * A merge of which each side is walked counts for nothing, and neither does a content that a partial
 * clone lacks.
 */
int change_functions(const char *repo, const struct range *range, const struct strv *functions,
		     const char *const *paths, size_t n_paths, bool *ret, struct err *err);

#endif
