// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nodes that are asked although they are not left. That all of them together give the smallest set is shown in
 * test_blocks.c; here is what a single one does, also where histories are not monotone and trials lie.
 */
#include "unit/search/dag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "search/blocks/witness.h"

#define _cleanup_witnesses_ __attribute__((cleanup(witnesses_deinit)))

static struct search *search_of(const struct dag *d, const struct search_rules *rules)
{
	struct search_graph g = {
		.n = d->n, .first = d->first, .parents = d->parents, .bad = d->bad
	};
	struct search *s = NULL;
	struct err err = { 0 };

	if (search_create(&g, rules, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

/* Any verdicts, also such that no monotone history gives. */
static void tell_anything(const struct dag *d, uint64_t *roll, struct told *told)
{
	for (uint32_t k = dice(roll, 8); k > 0; k--) {
		struct told *t = &told[dice(roll, (uint32_t)d->n)];

		t->verdict = VERDICT_GOOD + dice(roll, 3);
		t->inherited = t->verdict == VERDICT_BAD && dice(roll, 2) == 0;
	}
}

/* What is left with one more verdict. */
static void left_with(const struct left *l, struct told *told, bool accepted, uint32_t node,
		      enum verdict v, struct left *ret)
{
	struct clash clash;

	told[node].verdict = v;
	assert_int_equal(left_find(&l->graph, told, accepted, ret, &clash), 0);
	told[node].verdict = VERDICT_NONE;
}

/* Whether @part are those of @l that are @node's ancestors, or those that are not. */
static bool is_cut(const struct dag *d, const struct left *l, const struct left *part,
		   uint32_t node, bool below)
{
	size_t at = 0;

	for (size_t i = 0; i < l->n; i++)
		if (dag_reaches(d, node, l->nodes[i]) == below &&
		    (at == part->n || part->nodes[at++] != l->nodes[i]))
			return false;
	return at == part->n;
}

static void a_verdict_cuts_the_left_as_promised(void **state)
{
	unsigned int cuts = 0, before = 0, clashes = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 6000; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_left_ struct left l = { 0 };
		_cleanup_free_ struct told *told = NULL;
		_cleanup_witnesses_ struct witnesses w = { 0 };
		uint64_t roll = seed;
		bool accepted = seed % 2;
		struct clash clash;

		dag_random(&d, seed, 3 + dice(&roll, 30));
		told = xcalloc(d.n, sizeof(*told));
		tell_anything(&d, &roll, told);
		told[d.bad] = (struct told){ 0 };
		if (left_find(&(struct search_graph){ .n = d.n,
						      .first = d.first,
						      .parents = d.parents,
						      .bad = d.bad },
			      told, accepted, &l, &clash) < 0) {
			clashes++;
			continue;
		}
		witnesses_find(&l, told, &w);
		for (size_t i = 0; i < w.around.n; i++) {
			_cleanup_left_ struct left fresh = { 0 };
			_cleanup_left_ struct left stale = { 0 };
			uint32_t node = w.around.nodes[i];

			if (!(w.chance[i] > 0))
				continue;
			left_with(&l, told, accepted, node, VERDICT_BAD, &fresh);
			left_with(&l, told, accepted, node, VERDICT_GOOD, &stale);
			assert_true(is_cut(&d, &l, &stale, node, false));
			assert_true(is_cut(&d, &l, &fresh, node, !l.before[node]));
			assert_int_equal(stale.n, l.n - w.around.weight[i]);
			before += l.before[node];
			cuts++;
		}
	}
	print_message("%u cuts, %u by what would be from before, %u clashes\n", cuts, before,
		      clashes);
	assert_true(cuts > 6000 && before > 10 && clashes < 2000);
}

/*
 *	0   old end is above; 0 and what lies below is excluded
 *	| 1	new from before: its parent outside is
 *	| |
 *	2 |	cannot be tried
 *	|\|
 *	3 4	3 is old, so 2 is: 4 carried the change in
 *	 \|
 *	  5	new end
 */
static void a_witness_can_prove_a_merge_that_carries(void **state)
{
	static const uint32_t none[1];
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	uint32_t both[2] = { 2, 1 };
	struct search_step step;

	(void)state;
	dag_add(&d, none, 0);
	dag_add(&d, none, 0);
	dag_add(&d, none, 1);
	dag_add(&d, both, 1);
	dag_add(&d, both, 2);
	both[0] = 3;
	both[1] = 4;
	dag_add(&d, both, 2);
	s = dag_search(&d);
	search_set(s, 0, VERDICT_GOOD);
	search_set(s, 1, VERDICT_BAD);
	search_inherit(s, 1);
	search_set(s, 4, VERDICT_BAD);
	search_inherit(s, 4);
	search_set(s, 2, VERDICT_SKIP);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_TEST);
	assert_int_equal(step.node, 3);
	assert_int_equal(step.left, 2);
	assert_int_equal(step.weight, 1);
	search_set(s, 3, VERDICT_GOOD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_FOUND);
	assert_int_equal(step.node, 4);
	assert_true(step.carried);
	search_set(s, 3, VERDICT_BAD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_SET);
	assert_int_equal(step.n_set, 1);
	assert_int_equal(step.set[0], 2);
	assert_int_equal(step.node, 3);
}

/* Tells what cannot be tried: one in two, and none of the left ones. */
static struct search *stuck(struct dag *d, uint64_t seed, uint64_t *roll)
{
	struct search_step step;
	struct search *s;

