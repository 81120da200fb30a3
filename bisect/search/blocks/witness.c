// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asking beside what is left.
 *
 *	a   old
 *	|
 *	x   cannot be built
 *	|\
 *	y s   side branch, on which the build was mended
 *	| |
 *	z |   cannot be built
 *	| |
 *	b |   new
 *	|/
 *	m
 *
 * Left are x, y, z and b, and none of them can be tried but b, which was. Yet s can. It is no ancestor of b,
 * so it cannot be the answer, but it has x below it and neither y nor z: if s is old, x is innocent, and if
 * it is new, x is the answer. In general a node w that has the part A of the left set S below it leaves A
 * if it is new and S without A if it is old, by the same rules as any node: all verdicts are about
 * ancestors. No other node can be asked: what has nothing of S below says nothing, and what has all of it
 * can only be new. So once every witness gave a verdict, S is the smallest set that the history allows.
 *
 * That the left set becomes just A or S without A is so because of what is left out (left.c; w is below
 * no old node, or A would be empty):
 * - w is above no new node that counts. With accepted turns such a node need not have all of S below it;
 *   what is above it is new as well.
 * - w is above no strand from before. Had it been old, states of strand nodes would be inferred from it,
 *   and what they say nothing about now might count.
 * So if w is new, it takes the place of new nodes above it or joins the others, and what they have in common
 * is A, which is not empty: no contradiction. If w would be new from before, it counts for nothing, and A is
 * not where the last change came: S without A is left. If w is old, no other node but those of A and
 * nodes that were not left become old, and nothing that counts is among them.
 *
 * The best witness tells most, as in pick.c: H(|A| / |S|) bits, by masses where there are priors, times
 * the chance that it can be tried (leap.c, over all that has some of S below). It is asked when the left
 * nodes themselves are exhausted, those that are presumed to be blocked included, as far as that is worth
 * it (blocks.c): a verdict on a left node tells as much and names commits that are asked about anyway. A
 * witness that is presumed to be blocked is not asked at all.
 *
 * Each is tried once (where trials lie as often as any node), and a verdict takes one node off the set at
 * least, half of it where the set can be cut so. Trials in vain are limited: of c witnesses no more than
 * VAIN * (log2(c) + 1) may have failed for what is left, then the set is named as it is. Up to 16 witnesses
 * are all tried.
 */
#include "search/blocks/witness.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "search/blocks/blocks.h"
#include "search/blocks/leap.h"
#include "search/pick.h"
#include "search/weigh.h"

#define VAIN 4

void witnesses_spread(const struct witnesses *w, const struct left *l, const double *of_left,
		      double *ret)
{
	memset(ret, 0, w->around.n * sizeof(*ret));
	for (size_t i = 0; i < l->n; i++)
		ret[w->of_left[i]] = of_left ? of_left[i] : 1;
}

/* The left and its descendants. */
static void find_around(const struct left *l, struct witnesses *w)
{
	const struct search_graph *g = &l->graph;
	_cleanup_free_ unsigned char *keep = xcalloc(g->n, 1);
	size_t at = 0;

	for (size_t i = 0; i < l->n; i++)
		keep[l->nodes[i]] = 1;
	for (size_t i = 0; i < g->n; i++)
		for (uint32_t e = g->first[i]; !keep[i] && e < g->first[i + 1]; e++)
			keep[i] = keep[g->parents[e]];
	left_part(g, keep, &w->around);
	w->of_left = xcalloc(l->n, sizeof(*w->of_left));
	for (uint32_t i = 0; at < l->n; i++)
		if (w->around.nodes[i] == l->nodes[at])
			w->of_left[at++] = i;
}

/* Left ancestors of each node. */
static void weigh_around(const struct left *l, struct witnesses *w)
{
	_cleanup_free_ double *own = xcalloc(w->around.n, sizeof(*own));
	_cleanup_free_ double *sums = xcalloc(w->around.n, sizeof(*sums));

	witnesses_spread(w, l, NULL, own);
	weigh_sums(&w->around, own, sums);
	w->around.weight = xcalloc(w->around.n, sizeof(*w->around.weight));
	for (size_t i = 0; i < w->around.n; i++)
		w->around.weight[i] = (uint32_t)sums[i];
}

