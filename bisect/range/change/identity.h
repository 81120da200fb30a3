/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: the parts of an identity, for those who need one of them of many commits. */
#ifndef RANGE_CHANGE_IDENTITY_H
#define RANGE_CHANGE_IDENTITY_H

#include "range/change/change.h"
#include "range/change/view.h"

/**
 * identity_patch_id() - the stable patch-id of what a commit changes, without looking for renames
 * @trees: from view_trees()
 * @ret:   empty for a merge, a root, and a change that is empty, in part binary, or of contents that a
 *         partial clone lacks
 *
 * Source: git-patch-id(1); equal to `git diff-tree -p COMMIT | git patch-id --stable`.
 */
int identity_patch_id(struct view *v, const struct view_trees *trees, char ret[COMMIT_ID_SIZE],
		      struct err *err);

/** change_is_binary() - whether a difference, whose patches were made, is of a binary file in part */
bool change_is_binary(const git_diff *diff);

/** identity_names() - whether the id that a message names, maybe abbreviated, is @id, full or so */
bool identity_names(const char *named, const char *id);

#endif
