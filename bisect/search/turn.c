// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One turn of a history that is not monotone, as a search of its own.
 *
 *	old .. old  new .. new  old .. old  new .. new
 *		    ^fresh      ^stale		^the new end
 *
 * Who made @fresh new is asked below @fresh: the same question with another new end. Who made @stale old
 * again is the question for a fix: its old state is new, its new end is @stale, and candidates are what
 * lies between (git-rev-list(1), --ancestry-path), for whoever made it old again had the change below.
 *
 * Nodes keep their numbers; what does not lie between is no part of the turn. A parent that is no part of it
 * and old never had the change. If the node that merges it is the answer, the merge carried the old state
 * in, as it can carry the new one in: left.c.
 */
#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "search/belief/belief.h"
#include "search/state.h"

/* in[i]: @top or an ancestor of it. */
static void mark_below(const struct search_graph *g, uint32_t top, unsigned char *in)
{
	in[top] = 1;
	for (size_t i = (size_t)top + 1; i-- > 0;)
		for (uint32_t e = g->first[i]; in[i] && e < g->first[i + 1]; e++)
			in[g->parents[e]] = 1;
}

/* Takes out what is not @bottom nor a descendant of it. */
static void keep_above(const struct search_graph *g, uint32_t bottom, unsigned char *in)
{
	_cleanup_free_ unsigned char *above = xcalloc(g->n, 1);

	above[bottom] = 1;
	for (size_t i = 0; i < g->n; i++) {
		for (uint32_t e = g->first[i]; !above[i] && e < g->first[i + 1]; e++)
			above[i] = above[g->parents[e]];
		in[i] = in[i] && above[i];
	}
}

/* Gives @part the edges between nodes that are in. */
static void cut_edges(const struct search_graph *g, const unsigned char *in, uint32_t *first,
		      uint32_t *parents)
{
	uint32_t edges = 0;

	for (size_t i = 0; i < g->n; i++) {
		first[i] = edges;
		for (uint32_t e = g->first[i]; in[i] && e < g->first[i + 1]; e++)
			if (in[g->parents[e]])
				parents[edges++] = g->parents[e];
	}
	first[g->n] = edges;
}

static void copy_told(const struct search *s, const unsigned char *in, struct search *turn)
{
	for (size_t i = 0; i < s->graph.n; i++)
		if (in[i])
			turn->told[i] = s->told[i];
}

/* What was told of a node, its states swapped. */
static struct told swapped(const struct told *t)
{
	return (struct told){
		.verdict = t->verdict == VERDICT_GOOD  ? VERDICT_BAD
			   : t->verdict == VERDICT_BAD ? VERDICT_GOOD
						       : t->verdict,
		.blocker = t->blocker,
		.n_old = t->n_new,
		.n_new = t->n_old,
	};
}

/* A node that merges what never had the change has the old state from before. */
static void swap_told(const struct search *s, const unsigned char *in, struct search *turn)
{
	_cleanup_free_ struct told *settled = state_settled(s);
	const struct search_graph *g = &s->graph;

	for (size_t i = 0; i < g->n; i++) {
		if (!in[i])
			continue;
		turn->told[i] = swapped(&s->told[i]);
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
			turn->told[i].beside |= !in[g->parents[e]] &&
						settled[g->parents[e]].verdict == VERDICT_GOOD;
	}
}

int search_turn(const struct search *s, uint32_t fresh, uint32_t stale, enum search_turn turn,
		struct search **ret, struct err *err)
{
	const struct search_graph *g = &s->graph;
	_cleanup_free_ unsigned char *in = xcalloc(g->n, 1);
	_cleanup_free_ uint32_t *first = xcalloc(g->n + 1, sizeof(*first));
	_cleanup_free_ uint32_t *parents = xcalloc(g->first[g->n] + 1, sizeof(*parents));
	struct search_graph part = { .n = g->n, .first = first, .parents = parents };
	struct search_rules rules = s->rules;

	assert(fresh < g->n && stale < g->n);
	mark_below(g, stale, in);
	if (fresh == stale || !in[fresh])
		return err_set(err, ERR_USAGE,
			       "candidate %u is no descendant of candidate %u: there is no turn "
			       "between them",
			       stale, fresh);
	part.priors = g->priors;
	part.bad = turn == TURN_CAME ? fresh : stale;
	if (turn == TURN_CAME) {
		memset(in, 0, g->n);
		mark_below(g, fresh, in);
	} else {
		keep_above(g, fresh, in);
		rules.find = rules.find == SEARCH_FIX ? SEARCH_REGRESSION : SEARCH_FIX;
	}
	cut_edges(g, in, first, parents);
	if (search_create(&part, &rules, ret, err) < 0)
		return -1;
	if (turn == TURN_CAME)
		copy_told(s, in, *ret);
	else
		swap_told(s, in, *ret);
	if (turn == TURN_WENT)
		(*ret)->told[fresh] = (struct told){ .verdict = VERDICT_GOOD, .n_old = TOLD_SURE };
	(*ret)->outside = xcalloc(g->n, 1);
	for (size_t i = 0; i < g->n; i++)
		(*ret)->outside[i] = !in[i];
	return 0;
}
