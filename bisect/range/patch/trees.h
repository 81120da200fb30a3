/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: single files of a tree, told apart from objects that cannot be read. */
#ifndef RANGE_PATCH_TREES_H
#define RANGE_PATCH_TREES_H

#include <stdint.h>

#include "range/gitlib.h"

/**
 * trees_find() - what a tree holds at a path
 * @path: "" is the tree itself
 * @mode: 0: nothing
 * @ret:  set if there is something
 * @err:  ERR_HOST: a tree that is missing or damaged, named
 */
int trees_find(git_repository *repo, const git_tree *tree, const char *path, uint32_t *mode,
	       git_oid *ret, struct err *err);

/** trees_differ() - paths of all files that differ between two trees, added to @ret */
int trees_differ(git_repository *repo, const git_oid *from, const git_oid *to, struct strv *ret,
		 struct err *err);

#endif
