// SPDX-License-Identifier: GPL-2.0-or-later
/* What to do now is worked out anew from all that was told, each time. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "search/belief/belief.h"
#include "search/blocks/blocks.h"
#include "search/blocks/witness.h"
#include "search/pick.h"
#include "search/split.h"
#include "search/state.h"
#include "search/weigh.h"

/* Everything that follows from what was told. */
struct outlook {
	const struct search *s;
	struct told *told;	 /* settled */
	struct left left;	 /* empty if the verdicts contradict each other */
	struct belief belief;	 /* where trials may lie */
	struct witnesses beside; /* asked when the left alone decides nothing more; or all 0 */
	struct search_step step;
	uint32_t *set; /* SEARCH_SET: [step.n_set] */
};

static void outlook_deinit(struct outlook *o)
{
	free(o->told);
	free(o->set);
	left_deinit(&o->left);
	belief_deinit(&o->belief);
	witnesses_deinit(&o->beside);
}

#define _cleanup_outlook_ __attribute__((cleanup(outlook_deinit)))

/* What is left, as likely as the priors say. */
struct likely {
	double total; /* sum of the priors */
	double bits;  /* entropy: log2(n) where all are alike */
};

static double prior_of(const struct search_graph *g, const struct left *l, size_t i)
{
	return g->priors ? g->priors[l->nodes[i]] : 1;
}

static struct likely likely_left(const struct search_graph *g, const struct left *l)
{
	struct likely ret = { .total = (double)l->n, .bits = log2((double)l->n) };

	if (!g->priors)
		return ret;
	ret = (struct likely){ 0 };
	for (size_t i = 0; i < l->n; i++)
		ret.total += prior_of(g, l, i);
	for (size_t i = 0; i < l->n; i++) {
		double p = prior_of(g, l, i) / ret.total;

		ret.bits -= p > 0 ? p * log2(p) : 0;
	}
	return ret;
}

/*
 * A trial that splits off the part p of what is left answers a question worth H(p) bits, and all its
 * entropy is wanted. For halves this is log2(n); a wide octopus, of which each trial settles one arm,
 * needs more, a history with a likely suspect less.
 * @behind: prior mass of the left ancestors of the node to be tried
 */
static unsigned int steps_for(double bits, double all_bits, size_t n_left)
{
	double most = (double)n_left - 1;
	double steps = bits > 0 ? all_bits / bits : most;

	if (steps > most)
		steps = most;
	return steps < 1 ? 1 : (unsigned int)ceil(steps - 0.01);
}

static unsigned int expected_steps(const struct search_graph *g, const struct left *l,
				   double behind)
{
	struct likely all = likely_left(g, l);
	double p = behind / all.total;

	return steps_for(pick_bits(p, 1), all.bits, l->n);
}

/* The weights of the whole graph are those of what is left as long as that is everything. */
static void weigh_left(struct outlook *o)
{
	const struct search_graph *g = &o->s->graph;

	if (o->left.n < g->n || !g->weights) {
		weigh(&o->left);
		return;
	}
	o->left.weight = xcalloc(g->n, sizeof(*o->left.weight));
	memcpy(o->left.weight, g->weights, g->n * sizeof(*o->left.weight));
}

/* Left ancestors of one node, by walking; @mass: the sum of their priors. */
static uint32_t weight_of(const struct search_graph *g, const struct left *l, uint32_t node,
			  double *mass)
{
	_cleanup_free_ unsigned char *below = xcalloc(l->n, 1);
	uint32_t n = 0;

	*mass = 0;
	below[node] = 1;
	for (size_t i = (size_t)node + 1; i-- > 0;) {
		n += below[i];
		*mass += below[i] ? prior_of(g, l, i) : 0;
		for (uint32_t e = l->first[i]; below[i] && e < l->first[i + 1]; e++)
			below[l->parents[e]] = 1;
	}
	return n;
}

static void found(struct outlook *o, uint32_t i)
{
	o->step.action = SEARCH_FOUND;
	o->step.node = o->left.nodes[i];
	o->step.carried = left_carried(&o->s->graph, o->told, &o->left, i);
}

static void decide_exact(struct outlook *o)
{
	const struct search_graph *g = &o->s->graph;
	struct search_step *step = &o->step;
	struct left *l = &o->left;
	double behind;
	uint32_t i;

	weigh_left(o);
	i = pick(l, o->told, g->priors, g->bad);
	if (i != LEFT_NONE) {
		step->node = l->nodes[i];
		step->weight = weight_of(g, l, i, &behind);
		step->steps = expected_steps(g, l, behind);
		return;
	}
	/* One new node, and nothing else below it that is not known old. */
	i = l->nodes[0];
	if (l->n == 1 && (i == g->bad || o->told[i].verdict == VERDICT_BAD)) {
		step->confidence = 1;
		found(o, 0);
		return;
	}
	witnesses_find(l, o->told, &o->beside);
	i = witnesses_pick(&o->beside, l, g->priors, &behind);
	if (i != LEFT_NONE) {
		step->node = o->beside.around.nodes[i];
		step->weight = o->beside.around.weight[i];
		step->steps = expected_steps(g, l, behind);
		return;
	}
	step->action = SEARCH_SET;
	step->n_set = l->n;
	o->set = xcalloc(l->n, sizeof(*o->set));
	memcpy(o->set, l->nodes, l->n * sizeof(*o->set));
}

