/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what a tree holds in the limited paths, as one number that can be compared. */
#ifndef RANGE_PATHKEY_H
#define RANGE_PATHKEY_H

#include <stdint.h>

#include "range/objects/objects.h"

/* What is known so far; threads share one, each with a reader of its own. */
struct pathkey;

/**
 * pathkey_create() - prepare for some paths
 * @repo:  named in errors; must outlive the result
 * @paths: from gitlib_paths()
 * Return: owned by the caller; never NULL.
 */
struct pathkey *pathkey_create(git_repository *repo, const struct strv *paths);
void pathkey_destroy(struct pathkey *pk);
DEFINE_CLEANUP(struct pathkey *, pathkey_destroy)

/**
 * pathkey_of() - the number of what @tree holds in the paths; equal numbers mean equal content
 * @tree: id of a root tree; NULL: a tree that holds nothing
 * @err:  ERR_HOST: a tree that is missing or damaged, named
 */
int pathkey_of(struct pathkey *pk, struct reader *reader, const git_oid *tree, uint32_t *ret,
	       struct err *err);

#endif
