// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals of one blocker: a build breaks in one commit and is mended in a later one, and all between
 * fail with the same error. Two failures with one error are enough to presume it of what lies between. Where
 * they lie makes no difference: a failure is evidence also when its own node is not left any more. Only a
 * verdict in between ends an interval.
 *
 * A presumption can be wrong: the error came twice, or one commit amid others could be built. So before an
 * interval of s nodes is given up, it is halved and its parts are, until no gap between failures is longer
 * than 2 * s / B, B = log2(s) + 1. Each part that was halved was longer than that, so no more than B
 * trials are spent on a strand; where branches run side by side, no more than SPEND * B failures are
 * spent on an interval, its edges included. What is not tried after that stays in the set that is named.
 */
#include "search/blocks/blocks.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

/* Blockers are looked at as many at a time as a word has bits. */
#define BATCH 64

#define SPEND 4

#define NONE UINT32_MAX

static uint32_t blocker_of(const struct told *t)
{
	return t->verdict == VERDICT_SKIP ? t->blocker : 0;
}

/* Once at least, where trials may lie. */
static bool gave_verdict(const struct told *t)
{
	return t->verdict != VERDICT_SKIP && (t->verdict != VERDICT_NONE || t->n_old || t->n_new);
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Sorts out what occurs twice, and 0; Return: how many stay. */
static size_t distinct(uint32_t *items, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(items, n, sizeof(*items), compare);
	for (size_t i = 0; i < n; i++)
		if (items[i] && (!kept || items[kept - 1] != items[i]))
			items[kept++] = items[i];
	return kept;
}

/* Bit of a node's own blocker in a batch, or 0. */
static uint64_t own_bit(const struct told *t, const uint32_t *batch, size_t n)
{
	uint32_t own = blocker_of(t);
	const uint32_t *at = own ? bsearch(&own, batch, n, sizeof(*batch), compare) : NULL;

	return at ? UINT64_C(1) << (at - batch) : 0;
}

static void presume_batch(const struct search_graph *g, const struct told *told,
			  const uint32_t *batch, size_t n, uint32_t *ret)
{
	_cleanup_free_ uint64_t *below = xcalloc(g->n, sizeof(*below));
	_cleanup_free_ uint64_t *above = xcalloc(g->n, sizeof(*above));

	for (size_t i = 0; i < g->n; i++) {
		if (gave_verdict(&told[i]))
			continue;
		below[i] = own_bit(&told[i], batch, n);
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
			below[i] |= below[g->parents[e]];
	}
	for (size_t i = g->n; i-- > 0;) {
		if (gave_verdict(&told[i]))
			continue;
		above[i] |= own_bit(&told[i], batch, n);
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
			above[g->parents[e]] |= above[i];
		if (!ret[i] && (below[i] & above[i]))
			ret[i] = batch[__builtin_ctzll(below[i] & above[i])];
	}
}

/* The blocker of each node of the whole graph, [g->n]; NULL if none was told. */
static uint32_t *presume(const struct search_graph *g, const struct told *told)
{
	_cleanup_free_ uint32_t *all = xcalloc(g->n, sizeof(*all));
	_cleanup_free_ uint32_t *ret = NULL;
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		if (blocker_of(&told[i]))
			all[n++] = blocker_of(&told[i]);
	if (!n)
		return NULL;
	n = distinct(all, n);
	ret = xcalloc(g->n, sizeof(*ret));
	for (size_t i = 0; i < g->n; i++)
		ret[i] = blocker_of(&told[i]);
	for (size_t at = 0; at < n; at += BATCH)
		presume_batch(g, told, all + at, n - at < BATCH ? n - at : BATCH, ret);
	return take_ptr(ret);
}

void blocks_presume(const struct left *l, const struct told *told, uint32_t *ret)
{
	_cleanup_free_ uint32_t *presumed = presume(&l->graph, told);

	for (size_t i = 0; i < l->n; i++)
		ret[i] = presumed ? presumed[l->nodes[i]] : 0;
}

/* What is left of the interval of one blocker. */
struct interval {
	size_t size; /* nodes, told or presumed */
	size_t told;
};

/* [n] of the blockers all[0..n), which are in order; @presumed: [l->n] */
static struct interval *intervals(const struct left *l, const struct told *told,
				  const uint32_t *presumed, const uint32_t *all, size_t n)
{
	struct interval *ret = xcalloc(n, sizeof(*ret));

	for (size_t i = 0; i < l->n; i++) {
		const uint32_t *at =
			presumed[i] ? bsearch(&presumed[i], all, n, sizeof(*all), compare) : NULL;

		if (!at)
			continue;
		ret[at - all].size++;
		ret[at - all].told += blocker_of(&told[l->nodes[i]]) != 0;
	}
	return ret;
}

/*
 * How many nodes in a row are merely presumed, where each of them lies; 0: where one was told.
 * Along the shortest way down and up within the interval, left or not. @presumed, @ret: [g->n]
 */
static void gaps(const struct search_graph *g, const struct told *told, const uint32_t *presumed,
		 uint32_t *ret)
{
	_cleanup_free_ uint32_t *up = xcalloc(g->n, sizeof(*up));
	_cleanup_free_ uint32_t *down = xcalloc(g->n, sizeof(*down));

	memset(up, 0xff, g->n * sizeof(*up));
	memset(down, 0xff, g->n * sizeof(*down));
	for (size_t i = 0; i < g->n; i++) {
		if (blocker_of(&told[i]))
			down[i] = 0;
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
			uint32_t p = g->parents[e];

			if (presumed[p] == presumed[i] && down[p] < down[i])
				down[i] = down[p] + 1;
		}
	}
	for (size_t i = g->n; i-- > 0;) {
		if (blocker_of(&told[i]))
			up[i] = 0;
		if (down[i] && up[i] && down[i] != NONE && up[i] != NONE)
			ret[i] = down[i] + up[i] - 1;
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
			uint32_t p = g->parents[e];

			if (presumed[p] == presumed[i] && up[i] < up[p])
				up[p] = up[i] + 1;
		}
	}
}

