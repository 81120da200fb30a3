/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: how likely each node left is the answer, where trials may lie. */
#ifndef SEARCH_BELIEF_H
#define SEARCH_BELIEF_H

#include "search/left.h"

/* A verdict this often told is one that no chance undoes. */
#define TOLD_SURE (UINT32_MAX / 2)

struct belief {
	double *mass;  /* [l->n] sums to 1 */
	double *proof; /* [l->n] the same, had all been alike before the first trial; sums to 1 */
	uint32_t best; /* the node with the greatest proof; of several the lowest */
};

/**
 * belief_settle() - the verdicts that are beyond doubt
 * @told: [n], with counts
 * @ret:  [n]; GOOD or BAD where beyond doubt; SKIP where the last trial was none; else NONE
 */
void belief_settle(const struct told *told, size_t n, const struct search_rules *rules,
		   struct told *ret);

/**
 * belief_init() - what all trials leave to believe
 * @told: [graph->n], with counts
 * @l:    what the settled verdicts leave
 */
void belief_init(struct belief *b, const struct search_graph *graph, const struct told *told,
		 const struct left *l, const struct search_rules *rules);
void belief_deinit(struct belief *b);

/** belief_is_enough() - whether a proof is the confidence asked for, but for a rounding error */
bool belief_is_enough(double proof, const struct search_rules *rules);

/**
 * belief_pick() - the node whose trial is expected to tell most; one may be tried again
 * @settled: [l->graph.n]
 * @l:       what @b is about
 * @apt:     [l->n] which nodes may be tried; NULL: all
 * @bits:    what the trial is expected to tell
 *
 * Return: index into @l, or LEFT_NONE if no trial could bring one node to the confidence asked for.
 */
uint32_t belief_pick(const struct belief *b, const struct told *settled, const struct left *l,
		     const bool *apt, const struct search_rules *rules, double *bits);

/**
 * belief_set() - the fewest nodes that together have the confidence asked for
 * @ret: [l->n] nodes of the whole graph, ascending
 *
 * Return: how many there are.
 */
size_t belief_set(const struct belief *b, const struct left *l, const struct search_rules *rules,
		  uint32_t *ret);

/** belief_steps() - expected further trials, if each tells about @bits */
unsigned int belief_steps(const struct belief *b, const struct left *l,
			  const struct search_rules *rules, double bits);

#endif
