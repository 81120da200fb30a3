// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Halving.
 *
 * A trial of a node with weight w leaves w nodes if it is bad and n - w if it is good. If all are equally
 * likely it tells H(w / n) bits, which is most where min(w, n - w) is greatest. If they are not, it is their
 * mass that counts: the best node is the one that splits it most evenly, so a likely culprit is soon
 * cornered. Wrong priors cost steps, never the answer. What an unlikely culprit costs on a strand is
 * log2(all mass / its own) and some trials more: with random masses two or three, with masses that a hill
 * climb made to mislead on small strands four. There is no such constant for all lengths: masses that grow
 * like Fibonacci's numbers are the worst known, where each trial takes but the golden part, 1.44 times that
 * logarithm.
 *
 * The bits count as often as the node is likely to be testable (leap.c). What is presumed to be blocked
 * waits until nothing else is left to try.
 */
#include "search/pick.h"

#include <math.h>

#include "base/str.h"
#include "search/blocks/blocks.h"
#include "search/blocks/leap.h"
#include "search/weigh.h"

bool pick_can(const struct left *l, const struct told *told, uint32_t bad, size_t i)
{
	enum verdict v = told[l->nodes[i]].verdict;

	return l->nodes[i] != bad && v != VERDICT_BAD && v != VERDICT_SKIP;
}

void pick_chances(const struct left *l, const struct told *told, uint32_t bad, double *ret)
{
	_cleanup_free_ uint32_t *presumed = xcalloc(l->n, sizeof(*presumed));
	_cleanup_free_ bool *worth = xcalloc(l->n, sizeof(*worth));
	bool open = false;

	blocks_presume(l, told, presumed);
	leap_chances(l, told, presumed, ret);
	for (size_t i = 0; i < l->n; i++)
		open |= pick_can(l, told, bad, i) && !presumed[i];
	if (!open)
		blocks_worth(l, told, worth);
	for (size_t i = 0; i < l->n; i++)
		if (!pick_can(l, told, bad, i) || (presumed[i] && !worth[i]))
			ret[i] = 0;
}

double pick_bits(double part, double all)
{
	double p = part / all;

	return p > 0 && p < 1 ? -p * log2(p) - (1 - p) * log2(1 - p) : 0;
}

static uint32_t half(const struct left *l, size_t i)
{
	uint32_t rest = (uint32_t)l->n - l->weight[i];

	return l->weight[i] < rest ? l->weight[i] : rest;
}

/* What a verdict on each node would tell, in bits; @ret: [n] */
static void gains(const struct left *l, const double *priors, double *ret)
{
	_cleanup_free_ double *own = NULL;
	double all = 0;

	if (!priors) {
		for (size_t i = 0; i < l->n; i++)
			ret[i] = pick_bits(half(l, i), (double)l->n);
		return;
	}
	own = xcalloc(l->n, sizeof(*own));
	for (size_t i = 0; i < l->n; i++)
		all += own[i] = priors[l->nodes[i]];
	weigh_sums(l, own, ret);
	for (size_t i = 0; i < l->n; i++)
		ret[i] = pick_bits(fmin(ret[i], all - ret[i]), all);
}

uint32_t pick(const struct left *l, const struct told *told, const double *priors, uint32_t bad)
{
	_cleanup_free_ double *gain = xcalloc(l->n, sizeof(*gain));
	_cleanup_free_ double *chance = xcalloc(l->n, sizeof(*chance));
	uint32_t best = LEFT_NONE;
	double most = 0;

	gains(l, priors, gain);
	pick_chances(l, told, bad, chance);
	for (uint32_t i = 0; i < l->n; i++) {
		double score = gain[i] * chance[i];
		double same = PICK_SAME * most;

		if (!(chance[i] > 0) || (best != LEFT_NONE && score < most - same))
			continue;
		if (best != LEFT_NONE && score <= most + same && half(l, i) <= half(l, best))
			continue;
		best = i;
		most = score;
	}
	return best;
}