/* Who has a part of the left below, and is not left, nor known to be new, nor above a strand. */
static void mark_apt(const struct witnesses *w, const struct left *l, unsigned char *apt)
{
	const struct left *a = &w->around;

	for (size_t i = 0; i < a->n; i++)
		apt[i] = a->weight[i] < l->n && !l->entangled[a->nodes[i]];
	for (size_t i = 0; i < l->n; i++)
		apt[w->of_left[i]] = 0;
}

/* Whether enough of them were tried in vain. */
static bool in_vain(const struct left *a, const struct told *told, const unsigned char *apt)
{
	size_t n = 0, failed = 0;

	for (size_t i = 0; i < a->n; i++) {
		n += apt[i];
		failed += apt[i] && told[a->nodes[i]].verdict == VERDICT_SKIP;
	}
	return n && (double)failed >= VAIN * (log2((double)n) + 1);
}

void witnesses_find(const struct left *l, const struct told *told, struct witnesses *ret)
{
	struct left *a = &ret->around;
	_cleanup_free_ unsigned char *apt = NULL;
	_cleanup_free_ uint32_t *presumed = NULL;

	*ret = (struct witnesses){ 0 };
	find_around(l, ret);
	weigh_around(l, ret);
	ret->chance = xcalloc(a->n, sizeof(*ret->chance));
	apt = xcalloc(a->n, 1);
	presumed = xcalloc(a->n, sizeof(*presumed));
	mark_apt(ret, l, apt);
	if (!memchr(apt, 1, a->n) || in_vain(a, told, apt))
		return;
	blocks_presume(a, told, presumed);
	leap_chances(a, told, presumed, ret->chance);
	for (size_t i = 0; i < a->n; i++) {
		if (!apt[i] || presumed[i] || told[a->nodes[i]].verdict != VERDICT_NONE)
			ret->chance[i] = 0;
		ret->n += ret->chance[i] > 0;
	}
}

void witnesses_deinit(struct witnesses *w)
{
	left_deinit(&w->around);
	free(w->of_left);
	free(w->chance);
	*w = (struct witnesses){ 0 };
}

/* What each node's left ancestors count for; @ret: [around.n]. Return: what all of the left does. */
static double masses(const struct witnesses *w, const struct left *l, const double *priors,
		     double *ret)
{
	_cleanup_free_ double *of_left = xcalloc(l->n, sizeof(*of_left));
	_cleanup_free_ double *own = xcalloc(w->around.n, sizeof(*own));
	double all = 0;

	for (size_t i = 0; i < l->n; i++)
		all += of_left[i] = priors ? priors[l->nodes[i]] : 1;
	witnesses_spread(w, l, of_left, own);
	weigh_sums(&w->around, own, ret);
	return all;
}

uint32_t witnesses_pick(const struct witnesses *w, const struct left *l, const double *priors,
			double *behind)
{
	_cleanup_free_ double *mass = xcalloc(w->around.n, sizeof(*mass));
	uint32_t best = LEFT_NONE;
	double most = 0, all;

	if (!w->n)
		return LEFT_NONE;
	all = masses(w, l, priors, mass);
	for (uint32_t i = 0; i < w->around.n; i++) {
		double score = w->chance[i] * pick_bits(fmin(mass[i], all - mass[i]), all);

		if (!(w->chance[i] > 0) || (best != LEFT_NONE && score <= most * (1 + PICK_SAME)))
			continue;
		best = i;
		most = score;
		*behind = mass[i];
	}
	return best;
}

uint32_t witnesses_new(const struct witnesses *w, const struct left *l, const struct told *told)
{
	const struct left *a = &w->around;

	for (size_t i = 0; i < a->n; i++)
		if (a->weight[i] == l->n && told_is_new(&told[a->nodes[i]]))
			return a->nodes[i];
	return a->graph.bad;
}
