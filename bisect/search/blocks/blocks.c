// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals of one blocker: a build breaks in one commit and is mended in a later one, and all between
 * fail with the same error. Two failures with one error are enough to presume it of what lies between.
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

static uint32_t blocker_of(const struct left *l, const struct told *told, size_t i)
{
	const struct told *t = &told[l->nodes[i]];

	return t->verdict == VERDICT_SKIP ? t->blocker : 0;
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

/* Bit of @i's own blocker in a batch, or 0. */
static uint64_t own_bit(const uint32_t *own, const uint32_t *batch, size_t n, size_t i)
{
	const uint32_t *at = own[i] ? bsearch(&own[i], batch, n, sizeof(*batch), compare) : NULL;

	return at ? UINT64_C(1) << (at - batch) : 0;
}

static void presume_batch(const struct left *l, const uint32_t *own, const uint32_t *batch,
			  size_t n, uint32_t *ret)
{
	_cleanup_free_ uint64_t *below = xcalloc(l->n, sizeof(*below));
	_cleanup_free_ uint64_t *above = xcalloc(l->n, sizeof(*above));

	for (size_t i = 0; i < l->n; i++) {
		below[i] = own_bit(own, batch, n, i);
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
			below[i] |= below[l->parents[e]];
	}
	for (size_t i = l->n; i-- > 0;) {
		above[i] |= own_bit(own, batch, n, i);
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
			above[l->parents[e]] |= above[i];
		if (!ret[i] && (below[i] & above[i]))
			ret[i] = batch[__builtin_ctzll(below[i] & above[i])];
	}
}

void blocks_presume(const struct left *l, const struct told *told, uint32_t *ret)
{
	_cleanup_free_ uint32_t *own = xcalloc(l->n, sizeof(*own));
	_cleanup_free_ uint32_t *all = xcalloc(l->n, sizeof(*all));
	size_t n;

	for (size_t i = 0; i < l->n; i++)
		ret[i] = all[i] = own[i] = blocker_of(l, told, i);
	n = distinct(all, l->n);
	for (size_t at = 0; at < n; at += BATCH)
		presume_batch(l, own, all + at, n - at < BATCH ? n - at : BATCH, ret);
}

/* What is known of the interval of one blocker. */
struct interval {
	size_t size; /* nodes, told or presumed */
	size_t told;
};

/* [n] of the blockers all[0..n), which are in order */
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
		ret[at - all].told += blocker_of(l, told, i) != 0;
	}
	return ret;
}

/*
 * How many nodes in a row are merely presumed, where each of them lies; 0: where one was told.
 * Along the shortest way down and up within the interval.
 */
static void gaps(const struct left *l, const struct told *told, const uint32_t *presumed,
		 uint32_t *ret)
{
	_cleanup_free_ uint32_t *up = xcalloc(l->n, sizeof(*up));
	_cleanup_free_ uint32_t *down = xcalloc(l->n, sizeof(*down));

	memset(up, 0xff, l->n * sizeof(*up));
	memset(down, 0xff, l->n * sizeof(*down));
	for (size_t i = 0; i < l->n; i++) {
		if (blocker_of(l, told, i))
			down[i] = 0;
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++) {
			uint32_t p = l->parents[e];

			if (presumed[p] == presumed[i] && down[p] < down[i])
				down[i] = down[p] + 1;
		}
	}
	for (size_t i = l->n; i-- > 0;) {
		if (blocker_of(l, told, i))
			up[i] = 0;
		if (down[i] && up[i] && down[i] != NONE && up[i] != NONE)
			ret[i] = down[i] + up[i] - 1;
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++) {
			uint32_t p = l->parents[e];

			if (presumed[p] == presumed[i] && up[i] < up[p])
				up[p] = up[i] + 1;
		}
	}
}

void blocks_worth(const struct left *l, const struct told *told, const uint32_t *presumed,
		  bool *ret)
{
	_cleanup_free_ uint32_t *all = xcalloc(l->n, sizeof(*all));
	_cleanup_free_ uint32_t *gap = xcalloc(l->n, sizeof(*gap));
	_cleanup_free_ struct interval *known = NULL;
	size_t n;

	memcpy(all, presumed, l->n * sizeof(*all));
	n = distinct(all, l->n);
	if (!n)
		return;
	known = intervals(l, told, presumed, all, n);
	gaps(l, told, presumed, gap);
	for (size_t i = 0; i < l->n; i++) {
		const uint32_t *at =
			presumed[i] ? bsearch(&presumed[i], all, n, sizeof(*all), compare) : NULL;
		const struct interval *in = at ? &known[at - all] : NULL;
		double most = at ? log2((double)in->size) + 1 : 0;

		ret[i] = at && !blocker_of(l, told, i) && (double)in->told < SPEND * most &&
			 (gap[i] * most > 2.0 * (double)in->size ||
			  (double)(in->size - in->told) <= most);
	}
}

size_t blocks_hiding(const struct left *l, const struct told *told, uint32_t *ret)
{
	blocks_presume(l, told, ret);
	return distinct(ret, l->n);
}
