/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: what cannot be tried comes in intervals, each with one cause. */
#ifndef SEARCH_BLOCKS_H
#define SEARCH_BLOCKS_H

#include "search/left.h"

/**
 * blocks_presume() - each left node's blocker, told or taken to have
 * A node that is not told of has blocker b if a node with b is among its ancestors and another among
 * its descendants, left or not, and no verdict was given on the ways there.
 * @ret: [l->n]; 0: none. Of several the lowest.
 */
void blocks_presume(const struct left *l, const struct told *told, uint32_t *ret);

/**
 * blocks_worth() - which of the presumed nodes are to be tried before they are given up
 * @ret: [l->n]; none of them: every interval was looked into well enough
 */
void blocks_worth(const struct left *l, const struct told *told, bool *ret);

/**
 * blocks_hiding() - the blockers of a set of nodes, told or taken to have: what hides the answer
 * @set: [n] nodes of the whole graph
 * @ret: [n], ascending, each once
 *
 * Return: how many there are. A skip without a blocker has none to name.
 */
size_t blocks_hiding(const struct search_graph *graph, const struct told *told, const uint32_t *set,
		     size_t n, uint32_t *ret);

#endif
