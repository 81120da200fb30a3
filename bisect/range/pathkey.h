/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what a tree holds in the limited paths, as one number that can be compared. */
#ifndef RANGE_PATHKEY_H
#define RANGE_PATHKEY_H

#include <stdint.h>

#include "range/gitlib.h"

struct pathkey;

/**
 * pathkey_create() - prepare for some paths
 * @repo:  must outlive the result
 * @paths: from gitlib_paths()
 */
int pathkey_create(git_repository *repo, const struct strv *paths, struct pathkey **ret,
		   struct err *err);
void pathkey_destroy(struct pathkey *pk);
DEFINE_CLEANUP(struct pathkey *, pathkey_destroy)

/**
 * pathkey_of() - the number of what @tree holds in the paths; equal numbers mean equal content
 * @tree: id of a root tree; NULL: a tree that holds nothing
 */
int pathkey_of(struct pathkey *pk, const git_oid *tree, uint32_t *ret, struct err *err);

/** pathkey_lines() - "mode id path" per path, one a line; what is not there has mode 0 */
int pathkey_lines(struct pathkey *pk, const git_oid *tree, struct buf *ret, struct err *err);

#endif
