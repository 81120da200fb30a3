/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: which nodes to try at once. */
#ifndef SEARCH_SPLIT_H
#define SEARCH_SPLIT_H

#include "search/left.h"

/**
 * split() - the nodes that together cut what is left most evenly
 * @l:      with weights
 * @told:   of the whole graph; only verdicts and blockers matter here
 * @priors: of the whole graph, > 0, in any unit; NULL: all alike
 * @bad:    node known bad at the start
 * @k:      how many can be tried at once
 * @ret:    [k] indices into @l, the best single one first
 *
 * Return: how many there are; fewer than @k where fewer can be tried.
 */
size_t split(const struct left *l, const struct told *told, const double *priors, uint32_t bad,
	     size_t k, uint32_t *ret);

/**
 * split_many() - the same by masses and chances that are known
 * @own:    [l->n] >= 0, sums to 1
 * @chance: [l->n] of a verdict; 0: not to be tried
 */
size_t split_many(const struct left *l, const double *own, const double *chance, size_t k,
		  uint32_t *ret);

/**
 * split_masses() - how likely each class is that verdicts on some nodes sort what is left into
 * @own:   [l->n] mass of each node of the left
 * @nodes: [n] of the graph, n <= 64
 * @ret:   [l->n] a mass for each class, then 0
 */
void split_masses(const struct search_graph *g, const struct left *l, const double *own,
		  const uint32_t *nodes, size_t n, double *ret);

#endif
