// SPDX-License-Identifier: GPL-2.0-or-later
/* Second step of the flow: the graph, and all that is told of it. What follows from that is in next.c. */
#include "search/search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "search/belief/belief.h"
#include "search/state.h"
#include "search/weigh.h"

static int check_graph(const struct search_graph *g, struct err *err)
{
	if (!g->n || g->n >= LEFT_NONE || g->bad >= g->n)
		return err_set(err, ERR_USAGE,
			       "a search needs candidates and one of them bad; name other ends or "
			       "more paths");
	for (size_t i = 0; i < g->n; i++) {
		if (g->first[i] > g->first[i + 1])
			return err_set(err, ERR_USAGE,
				       "candidate %zu has a negative number of parents", i);
		for (uint32_t e = g->first[i]; e < g->first[i + 1]; e++)
			if (g->parents[e] >= i)
				return err_set(err, ERR_USAGE,
					       "candidate %zu comes before its parent %u: the "
					       "order is not topological",
					       i, g->parents[e]);
		if (g->priors && !(g->priors[i] > 0 && isfinite(g->priors[i])))
			return err_set(err, ERR_USAGE,
				       "candidate %zu has the prior %g; take one above 0", i,
				       g->priors[i]);
	}
	return 0;
}

static int check_rules(const struct search_rules *r, struct err *err)
{
	if (r->flaky >= 0 && r->flaky <= 0.45 &&
	    (r->flaky == 0 || (r->confidence >= 0.5 && r->confidence <= 0.9999)))
		return 0;
	return err_set(err, ERR_USAGE,
		       "a false-negative chance of %g with a confidence of %g cannot be searched; "
		       "take 0 to 0.45, and 0.5 to 0.9999",
		       r->flaky, r->confidence);
}

/* An array of its own, or none where there is none. */
static void *copy(const void *items, size_t n, size_t size)
{
	void *ret = items ? xcalloc(n, size) : NULL;

	if (items && n)
		memcpy(ret, items, n * size);
	return ret;
}

int search_create(const struct search_graph *graph, const struct search_rules *rules,
		  struct search **ret, struct err *err)
{
	struct search *s;
	size_t n = graph->n;

	if (check_graph(graph, err) < 0 || (rules && check_rules(rules, err) < 0))
		return -1;
	s = xcalloc(1, sizeof(*s));
	if (rules)
		s->rules = *rules;
	s->first = copy(graph->first, n + 1, sizeof(*s->first));
	s->parents = graph->first[n] ? copy(graph->parents, graph->first[n], sizeof(*s->parents))
				     : xcalloc(1, sizeof(*s->parents));
	s->weights = copy(graph->weights, n, sizeof(*s->weights));
	s->priors = copy(graph->priors, n, sizeof(*s->priors));
	s->told = xcalloc(n, sizeof(*s->told));
	s->graph = (struct search_graph){
		.n = n,
		.first = s->first,
		.parents = s->parents,
		.bad = graph->bad,
		.weights = s->weights,
		.priors = s->priors,
	};
	*ret = s;
	return 0;
}

void search_destroy(struct search *s)
{
	if (!s)
		return;
	free(s->first);
	free(s->parents);
	free(s->weights);
	free(s->priors);
	free(s->told);
	free(s->outside);
	free(s->set);
	free(s->blockers);
	free(s);
}

enum verdict state_of(const struct search *s, enum verdict v)
{
	if (s->rules.find != SEARCH_FIX)
		return v;
	return v == VERDICT_GOOD ? VERDICT_BAD : v == VERDICT_BAD ? VERDICT_GOOD : v;
}

struct told *state_settled(const struct search *s)
{
	struct told *ret = xcalloc(s->graph.n, sizeof(*ret));

	if (s->rules.flaky > 0)
		belief_settle(s->told, s->graph.n, &s->rules, ret);
	else
		memcpy(ret, s->told, s->graph.n * sizeof(*ret));
	return ret;
}

static void count(uint32_t *n)
{
	if (*n < TOLD_SURE)
		++*n;
}

void search_set(struct search *s, uint32_t node, enum verdict v)
{
	struct told *t;

	assert(node < s->graph.n);
	t = &s->told[node];
	if (s->outside && s->outside[node])
		return;
	if (v == VERDICT_NONE) {
		*t = (struct told){ .beside = t->beside };
		return;
	}
	t->verdict = v == VERDICT_GOOD || v == VERDICT_BAD ? state_of(s, v) : VERDICT_SKIP;
	t->blocker = 0;
	if (t->verdict == VERDICT_GOOD)
		count(&t->n_old);
	else if (t->verdict == VERDICT_BAD)
		count(&t->n_new);
}

void search_block(struct search *s, uint32_t node, uint32_t blocker)
{
	search_set(s, node, VERDICT_SKIP);
	if (s->told[node].verdict == VERDICT_SKIP)
		s->told[node].blocker = blocker;
}

void search_inherit(struct search *s, uint32_t node)
{
	assert(node < s->graph.n);
	s->told[node].inherited = !s->outside || !s->outside[node];
}

void search_accept(struct search *s)
{
	s->accepted = true;
}

void search_weights(const struct search *s, uint32_t *ret)
{
	__attribute__((cleanup(left_deinit))) struct left l = { 0 };

	if (!s->weights) {
		left_all(&s->graph, &l);
		weigh(&l);
	}
	memcpy(ret, s->weights ? s->weights : l.weight, s->graph.n * sizeof(*ret));
}
