// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Intervals of one blocker: a build breaks in one commit and is mended in a later one, and all between
 * fail with the same error. Two failures with one error are enough to presume it of what lies between.
 */
#include "search/blocks.h"

#include <string.h>

#include "base/str.h"

/* Blockers are looked at as many at a time as a word has bits. */
#define BATCH 64

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

size_t blocks_hiding(const struct left *l, const struct told *told, uint32_t *ret)
{
	blocks_presume(l, told, ret);
	return distinct(ret, l->n);
}
