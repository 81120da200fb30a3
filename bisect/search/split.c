// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several trials at once.
 *
 * The verdicts on k nodes sort what is left into classes: nodes that are ancestors of the same ones of the k.
 * If one of them is the first bad one, its class is what is left afterwards; so of n nodes the sum of
 * |class|^2 / n are expected to be left, and that is to be small. On a strand equal parts are best. On other
 * graphs the best k are not known without trying them all, so two good starts are improved: the nodes whose
 * weights are nearest to equal parts, and those that a greedy choice gives one after the other. One node at a
 * time is replaced by the best one in its place, until none is better.
 *
 * The best one in a place is found for all nodes at once: what of each class lies below a node is a sum over
 * its ancestors, for which weigh_many() takes many classes in one walk.
 */
#include "search/split.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "search/pick.h"
#include "search/weigh.h"

/* Tests of one cut, as many as a pattern has bits. */
#define MOST 64

/* Classes summed up in one walk: few walks, and little memory. */
#define KINDS 16

#define ROUNDS 8

/* Relative; sums of masses are not exact. */
#define SAME 1e-9

struct cut {
	const struct left *l;
	const double *own;    /* [n] mass of each node; all of them is 1 */
	const double *chance; /* [n] of a verdict; 0: not to be tried */
	uint64_t *patterns;   /* [n] bit j: an ancestor of tests[j] */
	uint32_t tests[MOST];
	size_t n;
};

static bool among(const struct cut *c, uint32_t i)
{
	for (size_t j = 0; j < c->n; j++)
		if (c->tests[j] == i)
			return true;
	return false;
}

static void put(struct cut *c, size_t j, uint32_t node)
{
	uint64_t bit = UINT64_C(1) << j;

	c->tests[j] = node;
	for (size_t i = 0; i < c->l->n; i++)
		c->patterns[i] &= ~bit;
	c->patterns[node] |= bit;
	for (size_t i = (size_t)node + 1; i-- > 0;)
		for (uint32_t e = c->l->first[i]; (c->patterns[i] & bit) && e < c->l->first[i + 1];
		     e++)
			c->patterns[c->l->parents[e]] |= bit;
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Numbers the classes that the tests but those of @without make; @kind: [n]. Return: how many. */
static size_t classes(const struct cut *c, uint64_t without, uint32_t *kind)
{
	_cleanup_free_ uint64_t *all = xcalloc(c->l->n, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < c->l->n; i++)
		all[i] = c->patterns[i] & ~without;
	qsort(all, c->l->n, sizeof(*all), compare);
	for (size_t i = 0; i < c->l->n; i++)
		if (!n || all[n - 1] != all[i])
			all[n++] = all[i];
	for (size_t i = 0; i < c->l->n; i++) {
		uint64_t key = c->patterns[i] & ~without;
		const uint64_t *at = bsearch(&key, all, n, sizeof(*all), compare);

		kind[i] = (uint32_t)(at - all);
	}
	return n;
}

/* Adds to each node's @left what is expected to be left of the classes start..start+k if it is tested. */
static void expect_kinds(const struct cut *c, const uint32_t *kind, size_t start, size_t k,
			 const double *total, double *left)
{
	size_t n = c->l->n;
	_cleanup_free_ double *own = xcalloc(n * k, sizeof(*own));
	_cleanup_free_ double *below = xcalloc(n * k, sizeof(*below));

	for (size_t i = 0; i < n; i++)
		if (kind[i] >= start && kind[i] < start + k)
			own[i * k + kind[i] - start] = c->own[i];
	weigh_many(c->l, own, k, below);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < k; j++) {
			double part = below[i * k + j], rest = total[start + j] - part;

			left[i] += part * part + rest * rest;
		}
}

/*
 * What is expected to be left if each node is tested besides the tests but those of @without, with its
 * chance that it is not tested at all; @ret: [n].
 */
static void expect(const struct cut *c, uint64_t without, double *ret)
{
	size_t n = c->l->n, n_kinds;
	_cleanup_free_ uint32_t *kind = xcalloc(n, sizeof(*kind));
	_cleanup_free_ double *total = NULL;
	double base = 0;

	n_kinds = classes(c, without, kind);
	total = xcalloc(n_kinds, sizeof(*total));
	for (size_t i = 0; i < n; i++) {
		total[kind[i]] += c->own[i];
		ret[i] = 0;
	}
	for (size_t at = 0; at < n_kinds; at += KINDS)
		expect_kinds(c, kind, at, n_kinds - at < KINDS ? n_kinds - at : KINDS, total, ret);
	for (size_t j = 0; j < n_kinds; j++)
		base += total[j] * total[j];
	for (size_t i = 0; i < n; i++)
		ret[i] = base - c->chance[i] * (base - ret[i]);
}

static uint32_t best_of(const struct cut *c, const double *left)
{
	uint32_t best = LEFT_NONE;

	for (uint32_t i = 0; i < c->l->n; i++)
		if (c->chance[i] > 0 && (best == LEFT_NONE || left[i] < left[best]) && !among(c, i))
			best = i;
	return best;
}