	dag_random(d, seed, 10 + dice(roll, 60));
	s = dag_search(d);
	for (search_next(s, &step); step.action == SEARCH_TEST; search_next(s, &step)) {
		if (!dag_reaches(d, d->bad, step.node))
			break;
		search_set(s, step.node, VERDICT_SKIP);
	}
	return s;
}

static void workers_and_views_know_of_witnesses(void **state)
{
	unsigned int games = 0, several = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_(search_destroy_p) struct search *s = NULL;
		_cleanup_free_ struct search_view *views = NULL;
		uint64_t roll = seed;
		struct search_step step, after;
		uint32_t nodes[4], if_good, if_bad;
		size_t n;

		s = stuck(&d, seed, &roll);
		search_next(s, &step);
		views = xcalloc(d.n, sizeof(*views));
		search_views(s, views);
		n = search_next_k(s, 4, nodes);
		if (step.action != SEARCH_TEST) {
			assert_int_equal(n, 0);
			continue;
		}
		games++;
		several += n > 1;
		assert_true(n >= 1 && nodes[0] == step.node);
		assert_int_equal(views[step.node].weight, step.weight);
		for (size_t i = 0; i < n; i++) {
			uint32_t w = 0;

			for (uint32_t x = 0; x < d.n; x++)
				w += views[x].left && dag_reaches(&d, nodes[i], x);
			assert_true(!views[nodes[i]].left && w > 0 && w < step.left);
			assert_int_equal(views[nodes[i]].weight, w);
			assert_int_equal(views[nodes[i]].verdict, VERDICT_NONE);
			for (size_t j = 0; j < i; j++)
				assert_true(nodes[j] != nodes[i]);
		}
		dag_foresee(s, step.node, &if_good, &if_bad);
		search_set(s, step.node, VERDICT_GOOD);
		search_next(s, &after);
		assert_int_equal(after.left, step.left - step.weight);
		assert_int_equal(after.action == SEARCH_TEST ? after.node : UINT32_MAX, if_good);
		search_set(s, step.node, VERDICT_BAD);
		search_next(s, &after);
		assert_int_equal(after.left, step.weight);
		assert_int_equal(after.action == SEARCH_TEST ? after.node : UINT32_MAX, if_bad);
	}
	assert_true(games > 50 && several > 20);
}

