/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what a revision names, with parents counted in the history as the walk sees it. */
#ifndef RANGE_WALK_REVISION_H
#define RANGE_WALK_REVISION_H

#include "range/gitlib.h"

/**
 * revision_resolve() - a revision to a commit
 * @rev: libgit2 reads it, but for "~N" and "^N" at its end: it knows no grafts and no replacements
 * @err: ERR_USAGE if it names no commit; ERR_HOST for an object that is missing or damaged
 *
 * Source: gitrevisions(7).
 */
int revision_resolve(git_repository *repo, const char *rev, git_oid *ret, struct err *err);

#endif
