// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counting ancestors.
 *
 * On a single strand a node has one ancestor more than its parent. A merge has as many as the union of its
 * parents' ancestors, and unions need sets. Those are bitsets, a block of columns at a time: one sweep over
 * the nodes per block keeps the memory small and the words in the cache. All in all n * n / 128 words are
 * combined, 20 million for 50 000 nodes.
 */
#include "search/weigh.h"

#include <string.h>

#include "base/str.h"

#define BLOCK_WORDS 8
#define BLOCK_BITS  (64 * BLOCK_WORDS)

struct row {
	uint64_t words[BLOCK_WORDS];
};

static bool is_merge(const struct left *l, size_t i)
{
	return l->first[i + 1] - l->first[i] > 1;
}

/* Each node's ancestors among nodes start..start+BLOCK_BITS; rows: [n - start]. */
static void fill_rows(const struct left *l, size_t start, struct row *rows)
{
	memset(rows, 0, (l->n - start) * sizeof(*rows));
	for (size_t i = start; i < l->n; i++) {
		struct row *row = &rows[i - start];
		size_t column = i - start;

		if (column < BLOCK_BITS)
			row->words[column / 64] |= UINT64_C(1) << column % 64;
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
			if (l->parents[e] >= start)
				for (size_t k = 0; k < BLOCK_WORDS; k++)
					row->words[k] |= rows[l->parents[e] - start].words[k];
	}
}

static bool has_merges(const struct left *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (is_merge(l, i))
			return true;
	return false;
}

static void weigh_block(struct left *l, size_t start, struct row *rows)
{
	fill_rows(l, start, rows);
	for (size_t i = start; i < l->n; i++)
		for (size_t k = 0; is_merge(l, i) && k < BLOCK_WORDS; k++)
			l->weight[i] += (uint32_t)__builtin_popcountll(rows[i - start].words[k]);
}

void weigh(struct left *l)
{
	l->weight = xcalloc(l->n, sizeof(*l->weight));
	if (has_merges(l)) {
		_cleanup_free_ struct row *rows = xcalloc(l->n, sizeof(*rows));

		for (size_t start = 0; start < l->n; start += BLOCK_BITS)
			weigh_block(l, start, rows);
	}
	for (size_t i = 0; i < l->n; i++)
		if (!is_merge(l, i))
			l->weight[i] = l->first[i] == l->first[i + 1]
					       ? 1
					       : l->weight[l->parents[l->first[i]]] + 1;
}

/* What the nodes of a row count for, by its bytes. */
#define BLOCK_BYTES (8 * BLOCK_WORDS)

struct sums {
	double of[BLOCK_BYTES][256];
};

/* of[b][v]: what byte b of a row counts for when it holds v; nodes from @start on. */
static void sums_fill(struct sums *s, const double *own, size_t n, size_t start)
{
	for (size_t b = 0; b < BLOCK_BYTES; b++) {
		s->of[b][0] = 0;
		for (size_t v = 1; v < 256; v++) {
			size_t lowest = start + 8 * b + (size_t)__builtin_ctz((unsigned int)v);

			s->of[b][v] = s->of[b][v & (v - 1)] + (lowest < n ? own[lowest] : 0);
		}
	}
}

static double sums_of(const struct sums *s, const struct row *row)
{
	double sum = 0;

	for (size_t b = 0; b < BLOCK_BYTES; b++)
		sum += s->of[b][row->words[b / 8] >> 8 * (b % 8) & 0xff];
	return sum;
}

void weigh_sums(const struct left *l, const double *own, double *ret)
{
	memset(ret, 0, l->n * sizeof(*ret));
	if (has_merges(l)) {
		_cleanup_free_ struct row *rows = xcalloc(l->n, sizeof(*rows));
		_cleanup_free_ struct sums *sums = xcalloc(1, sizeof(*sums));

		for (size_t start = 0; start < l->n; start += BLOCK_BITS) {
			fill_rows(l, start, rows);
			sums_fill(sums, own, l->n, start);
			for (size_t i = start; i < l->n; i++)
				if (is_merge(l, i))
					ret[i] += sums_of(sums, &rows[i - start]);
		}
	}
	for (size_t i = 0; i < l->n; i++)
		if (!is_merge(l, i))
			ret[i] =
				own[i] +
				(l->first[i] == l->first[i + 1] ? 0 : ret[l->parents[l->first[i]]]);
}