/* The best one there is, where no failure tells which of them can be tried more likely. */
static void the_witness_cuts_the_set_best(void **state)
{
	unsigned int games = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_left_ struct left l = { 0 };
		_cleanup_free_ struct told *told = NULL;
		_cleanup_free_ double *priors = NULL;
		_cleanup_witnesses_ struct witnesses w = { 0 };
		uint64_t roll = seed;
		double all = 0, best = -1, ours = -1, behind = 0;
		uint32_t low, pick;

		dag_random(&d, seed, 10 + dice(&roll, 50));
		told = xcalloc(d.n, sizeof(*told));
		priors = xcalloc(d.n, sizeof(*priors));
		low = dice(&roll, (uint32_t)d.n);
		told[low].verdict = dag_reaches(&d, d.bad, low) ? VERDICT_BAD : VERDICT_NONE;
		for (size_t i = 0; i < d.n; i++)
			priors[i] = seed % 2 ? 1 + dice(&roll, 20) : 1;
		dag_left(&d, told, &l);
		witnesses_find(&l, told, &w);
		pick = witnesses_pick(&w, &l, seed % 2 ? priors : NULL, &behind);
		for (size_t i = 0; i < l.n; i++)
			all += priors[l.nodes[i]];
		for (uint32_t i = 0; i < w.around.n; i++) {
			double mass = 0;

			for (size_t j = 0; j < l.n; j++)
				if (dag_reaches(&d, w.around.nodes[i], l.nodes[j]))
					mass += priors[l.nodes[j]];
			if (w.chance[i] > 0)
				best = fmax(best, fmin(mass, all - mass));
			if (i != pick)
				continue;
			ours = fmin(mass, all - mass);
			assert_true(behind == mass);
		}
		assert_true(ours == best);
		games += best > 0;
	}
	assert_true(games > 150);
}

/* A history with what cannot be tried; all verdicts of the others are right. */
struct world {
	struct dag dag;
	bool skip[40];
	uint32_t culprit;
};

/* Return: how many trials. */
static unsigned int play(const struct world *w, struct search *s, const struct search_rules *rules,
			 struct search_step *step)
{
	bool fix = rules->find == SEARCH_FIX;
	unsigned int n = 0;

	for (search_next(s, step); step->action == SEARCH_TEST; search_next(s, step)) {
		bool new = dag_reaches(&w->dag, step->node, w->culprit);

		search_set(s, step->node,
			   w->skip[step->node] ? VERDICT_SKIP
			   : new != fix	       ? VERDICT_BAD
					       : VERDICT_GOOD);
		assert_true(++n < 1000);
	}
	return n;
}

/* Whether the verdicts of all that can be tried allow @x. */
static bool allowed(const struct world *w, uint32_t x)
{
	bool fits = dag_reaches(&w->dag, w->dag.bad, x);

	for (uint32_t i = 0; fits && i < w->dag.n; i++)
		fits = w->skip[i] ||
		       dag_reaches(&w->dag, i, x) == dag_reaches(&w->dag, i, w->culprit);
	return fits;
}

static void witnesses_are_asked_where_trials_lie(void **state)
{
	unsigned int sets = 0, tests = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		struct search_rules rules = { seed % 2 ? SEARCH_FIX : SEARCH_REGRESSION, 0.05,
					      0.99 };
		struct world w = { 0 };
		_cleanup_(search_destroy_p) struct search *s = NULL;
		struct search_step step;
		uint64_t roll = seed;
		size_t n = 0;
		uint32_t rate = dice(&roll, 100);

		dag_random(&w.dag, seed, 2 + dice(&roll, 20));
		for (uint32_t i = 0; i < w.dag.n; i++)
			w.skip[i] = i != w.dag.bad && dice(&roll, 100) < rate;
		do
			w.culprit = dice(&roll, (uint32_t)w.dag.n);
		while (!dag_reaches(&w.dag, w.dag.bad, w.culprit));
		s = search_of(&w.dag, &rules);
		tests += play(&w, s, &rules, &step);
		for (uint32_t x = 0; x < w.dag.n; x++) {
			if (!allowed(&w, x))
				continue;
			assert_true(step.action == SEARCH_SET ? step.set[n] == x : step.node == x);
			n++;
		}
		assert_int_equal(n, step.action == SEARCH_SET ? step.n_set : 1);
		sets += step.action == SEARCH_SET;
		dag_deinit(&w.dag);
	}
	print_message("%u sets in 400 games, %.2f trials\n", sets, tests / 400.0);
	assert_true(sets > 100 && sets < 300);
}

