// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trials that may lie: what is believed of each node, and which trial tells most.
 *
 * Let c be the answer, t a node that is tried, P the chance that the trial of a bad node finds nothing. A
 * bad verdict is never chance. With the nodes c that are ancestors of t on one side and all others on
 * the other, a verdict is as likely as
 *
 *	a regression is searched: t is bad if c is an ancestor of t
 *				c an ancestor of t	c another one
 *		t found bad	1 - P			0
 *		t found good	P			1
 *
 *	a fix is searched: t is good if c is an ancestor of t
 *		t found good	1			P
 *		t found bad	0			1 - P
 *
 * So one of the two verdicts is certain and cuts nodes off, as in a search whose trials do not lie: new
 * for a regression, old for a fix. The other one, the soft one, multiplies with P what is on the side it
 * speaks against. Only ratios matter, so a node's likelihood is P to the number of soft verdicts against
 * it, and those are counted as whole numbers: nothing gets lost in thousands of trials. A node that is
 * tried again is one more trial of the same kind.
 *
 * With mass q on the nodes whose trial would find bad, the trial is expected to tell
 *
 *	H(q (1 - P)) - q H(P)	bits, H(x) = -x log2(x) - (1 - x) log2(1 - x)
 *
 * and the node with the most is tried. At P = 0.1 that is at most 0.763 bit, the capacity of a Z-channel,
 * got where q is 0.44: a little less than half, for a bad one might not show. No search can do with fewer
 * than log2(n) / 0.763 trials on average and a few to be sure; on strands and merges the greatest
 * gain comes near.
 *
 * The search ends when one node has the confidence asked for. The priors do not count for that: they say
 * where to look first, but what ends the search is what the trials alone would make believe. Where
 * the priors already are content with one node, it is the trials alone that choose the next one as well.
 *
 * A skip is never innocence: the node keeps its mass and merely cannot be tried. Two nodes that no node to
 * be tried tells apart (it has both as ancestors or none) keep their ratio for ever. So when all of
 * those that belong to the likeliest one have the confidence together, and it has not alone, more trials
 * are in vain. Then nodes that are not left are asked as well, if they tell some of these apart
 * (blocks/witness.c): each is one more node to try, without a mass of its own. If that does not help either,
 * the fewest nodes with the confidence are the answer.
 *
 * Verdicts can be beyond doubt: when misses alone would be so rare that one history in a hundred not being
 * monotone explains them better, with the confidence asked for. Without this a good descendant of a bad
 * commit would be a miss for ever, however often it is tried.
 */
#include "search/belief/belief.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "search/blocks/blocks.h"
#include "search/blocks/leap.h"
#include "search/weigh.h"

/* Histories that are not monotone: came, went and came again. */
#define TURNING 0.01

/* Nodes are looked at as many at a time as a word has bits. */
#define BATCH 64

static uint32_t certain_count(const struct told *t, const struct search_rules *r)
{
	return r->find == SEARCH_FIX ? t->n_old : t->n_new;
}

static uint32_t soft_count(const struct told *t, const struct search_rules *r)
{
	return r->find == SEARCH_FIX ? t->n_new : t->n_old;
}

void belief_settle(const struct told *told, size_t n, const struct search_rules *rules,
		   struct told *ret)
{
	bool fix = rules->find == SEARCH_FIX;
	double doubt = log((1 - rules->confidence) * TURNING) / log(rules->flaky);

	for (size_t i = 0; i < n; i++) {
		const struct told *t = &told[i];

		ret[i] = *t;
		if (certain_count(t, rules))
			ret[i].verdict = fix ? VERDICT_GOOD : VERDICT_BAD;
		else if (soft_count(t, rules) && soft_count(t, rules) >= doubt)
			ret[i].verdict = fix ? VERDICT_BAD : VERDICT_GOOD;
		else if (t->verdict != VERDICT_SKIP)
			ret[i].verdict = VERDICT_NONE;
	}
}

/* Adds the soft verdicts of @n nodes to all their left ancestors. */
static void count_batch(const struct search_graph *g, const struct left *l, const uint32_t *nodes,
			const uint32_t *counts, size_t n, uint64_t *ret)
{
	_cleanup_free_ uint64_t *above = xcalloc(g->n, sizeof(*above));

	for (size_t b = 0; b < n; b++)
		above[nodes[b]] |= UINT64_C(1) << b;
	for (size_t i = g->n; i-- > 0;)
		for (uint32_t e = g->first[i]; above[i] && e < g->first[i + 1]; e++)
			above[g->parents[e]] |= above[i];
	for (size_t i = 0; i < l->n; i++)
		for (uint64_t bits = above[l->nodes[i]]; bits; bits &= bits - 1)
			ret[i] += counts[__builtin_ctzll(bits)];
}

