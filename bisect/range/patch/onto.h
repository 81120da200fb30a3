/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside patch/ only: a diff or a commit's change onto a tree, in a repository that writes to memory. */
#ifndef RANGE_PATCH_ONTO_H
#define RANGE_PATCH_ONTO_H

#include "range/gitlib.h"
#include "range/patch/diff.h"

/* What a file becomes; a mode of 0: it goes. */
struct onto_update {
	const char *path;
	uint32_t mode;
	git_oid id;
};

enum onto_rc {
	ONTO_FAILED = -1, /* err is filled: an object cannot be read */
	ONTO_DONE,
	ONTO_MISFIT /* where says it */
};

/* Why something does not apply. */
struct onto_misfit {
	char where[512]; /* the file and what is wrong with it */
};

/** onto_write() - a tree with some files other than in @tree; each path once */
enum onto_rc onto_write(git_repository *repo, const git_oid *tree,
			const struct onto_update *updates, size_t n, git_oid *ret,
			struct onto_misfit *why, struct err *err);

/** onto_diff() - a diff laid over @tree, or taken away from it; @moved as diff_fit() says */
enum onto_rc onto_diff(git_repository *repo, const git_oid *tree, const struct diff *d,
		       bool reverse, git_oid *ret, uint64_t *moved, struct onto_misfit *why,
		       struct err *err);

/**
 * onto_pick() - what a commit changed, merged into @tree as git cherry-pick does; git revert, if the two
 *               trees are given the other way round
 * @from, @to:   trees of its parent and of itself; NULL: an empty one
 * @paths:       what differs between them
 * @collisions:  on ONTO_MISFIT all files that do not fit, sorted, are added; or NULL
 */
enum onto_rc onto_pick(git_repository *repo, const git_oid *tree, const git_oid *from,
		       const git_oid *to, const struct strv *paths, git_oid *ret,
		       struct strv *collisions, struct onto_misfit *why, struct err *err);

#endif
