/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: nodes that are not left, and know something of what is. */
#ifndef SEARCH_BLOCKS_WITNESS_H
#define SEARCH_BLOCKS_WITNESS_H

#include "search/left.h"

struct witnesses {
	struct left
		around; /* the left and all that has some of it below; weights are left ancestors */
	uint32_t *of_left; /* [left->n] index of each left node in @around */
	double *chance; /* [around.n] of a verdict; 0: no witness, or none that is worth a trial */
	size_t n;	/* with a chance */
};

/**
 * witnesses_find() - who can be asked about the left beside the left itself
 * @l:    must live as long as @ret
 * @told: of the whole graph, settled
 * @ret:  owned by the caller, witnesses_deinit(), which takes one that is all 0 as well
 */
void witnesses_find(const struct left *l, const struct told *told, struct witnesses *ret);
void witnesses_deinit(struct witnesses *w);

/** witnesses_spread() - what left nodes count for, as nodes of @around; the others count for nothing */
void witnesses_spread(const struct witnesses *w, const struct left *l, const double *of_left,
		      double *ret);

/**
 * witnesses_pick() - the one whose trial is expected to tell most
 * @priors: of the whole graph, > 0, in any unit; NULL: all alike
 * @behind: sum of the priors of its left ancestors
 *
 * Return: index into @around, or LEFT_NONE.
 */
uint32_t witnesses_pick(const struct witnesses *w, const struct left *l, const double *priors,
			double *behind);

/** witnesses_new() - the lowest node known to be new that has all of the left below; else the new end */
uint32_t witnesses_new(const struct witnesses *w, const struct left *l, const struct told *told);

#endif