/* How often each left node's descendants, itself included, got a soft verdict. */
static void count_soft(const struct search_graph *g, const struct told *told, const struct left *l,
		       const struct search_rules *r, uint64_t *ret)
{
	uint32_t nodes[BATCH], counts[BATCH];
	size_t n = 0;

	memset(ret, 0, l->n * sizeof(*ret));
	for (uint32_t i = 0; i < g->n; i++) {
		uint32_t count = soft_count(&told[i], r);

		if (!count || (r->find == SEARCH_FIX && l->before[i]))
			continue;
		nodes[n] = i;
		counts[n++] = count;
		if (n < BATCH)
			continue;
		count_batch(g, l, nodes, counts, n, ret);
		n = 0;
	}
	if (n)
		count_batch(g, l, nodes, counts, n, ret);
}

static void normalise(double *mass, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += mass[i];
	for (size_t i = 0; i < n; i++)
		mass[i] /= sum;
}

void belief_init(struct belief *b, const struct search_graph *graph, const struct told *told,
		 const struct left *l, const struct search_rules *rules)
{
	_cleanup_free_ uint64_t *soft = xcalloc(l->n, sizeof(*soft));
	bool fix = rules->find == SEARCH_FIX;
	uint64_t least = UINT64_MAX, most = 0;

	*b = (struct belief){ 0 };
	b->mass = xcalloc(l->n, sizeof(*b->mass));
	b->proof = xcalloc(l->n, sizeof(*b->proof));
	count_soft(graph, told, l, rules, soft);
	for (size_t i = 0; i < l->n; i++) {
		least = soft[i] < least ? soft[i] : least;
		most = soft[i] > most ? soft[i] : most;
	}
	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t against = fix ? most - soft[i] : soft[i] - least;

		b->proof[i] = exp((double)against * log(rules->flaky));
		b->mass[i] = b->proof[i] * (graph->priors ? graph->priors[l->nodes[i]] : 1);
		if (b->proof[i] > b->proof[b->best])
			b->best = i;
	}
	normalise(b->proof, l->n);
	normalise(b->mass, l->n);
}

void belief_deinit(struct belief *b)
{
	free(b->mass);
	free(b->proof);
	*b = (struct belief){ 0 };
}

static double entropy(double x)
{
	return x <= 0 || x >= 1 ? 0 : -x * log2(x) - (1 - x) * log1p(-x) / M_LN2;
}

/* Bits that the trial of a node tells, if it is new with chance @q. */
static double gain(double q, const struct search_rules *r)
{
	double bad = r->find == SEARCH_FIX ? 1 - q : q;

	return entropy(bad * (1 - r->flaky)) - bad * entropy(r->flaky);
}

/* Of @b's best node the descendants that can be tried and have no such descendant below them. */
static size_t lowest_above(const struct left *l, const unsigned char *above,
			   const unsigned char *can, uint32_t *ret)
{
	_cleanup_free_ unsigned char *done = xcalloc(l->n, 1);
	size_t n = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		for (uint32_t e = l->first[i]; !done[i] && e < l->first[i + 1]; e++)
			done[i] = done[l->parents[e]];
		if (done[i] || !above[i] || !can[i])
			continue;
		done[i] = 1;
		ret[n++] = i;
	}
	return n;
}

/* Forgets what is not an ancestor of all @n nodes. */
static void keep_common(const struct left *l, const uint32_t *nodes, size_t n, unsigned char *keep)
{
	_cleanup_free_ uint64_t *above = xcalloc(l->n, sizeof(*above));
	uint64_t all = n < BATCH ? (UINT64_C(1) << n) - 1 : UINT64_MAX;

	for (size_t b = 0; b < n; b++)
		above[nodes[b]] |= UINT64_C(1) << b;
	for (size_t i = l->n; i-- > 0;) {
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
			above[l->parents[e]] |= above[i];
		keep[i] = keep[i] && above[i] == all;
	}
}

/*
 * What the best node and those have together that no trial tells apart from it: they have the same
 * descendants among the nodes that can be tried.
 */
static double inseparable(const struct belief *b, const struct left *l, const unsigned char *can)
{
	_cleanup_free_ unsigned char *above = xcalloc(l->n, 1);
	_cleanup_free_ unsigned char *apart = xcalloc(l->n, 1);
	_cleanup_free_ unsigned char *keep = xcalloc(l->n, 1);
	_cleanup_free_ uint32_t *lowest = xcalloc(l->n, sizeof(*lowest));
	double sum = 0;
	size_t n;

	above[b->best] = 1;
	for (size_t i = 0; i < l->n; i++)
		for (uint32_t e = l->first[i]; !above[i] && e < l->first[i + 1]; e++)
			above[i] = above[l->parents[e]];
	for (size_t i = l->n; i-- > 0;) {
		apart[i] = apart[i] || (can[i] && !above[i]);
		for (uint32_t e = l->first[i]; apart[i] && e < l->first[i + 1]; e++)
			apart[l->parents[e]] = 1;
		keep[i] = !apart[i];
	}
	n = lowest_above(l, above, can, lowest);
	for (size_t at = 0; at < n; at += BATCH)
		keep_common(l, lowest + at, n - at < BATCH ? n - at : BATCH, keep);
	for (size_t i = 0; i < l->n; i++)
		sum += keep[i] ? b->proof[i] : 0;
	return sum;
}

