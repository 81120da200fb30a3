/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Changes laid on a commit or taken away from it, as commits that no ref leads to: what `git revert` and
 * `git cherry-pick` would make. Neither the repository nor its index or work tree is touched: new objects go
 * to a directory beside it, which every repository that is opened then borrows from, so that such a commit is
 * checked out and built like any other.
 *
 * The same change on the same commit always gives the same id: its author and dates are made up.
 *
 * git itself sees them as well: GIT_ALTERNATE_OBJECT_DIRECTORIES=DIR git show ID.
 */
#ifndef RANGE_PICK_PICK_H
#define RANGE_PICK_PICK_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

struct pick_store;

/**
 * pick_open() - a place for new commits; one at a time
 * @dir: directory for objects, made if need be
 * @err: ERR_USAGE as gitlib_open() says of @repo; ERR_HOST
 */
int pick_open(const char *repo, const char *dir, struct pick_store **ret, struct err *err);

/** pick_close() - repositories opened from now on borrow nothing; what was made stays in the directory */
void pick_close(struct pick_store *s);
DEFINE_CLEANUP(struct pick_store *, pick_close)

enum pick_way { PICK_ON, PICK_OFF }; /* a change is laid on, or taken away */

enum pick_end {
	PICK_MADE,
	PICK_NOTHING,  /* it changes nothing there: the change is in already, or gone already */
	PICK_CONFLICT, /* it does not apply */
};

struct pick {
	enum pick_end end;
	char id[COMMIT_ID_SIZE]; /* PICK_MADE: the new commit */
	struct strv files;	 /* PICK_CONFLICT: those that do not fit, sorted */
	char where[512];	 /* likewise: the first of them, and what is wrong with it */
};
void pick_deinit(struct pick *p);

/**
 * pick_commit() - a commit's change on another commit
 * @onto:     full id, of the repository or made before
 * @what:     full id
 * @mainline: which parent its change is held against, from 1 on; 1 for all that are no merges
 * @ret:      owned by the caller, pick_deinit()
 * @err:      ERR_USAGE: it has no such parent; ERR_HOST: an object that cannot be read or written
 *
 * Three-way, as git does it, with renames. Stricter where a renamed file is looked for only in its directory
 * and by its name: then it is a conflict here and may be none there.
 *
 * Source: git-revert(1), git-cherry-pick(1): --mainline.
 */
int pick_commit(struct pick_store *s, const char *onto, const char *what, enum pick_way way,
		unsigned int mainline, struct pick *ret, struct err *err);

/**
 * pick_patch() - a patch file on a commit
 * @file: a diff, or mails with diffs, as range/patch/patch.h reads them
 * @err:  ERR_USAGE: no such file, or no diff in it; ERR_HOST
 */
int pick_patch(struct pick_store *s, const char *onto, const char *file, struct pick *ret,
	       struct err *err);

#endif
