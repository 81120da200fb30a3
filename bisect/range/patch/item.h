/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside patch/ only: one patch, looked up and read. */
#ifndef RANGE_PATCH_ITEM_H
#define RANGE_PATCH_ITEM_H

#include <stdbool.h>

#include "range/gitlib.h"
#include "range/patch/diff.h"

/* Zero-initialised it is empty. */
struct item {
	char *name;			/* as given */
	struct diff diff;		/* of a file; n 0: it is a commit */
	char id[COMMIT_ID_SIZE];	/* of a commit */
	git_oid from, to;		/* trees of its first parent and of itself */
	bool is_root;			/* it has no parent */
	struct strv paths;		/* that it changes, sorted */
	struct strv if_has, unless_has; /* full ids */
};
void item_deinit(struct item *i);

/**
 * item_open() - a patch and its conditions
 * @repo: what @git was opened by
 * @text: as the user gave it
 * @err:  ERR_USAGE, with the text
 */
int item_open(git_repository *git, const char *repo, const char *text, struct item *ret,
	      struct err *err);

/** item_read_file() - a patch file without conditions; @ret: owned by the caller; @err: as above */
int item_read_file(const char *file, struct item *ret, struct err *err);

/** item_identity() - text that differs where contents or conditions do; names do not count */
void item_identity(const struct item *i, struct buf *ret);

#endif
