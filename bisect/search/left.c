// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What could still be the first new node.
 *
 * In a history where the change came once, the first new node is an ancestor (a node counts as its own)
 * of every new node and of no old one. Only the lowest new nodes matter for the former: what is an
 * ancestor of a node is one of that node's descendants as well.
 *
 * Real histories are less tidy. A regression can be older than the range: it came, was mended before the
 * good end, and side branches that left the trunk between the two have it still:
 *
 *	a   bug comes          excluded: ancestors of the good end
 *	|\
 *	| s1                   side branch: has the bug, since s1's excluded parent has it
 *	r |  mended            excluded
 *	g |  good end          excluded
 *	| s2
 *	M |
 *	|/
 *	m                      keeps the mending, or brings the bug back
 *	|
 *	e   bad end
 *
 * A search that takes "s2 is bad" for news about e descends into the side branch and names s1. Yet s1 has
 * the bug from its parent a, and e may have it from somewhere else. So, once s1's parent is known to be bad
 * (search_inherit()), s1 and s2 are no answer and say nothing about e. What follows from m being bad
 * depends on its other parent. Is M good, then m is the answer, for it carried the bug back in; is
 * M bad, then the answer is below M. Either way m counts like any bad node, and only the side branch
 * is taken out of what is below it.
 *
 * Where a fix is searched, the same picture has other words: a is the last commit before the bug, r brought
 * the bug, g is the bad end, and the side branch never had the bug. Trying s2 finds it good: new in the
 * sense of this search, but it was never mended. If m is good, then it took the side branch's version.
 *
 * So a new node says nothing if all its ways down lead into such a strand: to a node that inherited, or,
 * inside the graph, to a new node that has an old descendant. For that is a turn of the history too: what
 * lies below an old node is treated like what lies below the good end. One way down to an old node, or to
 * the edge of the graph, or of what old nodes exclude, where nothing is known to be new, and the node
 * counts as usual. A node that inherited and has such a way itself is the carrying merge. The new end
 * counts always: if all its ways are from before, it is left alone at the end, and its parents prove
 * nothing.
 */
#include "search/left.h"

#include <string.h>

#include "base/str.h"

static bool is_old(const struct told *t)
{
	return t->verdict == VERDICT_GOOD;
}

bool told_is_new(const struct told *t)
{
	return t->verdict == VERDICT_BAD || (t->inherited && !is_old(t));
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

/* Nodes sorted by what was told of them; all arrays are [graph->n]. */
struct sides {
	const struct search_graph *g;
	const struct told *told;
	unsigned char *old;    /* old, or an ancestor of an old one */
	unsigned char *before; /* if it is new, then only from before */
	unsigned char *out;    /* known to be that, or an ancestor of one */
};

static void sides_deinit(struct sides *s)
{
	free(s->old);
	free(s->out);
	free(s->before);
}

/* Where a node may have been new or old from: its parents' states, as far as they are known. */
static bool is_from_before(const struct sides *s, uint32_t i)
{
	const struct search_graph *g = s->g;
	bool inherited = s->told[i].inherited && !is_old(&s->told[i]);
	bool before = inherited;
	bool unknown = !inherited && g->first[i] == g->first[i + 1];

	for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++) {
		uint32_t p = g->parents[e];
		bool enters = s->old[p] && !s->old[i];

		if (is_old(&s->told[p]))
			return false;
		if (s->before[p] || (enters && told_is_new(&s->told[p])))
			before = true;
		else if (enters)
			unknown = true;
		else
			return false;
	}
	return before && !unknown;
}

static void sides_init(struct sides *s, const struct search_graph *g, const struct told *told)
{
	*s = (struct sides){ .g = g, .told = told };
	s->old = xcalloc(g->n, 1);
	s->before = xcalloc(g->n, 1);
	s->out = xcalloc(g->n, 1);
	for (size_t i = 0; i < g->n; i++)
		s->old[i] = is_old(&told[i]);
	mark_ancestors(g, s->old);
	for (uint32_t i = 0; i < g->n; i++) {
		s->before[i] = is_from_before(s, i);
		s->out[i] = s->before[i] && told_is_new(&told[i]) && i != g->bad;
	}
	mark_ancestors(g, s->out);
}

/* The last turn: of the new nodes with old descendants the highest, and its lowest old descendant. */
static void find_turn(const struct sides *s, uint32_t new, struct clash *clash)
{
	_cleanup_free_ unsigned char *above = xcalloc(s->g->n, 1);

	above[new] = 1;
	mark_descendants(s->g, above);
	*clash = (struct clash){ .bad = new, .other = new };
	for (uint32_t i = new; i < s->g->n; i++) {
		if (!above[i] || !is_old(&s->told[i]))
			continue;
		clash->other = i;
		return;
	}
}

