// SPDX-License-Identifier: GPL-2.0-or-later
/* Second step of the flow: what to try next is worked out anew from all verdicts, each time. */
#include "search/search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "search/left.h"
#include "search/pick.h"
#include "search/weigh.h"

struct search {
	struct search_graph graph;
	uint32_t *first;   /* behind graph.first */
	uint32_t *parents; /* behind graph.parents */
	struct told *told; /* [graph.n] */
	struct search_rules rules;
	uint32_t *set; /* what the last SEARCH_SET gave */
};

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

int search_create(const struct search_graph *graph, const struct search_rules *rules,
		  struct search **ret, struct err *err)
{
	struct search *s;

	if (check_graph(graph, err) < 0 || (rules && check_rules(rules, err) < 0))
		return -1;
	s = xcalloc(1, sizeof(*s));
	if (rules)
		s->rules = *rules;
	s->first = xcalloc(graph->n + 1, sizeof(*s->first));
	s->parents = xcalloc(graph->first[graph->n], sizeof(*s->parents));
	s->told = xcalloc(graph->n, sizeof(*s->told));
	memcpy(s->first, graph->first, (graph->n + 1) * sizeof(*s->first));
	if (graph->first[graph->n])
		memcpy(s->parents, graph->parents, graph->first[graph->n] * sizeof(*s->parents));
	s->graph = (struct search_graph){
		.n = graph->n, .first = s->first, .parents = s->parents, .bad = graph->bad
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
	free(s->told);
	free(s->set);
	free(s);
}

void search_set(struct search *s, uint32_t node, enum verdict v)
{
	assert(node < s->graph.n);
	s->told[node] = (struct told){ .verdict = v };
}

/*
 * A trial that splits off the part p of n nodes answers a question worth H(p) bits, and log2(n) bits are
 * wanted. For halves this is log2(n); a wide octopus, of which each trial settles one arm, needs more.
 */
static unsigned int expected_steps(size_t n, uint32_t weight)
{
	double p = (double)weight / (double)n;
	double bits = p <= 0 || p >= 1 ? 0 : -p * log2(p) - (1 - p) * log2(1 - p);
	double steps = bits > 0 ? log2((double)n) / bits : (double)n - 1;

	if (steps > (double)n - 1)
		steps = (double)n - 1;
	return steps < 1 ? 1 : (unsigned int)ceil(steps - 0.01);
}

/* Everything but the set, which search_next() alone hands out. */
static void decide(const struct search *s, struct left *l, struct search_step *ret)
{
	struct clash clash;
	uint32_t i;

	*ret = (struct search_step){ 0 };
	if (left_find(&s->graph, s->told, l, &clash) < 0) {
		ret->action = SEARCH_CONTRADICTION;
		ret->node = clash.bad;
		ret->other = clash.other;
		return;
	}
	weigh(l);
	ret->left = l->n;
	i = pick(l, s->told, NULL, s->graph.bad);
	if (i != LEFT_NONE) {
		ret->action = SEARCH_TEST;
		ret->node = l->nodes[i];
		ret->weight = l->weight[i];
		ret->steps = expected_steps(l->n, l->weight[i]);
		return;
	}
	/* One bad node, and nothing else below it that is not known good. */
	i = l->nodes[0];
	ret->action = l->n == 1 && (i == s->graph.bad || s->told[i].verdict == VERDICT_BAD)
			      ? SEARCH_FOUND
			      : SEARCH_SET;
	ret->node = l->nodes[l->n - 1];
}

void search_next(struct search *s, struct search_step *ret)
{
	__attribute__((cleanup(left_deinit))) struct left l = { 0 };

	decide(s, &l, ret);
	free(take_ptr(s->set));
	if (ret->action != SEARCH_SET)
		return;
	ret->n_set = l.n;
	ret->set = s->set = take_ptr(l.nodes);
}

static uint32_t next_node(const struct search *s)
{
	__attribute__((cleanup(left_deinit))) struct left l = { 0 };
	struct search_step step;

	decide(s, &l, &step);
	return step.action == SEARCH_TEST ? step.node : LEFT_NONE;
}

void search_likely_next(struct search *s, uint32_t node, uint32_t *if_good, uint32_t *if_bad)
{
	struct told now;

	assert(node < s->graph.n);
	now = s->told[node];
	s->told[node].verdict = VERDICT_GOOD;
	*if_good = next_node(s);
	s->told[node].verdict = VERDICT_BAD;
	*if_bad = next_node(s);
	s->told[node] = now;
}
