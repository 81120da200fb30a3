/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what a commit is to its parents in the limited paths. */
#ifndef RANGE_WALK_SIMPLIFY_H
#define RANGE_WALK_SIMPLIFY_H

#include "range/pathkey.h"
#include "range/walk/history.h"

/* What is asked, and by whom: one per thread. */
struct view {
	const struct history *h;
	struct pathkey *pk; /* NULL: no limit to paths */
	struct reader *reader;
	bool first_parent;
	bool painted; /* the paint is final */
};

/* A commit's place in the simplified history. */
struct place {
	bool changes;	/* it is a candidate */
	uint32_t first; /* the first parent to follow, counted from 0; not 0 only if n is 1 */
	uint32_t
		n; /* and how many; those that are not of the range are not followed all the same */
};

/** view_parents() - how many of a commit's parents count */
static inline uint32_t view_parents(const struct view *v, const struct node *node)
{
	return node->n_parents > 1 && v->first_parent ? 1 : node->n_parents;
}

/** view_in() - whether a commit is of the range, or seems to be as long as the paint is not final */
static inline bool view_in(const struct view *v, const struct node *node)
{
	unsigned int paint = node_paint(node);

	if (v->painted)
		return paint & PAINT_IN;
	return (paint & (PAINT_NEW | PAINT_OLD)) == PAINT_NEW;
}

/** view_key() - what a node that was read holds in the paths */
int view_key(const struct view *v, uint32_t i, uint32_t *ret, struct err *err);

/** view_place() - decide on a node of the range */
int view_place(const struct view *v, uint32_t i, struct place *ret, struct err *err);

#endif
