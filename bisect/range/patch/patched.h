/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: a commit's tree with its patches. */
#ifndef RANGE_PATCH_PATCHED_H
#define RANGE_PATCH_PATCHED_H

#include "range/gitlib.h"
#include "range/patch/patch.h"

/** patched_open() - a repository whose writes stay in memory, and go with it */
int patched_open(const char *repo, git_repository **ret, struct err *err);

/**
 * patched_tree() - a commit's root tree with the patches that it gets
 * @git: from patched_open(): the result lives in it
 * @p:   NULL: there are none
 * @err: ERR_BUILD as patches_for() says; ERR_HOST
 */
int patched_tree(git_repository *git, const struct patches *p, const char *id, git_tree **ret,
		 struct err *err);

#endif