static void a_turn_asks_nobody_outside_of_it(void **state)
{
	unsigned int asked = 0, witnesses = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_(search_destroy_p) struct search *s = NULL;
		_cleanup_(search_destroy_p) struct search *turn = NULL;
		uint64_t roll = seed;
		struct search_step step;
		struct err err = { 0 };
		uint32_t fresh, stale;

		dag_random(&d, seed, 10 + dice(&roll, 40));
		s = dag_search(&d);
		fresh = dice(&roll, (uint32_t)d.n / 2);
		stale = fresh + 1 + dice(&roll, (uint32_t)d.n - fresh - 1);
		if (!dag_reaches(&d, stale, fresh))
			continue;
		search_set(s, fresh, VERDICT_BAD);
		search_set(s, stale, VERDICT_GOOD);
		assert_int_equal(search_turn(s, fresh, stale, TURN_WENT, &turn, &err), 0);
		for (search_next(turn, &step); step.action == SEARCH_TEST;
		     search_next(turn, &step)) {
			size_t left = step.left;

			assert_true(dag_reaches(&d, step.node, fresh));
			assert_true(dag_reaches(&d, stale, step.node));
			search_set(turn, step.node, VERDICT_GOOD + dice(&roll, 3));
			search_next(turn, &step);
			witnesses += step.action == SEARCH_TEST && step.left == left;
			asked++;
		}
		assert_int_not_equal(step.action, SEARCH_CONTRADICTION);
	}
	assert_true(asked > 500 && witnesses > 0);
}

static void trials_in_vain_are_limited(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;
	uint32_t untried = 0, ends[1001], n = 0, tests = 0;

	(void)state;
	dag_linear(&d, 3);
	ends[n++] = 2;
	for (int i = 0; i < 1000; i++)
		ends[n++] = dag_add(&d, (uint32_t[]){ i % 2 }, 1);
	dag_add(&d, ends, n);
	s = dag_search(&d);
	search_set(s, 2, VERDICT_BAD);
	for (search_next(s, &step); step.action == SEARCH_TEST; search_next(s, &step)) {
		search_set(s, step.node, VERDICT_SKIP);
		untried += step.node < 3;
		tests++;
	}
	assert_int_equal(untried, 2);
	assert_int_equal(step.action, SEARCH_SET);
	assert_int_equal(step.n_set, 3);
	assert_in_range(tests, 30, 4 * (log2(1000) + 1) + 3);
}

static void what_is_presumed_to_be_blocked_is_no_witness(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;
	uint32_t both[2] = { 1, 0 }, tests = 0;

	(void)state;
	dag_linear(&d, 2);
	for (int i = 0; i < 50; i++)
		both[1] = dag_add(&d, &both[1], 1);
	dag_add(&d, both, 2);
	s = dag_search(&d);
	search_set(s, 1, VERDICT_BAD);
	for (search_next(s, &step); step.action == SEARCH_TEST; search_next(s, &step)) {
		search_block(s, step.node, 77);
		tests++;
	}
	assert_int_equal(step.action, SEARCH_SET);
	assert_int_equal(step.n_set, 2);
	assert_in_range(tests, 3, 7); /* 0, and the branch halved towards its end */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_verdict_cuts_the_left_as_promised),
		cmocka_unit_test(a_witness_can_prove_a_merge_that_carries),
		cmocka_unit_test(workers_and_views_know_of_witnesses),
		cmocka_unit_test(the_witness_cuts_the_set_best),
		cmocka_unit_test(witnesses_are_asked_where_trials_lie),
		cmocka_unit_test(a_turn_asks_nobody_outside_of_it),
		cmocka_unit_test(trials_in_vain_are_limited),
		cmocka_unit_test(what_is_presumed_to_be_blocked_is_no_witness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
