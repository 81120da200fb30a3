// SPDX-License-Identifier: GPL-2.0-or-later
/* What a search says of each node, and that its two kinds of states are mirror images. */
#include "unit/search/dag.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"

static struct search *search_of(const struct dag *d, enum search_find find, const uint32_t *weights,
				const double *priors)
{
	struct search_rules rules = { .find = find };
	struct search_graph g = { .n = d->n,
				  .first = d->first,
				  .parents = d->parents,
				  .bad = d->bad,
				  .weights = weights,
				  .priors = priors };
	struct search *s = NULL;
	struct err err = { 0 };

	if (search_create(&g, &rules, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

static enum verdict mirrored(enum verdict v)
{
	return v == VERDICT_GOOD ? VERDICT_BAD : v == VERDICT_BAD ? VERDICT_GOOD : v;
}

static void a_fix_is_searched_like_a_regression(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_(search_destroy_p) struct search *a = NULL;
		_cleanup_(search_destroy_p) struct search *b = NULL;
		uint64_t roll = seed;
		struct search_step x, y;

		dag_random(&d, seed, 2 + dice(&roll, 80));
		a = search_of(&d, SEARCH_REGRESSION, NULL, NULL);
		b = search_of(&d, SEARCH_FIX, NULL, NULL);
		do {
			enum verdict v = VERDICT_GOOD + dice(&roll, 3);
			uint32_t if_good, if_bad, good_if, bad_if;

			search_next(a, &x);
			search_next(b, &y);
			assert_int_equal(x.action, y.action);
			assert_int_equal(x.node, y.node);
			assert_int_equal(x.left, y.left);
			assert_int_equal(x.n_set, y.n_set);
			if (x.action != SEARCH_TEST)
				break;
			dag_foresee(a, x.node, &if_good, &if_bad);
			dag_foresee(b, x.node, &good_if, &bad_if);
			assert_int_equal(if_good, bad_if);
			assert_int_equal(if_bad, good_if);
			search_set(a, x.node, v);
			search_set(b, x.node, mirrored(v));
		} while (true);
	}
}

/* What is left, by walking: an ancestor of every new node, and of no old one. */
static bool slow_left(const struct dag *d, const struct search_view *views, uint32_t node)
{
	for (uint32_t i = 0; i < d->n; i++) {
		if (views[i].verdict == VERDICT_GOOD && dag_reaches(d, i, node))
			return false;
		if ((views[i].verdict == VERDICT_BAD || i == d->bad) && !dag_reaches(d, i, node))
			return false;
	}
	return true;
}

static void views_say_what_is_left_and_how_likely(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_(search_destroy_p) struct search *s = NULL;
		_cleanup_free_ struct search_view *views = NULL;
		_cleanup_free_ double *priors = NULL;
		uint64_t roll = seed;
		struct search_step step;
		double sum = 0, all = 0;

		dag_random(&d, seed, 2 + dice(&roll, 40));
		priors = xcalloc(d.n, sizeof(*priors));
		views = xcalloc(d.n, sizeof(*views));
		for (size_t i = 0; i < d.n; i++)
			priors[i] = 1 + dice(&roll, 5);
		s = search_of(&d, SEARCH_REGRESSION, NULL, seed % 2 ? priors : NULL);
		for (int i = 0; i < 4; i++) {
			search_next(s, &step);
			if (step.action == SEARCH_TEST)
				search_set(s, step.node, VERDICT_GOOD + dice(&roll, 3));
		}
		search_next(s, &step);
		search_views(s, views);
		for (uint32_t i = 0; i < d.n; i++)
			all += slow_left(&d, views, i) ? seed % 2 ? priors[i] : 1 : 0;
		for (uint32_t i = 0; i < d.n; i++) {
			double own = seed % 2 ? priors[i] : 1;
			uint32_t weight = 0;

			assert_int_equal(views[i].left, slow_left(&d, views, i));
			for (uint32_t j = 0; j < d.n; j++)
				weight += views[j].left && dag_reaches(&d, i, j);
			/* Of what is not left only witnesses have one, as far as they are asked. */
			assert_true(views[i].weight == weight ||
				    (!views[i].left && !views[i].weight));
			if (step.action == SEARCH_TEST && i == step.node)
				assert_int_equal(views[i].weight, step.weight);
			assert_true(fabs(views[i].mass - (views[i].left ? own / all : 0)) < 1e-12);
			sum += views[i].mass;
		}
		assert_true(fabs(sum - 1) < 1e-9);
	}
}

static void views_name_blockers_told_and_presumed(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_view views[10];

	(void)state;
	dag_linear(&d, 10);
	s = search_of(&d, SEARCH_FIX, NULL, NULL);
	search_block(s, 3, 4711);
	search_block(s, 6, 4711);
	search_set(s, 8, VERDICT_SKIP);
	search_set(s, 1, VERDICT_BAD);
	search_views(s, views);
	for (uint32_t i = 0; i < 10; i++) {
		assert_int_equal(views[i].blocker, i >= 3 && i <= 6 ? 4711 : 0);
		assert_int_equal(views[i].left, i > 1);
	}
	assert_int_equal(views[1].verdict, VERDICT_BAD);
	assert_int_equal(views[3].verdict, VERDICT_SKIP);
	assert_int_equal(views[4].verdict, VERDICT_NONE);
	search_set(s, 3, VERDICT_BAD); /* it could be built after all */
	search_views(s, views);
	assert_int_equal(views[3].blocker, 0);
	assert_int_equal(views[4].blocker, 0);
}

/* Where trials lie, a verdict that is not beyond doubt shows all the same that the node can be tried. */
static void one_verdict_in_between_ends_an_interval(void **state)
{
	static const struct search_rules rules = { .flaky = 0.1, .confidence = 0.99 };
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_view views[30];
	struct search_graph g;
	struct err err = { 0 };

	(void)state;
	dag_linear(&d, 30);
	g = (struct search_graph){ .n = d.n, .first = d.first, .parents = d.parents, .bad = d.bad };
	assert_int_equal(search_create(&g, &rules, &s, &err), 0);
	search_block(s, 10, 4711);
	search_block(s, 20, 4711);
	search_views(s, views);
	for (uint32_t i = 0; i < 30; i++)
		assert_int_equal(views[i].blocker, i >= 10 && i <= 20 ? 4711 : 0);
	search_set(s, 15, VERDICT_GOOD);
	search_views(s, views);
	assert_true(views[0].left);
	for (uint32_t i = 0; i < 30; i++)
		assert_int_equal(views[i].blocker, i == 10 || i == 20 ? 4711 : 0);
}

static void weights_of_the_whole_graph_are_counted_once(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_(search_destroy_p) struct search *a = NULL;
		_cleanup_(search_destroy_p) struct search *b = NULL;
		_cleanup_free_ uint32_t *weights = NULL;
		_cleanup_free_ uint32_t *again = NULL;
		uint64_t roll = seed;
		struct search_step x, y;

		dag_random(&d, seed, 2 + dice(&roll, 60));
		weights = xcalloc(d.n, sizeof(*weights));
		again = xcalloc(d.n, sizeof(*again));
		a = search_of(&d, SEARCH_REGRESSION, NULL, NULL);
		search_weights(a, weights);
		for (uint32_t i = 0; i < d.n; i++) {
			uint32_t n = 0;

			for (uint32_t j = 0; j < d.n; j++)
				n += dag_reaches(&d, i, j);
			assert_int_equal(weights[i], n);
		}
		b = search_of(&d, SEARCH_REGRESSION, weights, NULL);
		search_weights(b, again);
		assert_memory_equal(weights, again, d.n * sizeof(*weights));
		for (int i = 0; i < 3; i++) {
			search_next(a, &x);
			search_next(b, &y);
			assert_int_equal(x.action, y.action);
			assert_int_equal(x.node, y.node);
			assert_int_equal(x.weight, y.weight);
			if (x.action != SEARCH_TEST)
				break;
			search_set(a, x.node, i % 2 ? VERDICT_BAD : VERDICT_GOOD);
			search_set(b, x.node, i % 2 ? VERDICT_BAD : VERDICT_GOOD);
		}
	}
}

static void set_names_each_blocker_once(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;

	(void)state;
	dag_linear(&d, 6);
	s = search_of(&d, SEARCH_REGRESSION, NULL, NULL);
	search_set(s, 0, VERDICT_GOOD);
	search_block(s, 1, 9);
	search_block(s, 2, 2);
	search_block(s, 3, 9);
	search_set(s, 4, VERDICT_SKIP);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_SET);
	assert_int_equal(step.n_set, 5);
	assert_int_equal(step.node, 5);
	assert_int_equal(step.n_blockers, 2);
	assert_int_equal(step.blockers[0], 2);
	assert_int_equal(step.blockers[1], 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_fix_is_searched_like_a_regression),
		cmocka_unit_test(views_say_what_is_left_and_how_likely),
		cmocka_unit_test(views_name_blockers_told_and_presumed),
		cmocka_unit_test(one_verdict_in_between_ends_an_interval),
		cmocka_unit_test(weights_of_the_whole_graph_are_counted_once),
		cmocka_unit_test(set_names_each_blocker_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