void blocks_worth(const struct left *l, const struct told *told, bool *ret)
{
	_cleanup_free_ uint32_t *everywhere = presume(&l->graph, told);
	_cleanup_free_ uint32_t *gap = xcalloc(l->graph.n, sizeof(*gap));
	_cleanup_free_ uint32_t *presumed = xcalloc(l->n, sizeof(*presumed));
	_cleanup_free_ uint32_t *all = xcalloc(l->n, sizeof(*all));
	_cleanup_free_ struct interval *known = NULL;
	size_t n;

	if (!everywhere)
		return;
	for (size_t i = 0; i < l->n; i++)
		presumed[i] = all[i] = everywhere[l->nodes[i]];
	n = distinct(all, l->n);
	known = intervals(l, told, presumed, all, n);
	gaps(&l->graph, told, everywhere, gap);
	for (size_t i = 0; i < l->n; i++) {
		const uint32_t *at =
			presumed[i] ? bsearch(&presumed[i], all, n, sizeof(*all), compare) : NULL;
		const struct interval *in = at ? &known[at - all] : NULL;
		double most = at ? log2((double)in->size) + 1 : 0;

		ret[i] = at && !blocker_of(&told[l->nodes[i]]) && (double)in->told < SPEND * most &&
			 (gap[l->nodes[i]] * most > 2.0 * (double)in->size ||
			  (double)(in->size - in->told) <= most);
	}
}

size_t blocks_hiding(const struct search_graph *graph, const struct told *told, const uint32_t *set,
		     size_t n, uint32_t *ret)
{
	_cleanup_free_ uint32_t *presumed = presume(graph, told);

	for (size_t i = 0; i < n; i++)
		ret[i] = presumed ? presumed[set[i]] : 0;
	return distinct(ret, n);
}
