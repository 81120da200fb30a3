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

static bool is_bad(const struct search_graph *g, const struct told *told, uint32_t i)
{
	return i == g->bad || told[i].verdict == VERDICT_BAD;
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

static void find_good_above(const struct search_graph *g, const struct told *told, uint32_t bad,
			    struct clash *clash)
{
	_cleanup_free_ unsigned char *above = xcalloc(g->n, 1);

	clash->bad = bad;
	clash->other = bad;
	above[bad] = 1;
	mark_descendants(g, above);
	for (uint32_t i = 0; i < g->n; i++) {
		if (!above[i] || told[i].verdict != VERDICT_GOOD)
			continue;
		clash->other = i;
		return;
	}
}

/* Bad nodes without a bad node below them: one, if the verdicts were asked for by this search. */
static size_t lowest_bad(const struct search_graph *g, const struct told *told, uint32_t *ret)
{
	_cleanup_free_ unsigned char *above = xcalloc(g->n, 1);
	size_t n = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		for (uint32_t e = g->first[i]; !above[i] && e < g->first[i + 1]; e++)
			above[i] = above[g->parents[e]];
		if (!above[i] && is_bad(g, told, i)) {
			above[i] = 1;
			ret[n++] = i;
		}
	}
	return n;
}

/* keep[i]: an ancestor of every bad node, and of no good one. */
static int mark_left(const struct search_graph *g, const struct told *told, unsigned char *keep,
		     struct clash *clash)
{
	_cleanup_free_ unsigned char *good = xcalloc(g->n, 1);
	_cleanup_free_ uint32_t *bads = xcalloc(g->n, sizeof(*bads));
	size_t n_bads = lowest_bad(g, told, bads);
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++)
		good[i] = told[i].verdict == VERDICT_GOOD;
	mark_ancestors(g, good);
	memset(keep, 1, g->n);
	for (size_t b = 0; b < n_bads; b++) {
		_cleanup_free_ unsigned char *below = xcalloc(g->n, 1);

		if (good[bads[b]]) {
			find_good_above(g, told, bads[b], clash);
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

int left_find(const struct search_graph *graph, const struct told *told, struct left *ret,
	      struct clash *clash)
{
	_cleanup_free_ unsigned char *keep = xcalloc(graph->n, 1);

	if (mark_left(graph, told, keep, clash) < 0)
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