/* No new node that counts has an old descendant; those of former turns do not count. */
static int check_turns(const struct sides *s, bool accepted, struct clash *clash)
{
	const struct search_graph *g = s->g;

	if (s->old[g->bad]) {
		find_turn(s, g->bad, clash);
		return -1;
	}
	for (uint32_t i = (uint32_t)g->n; !accepted && i-- > 0;) {
		if (!s->old[i] || s->before[i] || !told_is_new(&s->told[i]))
			continue;
		find_turn(s, i, clash);
		return -1;
	}
	return 0;
}

static bool counts(const struct sides *s, uint32_t i)
{
	return i == s->g->bad || (told_is_new(&s->told[i]) && !s->old[i] && !s->before[i]);
}

/* New nodes without a new node below them: one, if the verdicts were asked for by this search. */
static size_t lowest_new(const struct sides *s, uint32_t *ret)
{
	const struct search_graph *g = s->g;
	_cleanup_free_ unsigned char *above = xcalloc(g->n, 1);
	size_t n = 0;

	for (uint32_t i = 0; i < g->n; i++) {
		for (uint32_t e = g->first[i]; !above[i] && e < g->first[i + 1]; e++)
			above[i] = above[g->parents[e]];
		if (!above[i] && counts(s, i)) {
			above[i] = 1;
			ret[n++] = i;
		}
	}
	return n;
}

/* Keeps the ancestors of @new; if none is left, nothing is changed. */
static bool keep_below(const struct search_graph *g, uint32_t new, unsigned char *keep)
{
	_cleanup_free_ unsigned char *below = xcalloc(g->n, 1);
	size_t n = 0;

	below[new] = 1;
	mark_ancestors(g, below);
	for (size_t i = 0; i < g->n; i++)
		n += below[i] = below[i] && keep[i];
	if (n)
		memcpy(keep, below, g->n);
	return n > 0;
}

/*
 * keep[i]: an ancestor of every new node that counts, of no old one, and not from before.
 * New nodes without a left ancestor in common are a clash; once it is accepted, the lowest one is asked
 * about.
 */
static int mark_left(const struct sides *s, bool accepted, unsigned char *keep, struct clash *clash)
{
	_cleanup_free_ uint32_t *news = xcalloc(s->g->n, sizeof(*news));
	size_t n = lowest_new(s, news);

	for (size_t i = 0; i < s->g->n; i++)
		keep[i] = !s->old[i] && !s->out[i];
	for (size_t b = 0; b < n; b++) {
		if (keep_below(s->g, news[b], keep) || accepted)
			continue;
		*clash = (struct clash){ .bad = news[0], .other = news[b] };
		return -1;
	}
	return 0;
}

/*
 * What is above a new node that counts is new as well. An old node above a strand would make strand nodes
 * old, and new ones that they made say nothing would count.
 */
static unsigned char *mark_entangled(const struct sides *s)
{
	unsigned char *ret = xcalloc(s->g->n, 1);

	for (uint32_t i = 0; i < s->g->n; i++)
		ret[i] = counts(s, i) || (s->out[i] && !s->old[i]);
	mark_descendants(s->g, ret);
	return ret;
}

void left_part(const struct search_graph *g, const unsigned char *keep, struct left *l)
{
	_cleanup_free_ uint32_t *local = xcalloc(g->n, sizeof(*local));
	uint32_t edges = 0;

	*l = (struct left){ .graph = *g };
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

int left_find(const struct search_graph *graph, const struct told *told, bool accepted,
	      struct left *ret, struct clash *clash)
{
	_cleanup_free_ unsigned char *keep = xcalloc(graph->n, 1);
	__attribute__((cleanup(sides_deinit))) struct sides s = { 0 };

	sides_init(&s, graph, told);
	if (check_turns(&s, accepted, clash) < 0 || mark_left(&s, accepted, keep, clash) < 0)
		return -1;
	left_part(graph, keep, ret);
	ret->entangled = mark_entangled(&s);
	ret->before = take_ptr(s.before);
	return 0;
}

void left_deinit(struct left *l)
{
	free(l->nodes);
	free(l->first);
	free(l->parents);
	free(l->weight);
	free(l->before);
	free(l->entangled);
	*l = (struct left){ 0 };
}

void left_all(const struct search_graph *graph, struct left *ret)
{
	_cleanup_free_ unsigned char *keep = xcalloc(graph->n, 1);

	memset(keep, 1, graph->n);
	left_part(graph, keep, ret);
}

bool left_carried(const struct search_graph *graph, const struct told *told, const struct left *l,
		  uint32_t i)
{
	uint32_t node = l->nodes[i];

	if (told[node].inherited || told[node].beside)
		return true;
	for (uint32_t e = graph->first[node]; e < graph->first[node + 1]; e++) {
		uint32_t p = graph->parents[e];

		if (l->before[p] || told_is_new(&told[p]))
			return true;
	}
	return false;
}
