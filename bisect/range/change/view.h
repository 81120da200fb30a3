/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what the questions about changes are asked of. */
#ifndef RANGE_CHANGE_VIEW_H
#define RANGE_CHANGE_VIEW_H

#include "range/change/treediff.h"
#include "range/gitlib.h"
#include "range/objects/objects.h"

/* A repository with what reads it; history is seen as the walk sees it, with all that is laid over it. */
struct view {
	git_repository *repo;
	struct objects *objects;
	struct reader *reader;
	struct treediff *diff;
};

int view_open(const char *repo, struct view *ret, struct err *err);
void view_deinit(struct view *v);

/* A commit's root tree and those of its parents. */
struct view_trees {
	git_oid own;
	git_oid *parents; /* [n_parents] */
	size_t n_parents;
};
void view_trees_deinit(struct view_trees *t);

/** view_trees() - by full hex id */
int view_trees(struct view *v, const char *id, struct view_trees *ret, struct err *err);

#endif
