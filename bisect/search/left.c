// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What could still be the first bad node, and how many others each of them would decide.
 *
 * There is one regression. So the first bad node is an ancestor (a node counts as its own) of every bad
 * node and of no good one. Only the lowest bad nodes matter for the former: what is an ancestor of a bad
 * node is one of that node's descendants as well.
 */
#include "search/left.h"

#include <string.h>

#include "base/str.h"

static bool is_bad(const struct search_graph *g, const enum verdict *verdicts, uint32_t i)
{
	return i == g->bad || verdicts[i] == VERDICT_BAD;
}

/* Spreads marks from nodes to all their ancestors: children come after their parents. */
static void mark_ancestors(const struct search_graph *g, unsigned char *marks)
{
	for (size_t i = g->n; i-- > 0;)
		for (uint32_t e = g->first[i]; marks[i] && e < g->first[i + 1]; e++)
			marks[g->parents[e]] = 1;
}

/* Spreads marks from nodes to all their descendants. */
static void mark_descendants(const struct search_graph *g, unsigned char *marks)
{
	for (size_t i = 0; i < g->n; i++)
		for (uint32_t e = g->first[i]; !marks[i] && e < g->first[i + 1]; e++)
			marks[i] = marks[g->parents[e]];
}

static void find_good_above(const struct search_graph *g, const enum verdict *verdicts,
			    uint32_t bad, struct clash *clash)
{
	_cleanup_free_ unsigned char *above = xcalloc(g->n, 1);

	clash->bad = bad;
	clash->other = bad;
	above[bad] = 1;
	mark_descendants(g, above);
	for (uint32_t i = 0; i < g->n; i++) {
		if (!above[i] || verdicts[i] != VERDICT_GOOD)
			continue;
		clash->other = i;
		return;
	}
}

/* Bad nodes without a bad node below them: one, if the verdicts were asked for by this search. */
static size_t lowest_bad(const struct search_graph *g, const enum verdict *verdicts, uint32_t *ret)
{
	_cleanup_free_ unsigned char *above = xcalloc(g->n, 1);
	size_t n = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		for (uint32_t e = g->first[i]; !above[i] && e < g->first[i + 1]; e++)
			above[i] = above[g->parents[e]];
		if (!above[i] && is_bad(g, verdicts, i)) {
			above[i] = 1;
			ret[n++] = i;
		}
	}
	return n;
}

/* keep[i]: an ancestor of every bad node, and of no good one. */
static int mark_left(const struct search_graph *g, const enum verdict *verdicts,
		     unsigned char *keep, struct clash *clash)
{
	_cleanup_free_ unsigned char *good = xcalloc(g->n, 1);
	_cleanup_free_ uint32_t *bads = xcalloc(g->n, sizeof(*bads));
	size_t n_bads = lowest_bad(g, verdicts, bads);
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		good[i] = verdicts[i] == VERDICT_GOOD;
	mark_ancestors(g, good);
	memset(keep, 1, g->n);
	for (size_t b = 0; b < n_bads; b++) {
		_cleanup_free_ unsigned char *below = xcalloc(g->n, 1);

		if (good[bads[b]]) {
			find_good_above(g, verdicts, bads[b], clash);
			return -1;
		}
		below[bads[b]] = 1;
		mark_ancestors(g, below);
		n = 0;
		for (size_t i = 0; i < g->n; i++)
			n += keep[i] = keep[i] && below[i] && !good[i];
		if (!n) {
			*clash = (struct clash){ .bad = bads[0], .other = bads[b] };
			return -1;
		}
	}
	return 0;
}

/* The graph of the nodes to keep; their parents that are not kept are forgotten. */
static void build(const struct search_graph *g, const unsigned char *keep, struct left *l)
{
	_cleanup_free_ uint32_t *local = xcalloc(g->n, sizeof(*local));
	uint32_t edges = 0;

	l->nodes = xcalloc(g->n, sizeof(*l->nodes));
	l->first = xcalloc(g->n + 1, sizeof(*l->first));
	l->parents = xcalloc(g->first[g->n], sizeof(*l->parents));
	for (uint32_t i = 0; i < g->n; i++) {
		if (!keep[i])
			continue;
		l->first[l->n] = edges;
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
			if (keep[g->parents[e]])
				l->parents[edges++] = local[g->parents[e]];
		local[i] = (uint32_t)l->n;
		l->nodes[l->n++] = i;
	}
	l->first[l->n] = edges;
}

int left_find(const struct search_graph *graph, const enum verdict *verdicts, struct left *ret,
	      struct clash *clash)
{
	_cleanup_free_ unsigned char *keep = xcalloc(graph->n, 1);

	if (mark_left(graph, verdicts, keep, clash) < 0)
		return -1;
	*ret = (struct left){ 0 };
	build(graph, keep, ret);
	return 0;
}

void left_deinit(struct left *l)
{
	free(l->nodes);
	free(l->first);
	free(l->parents);
	free(l->weight);
	*l = (struct left){ 0 };
}

/*
 * Counting ancestors.
 *
 * On a single strand a node has one ancestor more than its parent. A merge has as many as the union of its
 * parents' ancestors, and unions need sets. Those are bitsets, a block of columns at a time: one sweep over
 * the nodes per block keeps the memory small and the words in the cache. All in all n * n / 128 words are
 * combined, 20 million for 50 000 nodes.
 */
#define BLOCK_WORDS 8
#define BLOCK_BITS  (64 * BLOCK_WORDS)

struct row {
	uint64_t words[BLOCK_WORDS];
};

static bool is_merge(const struct left *l, size_t i)
{
	return l->first[i + 1] - l->first[i] > 1;
}

/* Adds to each merge's weight its ancestors among nodes start..start+BLOCK_BITS; rows: [n - start]. */
static void weigh_block(struct left *l, size_t start, struct row *rows)
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
		for (size_t k = 0; is_merge(l, i) && k < BLOCK_WORDS; k++)
			l->weight[i] += (uint32_t)__builtin_popcountll(row->words[k]);
	}
}

static bool has_merges(const struct left *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (is_merge(l, i))
			return true;
	return false;
}

void left_weigh(struct left *l)
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
