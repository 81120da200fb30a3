// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Halving, and leaping away from what cannot be tried.
 *
 * A trial of a node with weight w leaves w nodes if it is bad and n - w if it is good, so the best node has
 * the greatest min(w, n - w).
 *
 * Nodes that cannot be tried come in stretches: a build breaks, and some commits later it is mended. Next to
 * a skipped node there is probably another one, so a search that always takes the best node not skipped
 * yet walks a stretch node by node. How far the stretch reaches is not known, so each node is given a
 * chance of being testable, and the one with the greatest min(w, n - w) times its chance is taken:
 *
 * - outside, at distance d from the nearest of k separate skips: d / (d + k). On a strand of n nodes this
 *   leaps about sqrt(n * k / 2) away, a little farther after each failure, to both sides in turn. Once the
 *   stretch is passed, the leap has cost a small part of the halving. Neighbouring skips count as one: a
 *   stretch that is known already says nothing about what lies beyond it.
 * - between two skips, a above the one and b below the other: a * b / (a * b + k * GAP). For it to be
 *   testable one stretch must have ended there and another begun, which two skips that are near each
 *   other make unlikely. So both edges of a stretch are settled before its inside is tried.
 *
 * git's bisect.c (skip_away) leaves it to a pseudo-random number instead; here it is the same leap on
 * every machine, and short where few nodes are left.
 */
#include "search/pick.h"

#include <math.h>

#include "base/str.h"
#include "search/weigh.h"

/* More separate skips than this are no stretch but the way this history is. */
#define MAX_SKIPS 16

/* Room for chances as small as 1 / GAP under a half of any size. */
#define SCORE_BITS 30

/* Stretches of some ten nodes, some hundred nodes apart. */
#define GAP 1024

/* Undirected neighbours: parents are at hand, children are turned around. */
struct neighbours {
	uint32_t *first; /* [n+1] */
	uint32_t *items;
};

static void neighbours_init(struct neighbours *nb, const struct left *l)
{
	_cleanup_free_ uint32_t *fill = xcalloc(l->n + 1, sizeof(*fill));

	nb->first = xcalloc(l->n + 1, sizeof(*nb->first));
	nb->items = xcalloc(2 * (size_t)l->first[l->n], sizeof(*nb->items));
	for (size_t i = 0; i < l->n; i++) {
		nb->first[i + 1] += l->first[i + 1] - l->first[i];
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
			nb->first[l->parents[e] + 1]++;
	}
	for (size_t i = 0; i < l->n; i++)
		nb->first[i + 1] += nb->first[i];
	for (size_t i = 0; i < l->n; i++)
		fill[i] = nb->first[i];
	for (uint32_t i = 0; i < l->n; i++) {
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++) {
			nb->items[fill[i]++] = l->parents[e];
			nb->items[fill[l->parents[e]]++] = i;
		}
	}
}

static void neighbours_deinit(struct neighbours *nb)
{
	free(nb->first);
	free(nb->items);
}

struct flood {
	uint32_t *distance; /* [n] to the nearest skipped node; n if there is none in reach */
	uint32_t *queue;    /* [n] */
	uint32_t skips;	    /* separate ones */
};

/* All nodes of @start's stretch of skipped nodes get distance 0 and into the queue. */
static size_t flood_stretch(struct flood *f, const struct neighbours *nb, const struct left *l,
			    const struct told *told, uint32_t start, size_t end)
{
	size_t at = end;

	f->distance[start] = 0;
	f->queue[end++] = start;
	for (; at < end; at++) {
		uint32_t i = f->queue[at];

		for (uint32_t e = nb->first[i]; e < nb->first[i + 1]; e++) {
			uint32_t j = nb->items[e];

			if (f->distance[j] && told[l->nodes[j]].verdict == VERDICT_SKIP) {
				f->distance[j] = 0;
				f->queue[end++] = j;
			}
		}
	}
	return end;
}