bool belief_is_enough(double sum, const struct search_rules *r)
{
	return sum >= r->confidence - 1e-9;
}

/*
 * Of the nodes that can be tried the one that tells most, times its chance to tell anything. A node is no
 * better by a rounding error.
 */
static uint32_t most_telling(const struct left *l, const double *q, const double *chances,
			     const unsigned char *can, const struct search_rules *r, double *bits)
{
	uint32_t best = LEFT_NONE;

	*bits = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		double tells = can[i] ? gain(q[i], r) * chances[i] : 0;

		if (tells <= *bits * (1 + 1e-9))
			continue;
		*bits = tells;
		best = i;
	}
	return best;
}

/* How likely a trial gives a verdict, and which blocker hides it; a node that gave one gives one again. */
static void foresee(const struct left *l, const struct told *settled, uint32_t *presumed,
		    double *chances)
{
	blocks_presume(l, settled, presumed);
	leap_chances(l, settled, presumed, chances);
	for (size_t i = 0; i < l->n; i++) {
		const struct told *t = &settled[l->nodes[i]];

		if (t->verdict != VERDICT_NONE || !(t->n_old || t->n_new))
			continue;
		presumed[i] = 0;
		chances[i] = 1;
	}
}

uint32_t belief_pick(const struct belief *b, const struct told *settled, const struct left *l,
		     const bool *apt, const struct search_rules *rules, double *bits)
{
	_cleanup_free_ unsigned char *can = xcalloc(l->n, 1);
	_cleanup_free_ uint32_t *presumed = xcalloc(l->n, sizeof(*presumed));
	_cleanup_free_ bool *worth = xcalloc(l->n, sizeof(*worth));
	_cleanup_free_ double *q = xcalloc(l->n, sizeof(*q));
	_cleanup_free_ double *chances = xcalloc(l->n, sizeof(*chances));
	const double *mass = b->mass;
	uint32_t best = LEFT_NONE;

	for (size_t i = 0; i < l->n; i++)
		if (belief_is_enough(b->mass[i], rules))
			mass = b->proof;
	weigh_sums(l, mass, q);
	foresee(l, settled, presumed, chances);
	/* What is taken to be blocked is tried last, as far as it is worth it. */
	for (int blocked = 0; blocked <= 1 && best == LEFT_NONE; blocked++) {
		if (blocked)
			blocks_worth(l, settled, worth);
		for (size_t i = 0; i < l->n; i++)
			can[i] = settled[l->nodes[i]].verdict == VERDICT_NONE &&
				 l->nodes[i] != l->graph.bad && (!apt || apt[i]) &&
				 (!presumed[i] || worth[i]);
		if (!belief_is_enough(inseparable(b, l, can), rules))
			best = most_telling(l, q, chances, can, rules, bits);
	}
	return best;
}

struct ranked {
	double proof;
	uint32_t node;
};

static int compare_ranks(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (x->proof != y->proof)
		return x->proof < y->proof ? 1 : -1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static int compare_nodes(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

size_t belief_set(const struct belief *b, const struct left *l, const struct search_rules *rules,
		  uint32_t *ret)
{
	_cleanup_free_ struct ranked *ranks = xcalloc(l->n, sizeof(*ranks));
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		ranks[i] = (struct ranked){ .proof = b->proof[i], .node = l->nodes[i] };
	qsort(ranks, l->n, sizeof(*ranks), compare_ranks);
	while (n < l->n && !belief_is_enough(sum, rules)) {
		sum += ranks[n].proof;
		ret[n] = ranks[n].node;
		n++;
	}
	qsort(ret, n, sizeof(*ret), compare_nodes);
	return n;
}

/* What one node with the confidence and its rivals with the rest are uncertain about at the end. */
unsigned int belief_steps(const struct belief *b, const struct left *l,
			  const struct search_rules *rules, double bits)
{
	double wanted = -entropy(rules->confidence);

	for (size_t i = 0; i < l->n; i++)
		wanted -= b->mass[i] > 0 ? b->mass[i] * log2(b->mass[i]) : 0;
	return wanted > bits ? (unsigned int)ceil(wanted / bits - 0.01) : 1;
}