/* Tries what is left and the witnesses, when what is left alone would decide nothing more. */
static bool ask_beside(struct outlook *o)
{
	const struct search_rules *rules = &o->s->rules;
	const struct left *l = &o->left, *around = &o->beside.around;
	_cleanup_(belief_deinit) struct belief wide = { 0 };
	_cleanup_free_ bool *apt = NULL;
	double bits = 0;
	uint32_t i;

	witnesses_find(l, o->told, &o->beside);
	if (!o->beside.n)
		return false;
	wide.mass = xcalloc(around->n, sizeof(*wide.mass));
	wide.proof = xcalloc(around->n, sizeof(*wide.proof));
	apt = xcalloc(around->n, sizeof(*apt));
	wide.best = o->beside.of_left[o->belief.best];
	witnesses_spread(&o->beside, l, o->belief.mass, wide.mass);
	witnesses_spread(&o->beside, l, o->belief.proof, wide.proof);
	for (size_t j = 0; j < around->n; j++)
		apt[j] = o->beside.chance[j] > 0;
	for (size_t j = 0; j < l->n; j++)
		apt[o->beside.of_left[j]] = true;
	i = belief_pick(&wide, o->told, around, apt, rules, &bits);
	if (i == LEFT_NONE)
		return false;
	o->step.node = around->nodes[i];
	o->step.weight = around->weight[i];
	o->step.steps = belief_steps(&o->belief, l, rules, bits);
	return true;
}

static void decide_by_belief(struct outlook *o)
{
	const struct search *s = o->s;
	struct search_step *step = &o->step;
	struct left *l = &o->left;
	double bits = 0, behind;
	uint32_t i;

	belief_init(&o->belief, &s->graph, s->told, l, &s->rules);
	step->confidence = o->belief.proof[o->belief.best];
	if (belief_is_enough(step->confidence, &s->rules)) {
		found(o, o->belief.best);
		return;
	}
	i = belief_pick(&o->belief, o->told, l, NULL, &s->rules, &bits);
	if (i != LEFT_NONE) {
		step->node = l->nodes[i];
		step->weight = weight_of(&s->graph, l, i, &behind);
		step->steps = belief_steps(&o->belief, l, &s->rules, bits);
		return;
	}
	if (ask_beside(o))
		return;
	step->action = SEARCH_SET;
	o->set = xcalloc(l->n, sizeof(*o->set));
	step->n_set = belief_set(&o->belief, l, &s->rules, o->set);
}

static void decide(const struct search *s, struct outlook *o)
{
	struct clash clash;

	o->s = s;
	o->told = state_settled(s);
	if (left_find(&s->graph, o->told, s->accepted, &o->left, &clash) < 0) {
		o->step.action = SEARCH_CONTRADICTION;
		o->step.node = clash.bad;
		o->step.other = clash.other;
		return;
	}
	o->step.action = SEARCH_TEST;
	o->step.left = o->left.n;
	if (s->rules.flaky > 0)
		decide_by_belief(o);
	else
		decide_exact(o);
	if (o->step.action == SEARCH_SET)
		o->step.node = witnesses_new(&o->beside, &o->left, o->told);
}

/* Whether a witness is to be tried next, or could be instead. */
static bool is_beside(const struct outlook *o)
{
	return o->step.action == SEARCH_TEST && o->beside.n;
}

/* How likely each left node is; by the priors where trials do not lie. */
static double *masses(const struct outlook *o)
{
	const double *priors = o->s->graph.priors;
	double *ret = xcalloc(o->left.n, sizeof(*ret));
	double sum = 0;

	for (size_t i = 0; i < o->left.n; i++)
		sum += ret[i] = o->belief.mass ? o->belief.mass[i]
				: priors       ? priors[o->left.nodes[i]]
					       : 1;
	for (size_t i = 0; i < o->left.n; i++)
		ret[i] /= sum;
	return ret;
}

/* How likely a trial of the node finds it new. Witnesses are not left, but part of the left lies below. */
static double chance_of_new(const struct outlook *o, uint32_t node)
{
	const struct search_graph *g = &o->s->graph;
	const struct search_rules *rules = &o->s->rules;
	_cleanup_free_ unsigned char *below = xcalloc(g->n, 1);
	_cleanup_free_ double *mass = masses(o);
	double p = 0;

	below[node] = 1;
	for (size_t i = (size_t)node + 1; i-- > 0;)
		for (uint32_t e = g->first[i]; below[i] && e < g->first[i + 1]; e++)
			below[g->parents[e]] = 1;
	for (size_t i = 0; i < o->left.n; i++)
		p += below[o->left.nodes[i]] ? mass[i] : 0;
	/* Only a bad one is missed by chance, and in a fix that is the old state. */
	return rules->find == SEARCH_FIX ? p + (1 - p) * rules->flaky : p * (1 - rules->flaky);
}