static void flood_from_skips(struct flood *f, const struct left *l, const struct told *told)
{
	__attribute__((cleanup(neighbours_deinit))) struct neighbours nb = { 0 };
	size_t end = 0;

	neighbours_init(&nb, l);
	for (uint32_t i = 0; i < l->n; i++)
		f->distance[i] = (uint32_t)l->n;
	for (uint32_t i = 0; i < l->n; i++) {
		if (told[l->nodes[i]].verdict != VERDICT_SKIP || !f->distance[i])
			continue;
		end = flood_stretch(f, &nb, l, told, i, end);
		f->skips++;
	}
	for (size_t at = 0; at < end; at++) {
		uint32_t i = f->queue[at];

		for (uint32_t e = nb.first[i]; e < nb.first[i + 1]; e++) {
			uint32_t j = nb.items[e];

			if (f->distance[j] != l->n)
				continue;
			f->distance[j] = f->distance[i] + 1;
			f->queue[end++] = j;
		}
	}
	if (f->skips > MAX_SKIPS)
		f->skips = MAX_SKIPS;
}

/*
 * Distances to the nearest skipped ancestor and descendant; 0 where there is none.
 * @up, @down: [n]
 */
static void distances(const struct left *l, const struct told *told, uint32_t *down, uint32_t *up)
{
	for (size_t i = 0; i < l->n; i++)
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++) {
			uint32_t p = l->parents[e];
			bool skipped = told[l->nodes[p]].verdict == VERDICT_SKIP;
			uint32_t d = skipped ? 1 : down[p] ? down[p] + 1 : 0;

			if (d && (!down[i] || d < down[i]))
				down[i] = d;
		}
	for (size_t i = l->n; i-- > 0;)
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++) {
			uint32_t p = l->parents[e];
			bool skipped = told[l->nodes[i]].verdict == VERDICT_SKIP;
			uint32_t d = skipped ? 1 : up[i] ? up[i] + 1 : 0;

			if (d && (!up[p] || d < up[p]))
				up[p] = d;
		}
}

bool pick_can(const struct left *l, const struct told *told, uint32_t bad, size_t i)
{
	enum verdict v = told[l->nodes[i]].verdict;

	return l->nodes[i] != bad && v != VERDICT_BAD && v != VERDICT_SKIP;
}

/* What the likelier outcome of each node's trial leaves out: nodes, or as many millionths of the mass. */
static uint64_t *halves_of(const struct left *l, const double *priors)
{
	uint64_t *ret = xcalloc(l->n, sizeof(*ret));
	_cleanup_free_ double *own = NULL;
	_cleanup_free_ double *mass = NULL;
	double total = 0;

	for (size_t i = 0; i < l->n; i++)
		ret[i] = l->weight[i] < l->n - l->weight[i] ? l->weight[i] : l->n - l->weight[i];
	if (!priors)
		return ret;
	own = xcalloc(l->n, sizeof(*own));
	mass = xcalloc(l->n, sizeof(*mass));
	for (size_t i = 0; i < l->n; i++)
		total += own[i] = priors[l->nodes[i]];
	weigh_sums(l, own, mass);
	for (size_t i = 0; i < l->n; i++)
		ret[i] = (uint64_t)(1e6 * fmin(mass[i], total - mass[i]) / total);
	return ret;
}

uint32_t pick(const struct left *l, const struct told *told, const double *priors, uint32_t bad)
{
	_cleanup_free_ uint32_t *distance = xcalloc(l->n, sizeof(*distance));
	_cleanup_free_ uint32_t *queue = xcalloc(l->n, sizeof(*queue));
	_cleanup_free_ uint32_t *down = xcalloc(l->n, sizeof(*down));
	_cleanup_free_ uint32_t *up = xcalloc(l->n, sizeof(*up));
	_cleanup_free_ uint64_t *halves = halves_of(l, priors);
	struct flood f = { .distance = distance, .queue = queue };
	uint32_t best = LEFT_NONE;
	uint64_t best_score = 0;

	flood_from_skips(&f, l, told);
	distances(l, told, down, up);
	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t half = halves[i];
		uint64_t inside = (uint64_t)down[i] * up[i];
		uint64_t score = half << SCORE_BITS;

		if (!pick_can(l, told, bad, i))
			continue;
		if (inside)
			score = score / (inside + (uint64_t)GAP * f.skips) * inside;
		else
			score = score / (distance[i] + f.skips) * distance[i];
		score++; /* so that a node that splits nothing off can still be the last one */
		if (score <= best_score)
			continue;
		best = i;
		best_score = score;
	}
	return best;
}
