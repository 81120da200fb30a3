/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: which of the nodes left to try. */
#ifndef SEARCH_PICK_H
#define SEARCH_PICK_H

#include "search/left.h"

/* Bits that differ by less, relatively, are equal: sums of priors are not exact. */
#define PICK_SAME 1e-12

/** pick_bits() - what a trial tells that splits @part off @all */
double pick_bits(double part, double all);

/**
 * pick() - the node whose trial is expected to tell most
 * @l:      with weights
 * @told:   of the whole graph; only verdicts and blockers matter here
 * @priors: of the whole graph, > 0, in any unit; NULL: all alike
 * @bad:    node known bad at the start
 *
 * Return: index into @l, or LEFT_NONE if nothing left can be tried.
 */
uint32_t pick(const struct left *l, const struct told *told, const double *priors, uint32_t bad);

/** pick_can() - whether node @i of the left may be tried: it gave no verdict yet, and no skip */
bool pick_can(const struct left *l, const struct told *told, uint32_t bad, size_t i);

/**
 * pick_chances() - which nodes to try now, and how likely that gives a verdict
 * @ret: [l->n] 0: not now, or never; otherwise the chance, at most 1
 */
void pick_chances(const struct left *l, const struct told *told, uint32_t bad, double *ret);

#endif