void search_next(struct search *s, struct search_step *ret)
{
	_cleanup_outlook_ struct outlook o = { 0 };

	decide(s, &o);
	free(take_ptr(s->set));
	free(take_ptr(s->blockers));
	if (o.step.action == SEARCH_TEST)
		o.step.chance = chance_of_new(&o, o.step.node);
	if (o.step.action == SEARCH_SET) {
		s->blockers = xcalloc(o.step.n_set, sizeof(*s->blockers));
		o.step.n_blockers =
			blocks_hiding(&s->graph, o.told, o.set, o.step.n_set, s->blockers);
		o.step.blockers = s->blockers;
		o.step.set = s->set = take_ptr(o.set);
	}
	*ret = o.step;
}

/* Replaces indices into @l by nodes. */
static void name(const struct left *l, uint32_t *picked, size_t n)
{
	for (size_t i = 0; i < n; i++)
		picked[i] = l->nodes[picked[i]];
}

static size_t split_left(struct outlook *o, size_t k, uint32_t *ret)
{
	const struct search_graph *g = &o->s->graph;
	_cleanup_free_ double *mass = NULL;
	const double *priors = g->priors;
	size_t n;

	if (o->s->rules.flaky > 0) {
		weigh(&o->left);
		priors = mass = xcalloc(g->n, sizeof(*mass));
		for (size_t i = 0; i < o->left.n; i++)
			mass[o->left.nodes[i]] = o->belief.mass[i];
	}
	n = split(&o->left, o->told, priors, g->bad, k, ret);
	name(&o->left, ret, n);
	return n;
}

static size_t split_beside(const struct outlook *o, size_t k, uint32_t *ret)
{
	const struct left *around = &o->beside.around;
	_cleanup_free_ double *mass = masses(o);
	_cleanup_free_ double *own = xcalloc(around->n, sizeof(*own));
	size_t n;

	witnesses_spread(&o->beside, &o->left, mass, own);
	n = split_many(around, own, o->beside.chance, k, ret);
	name(around, ret, n);
	return n;
}

size_t search_next_k(struct search *s, size_t k, uint32_t *ret)
{
	_cleanup_outlook_ struct outlook o = { 0 };
	_cleanup_free_ uint32_t *picked = xcalloc(k + 1, sizeof(*picked));
	size_t n, kept = 0;
	bool best_first;

	decide(s, &o);
	if (o.step.action != SEARCH_TEST || !k)
		return 0;
	n = is_beside(&o) ? split_beside(&o, k, picked) : split_left(&o, k, picked);
	/* Where trials lie or fail, what is best alone knows more of it than the masses say. */
	best_first = s->rules.flaky > 0 || is_beside(&o);
	if (best_first)
		ret[kept++] = o.step.node;
	for (size_t i = 0; i < n && kept < k; i++)
		if (!best_first || picked[i] != o.step.node)
			ret[kept++] = picked[i];
	return kept;
}

static double entropy(const double *masses, size_t n)
{
	double ret = 0;

	for (size_t i = 0; i < n; i++)
		ret -= masses[i] > 0 ? masses[i] * log2(masses[i]) : 0;
	return ret;
}

unsigned int search_rounds(struct search *s, const uint32_t *nodes, size_t n)
{
	_cleanup_outlook_ struct outlook o = { 0 };
	_cleanup_free_ double *mass = NULL, *parts = NULL;

	decide(s, &o);
	if (o.step.action != SEARCH_TEST)
		return 0;
	mass = masses(&o);
	parts = xcalloc(o.left.n, sizeof(*parts));
	split_masses(&s->graph, &o.left, mass, nodes, n, parts);
	return steps_for(entropy(parts, o.left.n), entropy(mass, o.left.n), o.left.n);
}

void search_views(struct search *s, struct search_view *ret)
{
	_cleanup_outlook_ struct outlook o = { 0 };
	_cleanup_free_ double *mass = NULL;
	_cleanup_free_ uint32_t *blockers = NULL;

	for (size_t i = 0; i < s->graph.n; i++)
		ret[i] = (struct search_view){
			.verdict = state_of(s, s->told[i].verdict),
			.blocker = s->told[i].blocker,
			.inherited = s->told[i].inherited,
		};
	decide(s, &o);
	if (o.step.action == SEARCH_CONTRADICTION)
		return;
	if (!o.left.weight)
		weigh(&o.left);
	mass = masses(&o);
	blockers = xcalloc(o.left.n, sizeof(*blockers));
	blocks_presume(&o.left, o.told, blockers);
	for (size_t i = 0; i < o.left.n; i++) {
		struct search_view *v = &ret[o.left.nodes[i]];

		v->left = true;
		v->weight = o.left.weight[i];
		v->mass = mass[i];
		if (v->verdict == VERDICT_NONE)
			v->blocker = blockers[i];
	}
	for (size_t i = 0; is_beside(&o) && i < o.beside.around.n; i++)
		if (o.beside.chance[i] > 0)
			ret[o.beside.around.nodes[i]].weight = o.beside.around.weight[i];
}