/* Adds tests one by one, each the best besides those before it. */
static void fill_greedily(struct cut *c, size_t k)
{
	_cleanup_free_ double *left = xcalloc(c->l->n, sizeof(*left));

	while (c->n < k) {
		uint32_t best;

		expect(c, 0, left);
		best = best_of(c, left);
		if (best == LEFT_NONE)
			return;
		put(c, c->n++, best);
	}
}

/* The nodes that have the nearest to 1, 2, ... of k + 1 equal parts of all mass below them. */
static void fill_evenly(struct cut *c, size_t k)
{
	_cleanup_free_ double *below = xcalloc(c->l->n, sizeof(*below));

	weigh_sums(c->l, c->own, below);
	for (size_t j = 1; j <= k; j++) {
		double want = (double)j / (double)(k + 1);
		uint32_t best = LEFT_NONE;

		for (uint32_t i = 0; i < c->l->n; i++)
			if (c->chance[i] > 0 && !among(c, i) &&
			    (best == LEFT_NONE || fabs(below[i] - want) < fabs(below[best] - want)))
				best = i;
		if (best == LEFT_NONE)
			return;
		put(c, c->n++, best);
	}
}

/* Return: what is expected to be left if one test, any of them, may fail. */
static double improve(struct cut *c)
{
	_cleanup_free_ double *left = xcalloc(c->l->n, sizeof(*left));
	bool better = c->n > 0;
	double sum = 0;

	for (int round = 0; better && round < ROUNDS; round++) {
		better = false;
		sum = 0;
		for (size_t j = 0; j < c->n; j++) {
			uint32_t best;

			expect(c, UINT64_C(1) << j, left);
			best = best_of(c, left);
			if (best != LEFT_NONE && left[best] < left[c->tests[j]] * (1 - SAME)) {
				put(c, j, best);
				better = true;
			}
			sum += left[c->tests[j]];
		}
	}
	return sum / (double)c->n;
}

/* Hands out the tests, the best single one first. */
static size_t hand_out(struct cut *c, uint32_t *ret)
{
	_cleanup_free_ double *left = xcalloc(c->l->n, sizeof(*left));
	size_t n = c->n;

	memcpy(ret, c->tests, n * sizeof(*ret));
	memset(c->patterns, 0, c->l->n * sizeof(*c->patterns));
	expect(c, 0, left);
	for (size_t i = 1; i < n; i++)
		for (size_t j = i; j > 0 && left[ret[j]] < left[ret[j - 1]]; j--) {
			uint32_t other = ret[j];

			ret[j] = ret[j - 1];
			ret[j - 1] = other;
		}
	return n;
}

size_t split_many(const struct left *l, const double *own, const double *chance, size_t k,
		  uint32_t *ret)
{
	_cleanup_free_ uint64_t *pa = xcalloc(l->n, sizeof(*pa));
	_cleanup_free_ uint64_t *pb = xcalloc(l->n, sizeof(*pb));
	struct cut a = { .l = l, .own = own, .chance = chance, .patterns = pa };
	struct cut b = { .l = l, .own = own, .chance = chance, .patterns = pb };

	k = k < MOST ? k : MOST;
	fill_evenly(&a, k);
	fill_greedily(&b, k);
	return hand_out(improve(&b) < improve(&a) * (1 - SAME) ? &b : &a, ret);
}

size_t split(const struct left *l, const struct told *told, const double *priors, uint32_t bad,
	     size_t k, uint32_t *ret)
{
	_cleanup_free_ double *chance = xcalloc(l->n, sizeof(*chance));
	_cleanup_free_ double *own = xcalloc(l->n, sizeof(*own));
	uint32_t best = k ? pick(l, told, priors, bad) : LEFT_NONE;
	double all = 0;

	if (best == LEFT_NONE)
		return 0;
	ret[0] = best;
	if (k == 1 || l->weight[best] == l->n)
		return 1;
	pick_chances(l, told, bad, chance);
	for (size_t i = 0; i < l->n; i++) {
		all += own[i] = priors ? priors[l->nodes[i]] : 1;
		if (l->weight[i] == l->n) /* tells nothing */
			chance[i] = 0;
	}
	for (size_t i = 0; i < l->n; i++)
		own[i] /= all;
	return split_many(l, own, chance, k, ret);
}

struct member {
	uint64_t pattern;
	double mass;
};

static int by_pattern(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	return x->pattern < y->pattern ? -1 : x->pattern > y->pattern;
}

void split_masses(const struct search_graph *g, const struct left *l, const double *own,
		  const uint32_t *nodes, size_t n, double *ret)
{
	_cleanup_free_ uint64_t *below = xcalloc(g->n, sizeof(*below));
	_cleanup_free_ struct member *all = xcalloc(l->n, sizeof(*all));
	size_t kinds = 0;

	for (size_t j = 0; j < n; j++)
		below[nodes[j]] |= UINT64_C(1) << j;
	for (size_t i = g->n; i-- > 0;)
		for (uint32_t e = g->first[i]; below[i] && e < g->first[i + 1]; e++)
			below[g->parents[e]] |= below[i];
	for (size_t i = 0; i < l->n; i++)
		all[i] = (struct member){ below[l->nodes[i]], own[i] };
	qsort(all, l->n, sizeof(*all), by_pattern);
	for (size_t i = 0; i < l->n; i++) {
		kinds += i && all[i].pattern != all[i - 1].pattern;
		ret[kinds] += all[i].mass;
	}
}
