// SPDX-License-Identifier: GPL-2.0-or-later
/* The choice of the next node: a best one by brute force, few steps, priors that may be wrong. */
#include "unit/search/dag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "search/pick.h"

#define SMALL 12

/* A random history with some verdicts that agree with a planted culprit. */
static void random_state(const struct dag *d, uint64_t *roll, struct told *told)
{
	uint32_t culprit;

	do
		culprit = dice(roll, (uint32_t)d->n);
	while (!dag_reaches(d, d->bad, culprit));
	for (uint32_t k = dice(roll, 4); k > 0; k--) {
		uint32_t i = dice(roll, (uint32_t)d->n);

		told[i].verdict = dag_reaches(d, i, culprit) ? VERDICT_BAD : VERDICT_GOOD;
	}
}

/* Part of the mass below each node, counted by walking. */
static double slow_mass(const struct left *l, const bool *below, const double *priors, size_t i)
{
	double sum = 0;

	for (size_t j = 0; j < l->n; j++)
		if (below[i * l->n + j])
			sum += priors ? priors[l->nodes[j]] : 1;
	return sum;
}

static void check_best(const struct left *l, const struct told *told, const double *priors,
		       uint32_t bad)
{
	_cleanup_free_ bool *below = dag_below(l);
	uint32_t i = pick(l, told, priors, bad);
	double all = 0, best = -1, ours;

	for (size_t j = 0; j < l->n; j++)
		all += priors ? priors[l->nodes[j]] : 1;
	for (size_t j = 0; j < l->n; j++) {
		double m = slow_mass(l, below, priors, j);

		if (pick_can(l, told, bad, j) && fmin(m, all - m) > best)
			best = fmin(m, all - m);
	}
	if (best < 0) {
		assert_int_equal(i, LEFT_NONE);
		return;
	}
	assert_true(i != LEFT_NONE && pick_can(l, told, bad, i));
	ours = slow_mass(l, below, priors, i);
	if (priors)
		assert_true(fmin(ours, all - ours) >= best - 1e-5 * all);
	else
		assert_true(fmin(ours, all - ours) == best);
}

static void choice_is_always_a_best_one(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_left_ struct left l = { 0 };
		_cleanup_free_ struct told *told = NULL;
		_cleanup_free_ double *priors = NULL;
		uint64_t roll = seed;

		dag_random(&d, seed, 2 + dice(&roll, 60));
		told = xcalloc(d.n, sizeof(*told));
		priors = xcalloc(d.n, sizeof(*priors));
		random_state(&d, &roll, told);
		for (size_t i = 0; i < d.n; i++)
			priors[i] = pow(2, dice(&roll, 12)) * (1 + dice(&roll, 100) / 100.0);
		dag_left(&d, told, &l);
		check_best(&l, told, NULL, d.bad);
		check_best(&l, told, priors, d.bad);
	}
}

/* Plays a whole search; Return: how many trials. */
static unsigned int play(const struct dag *d, const double *priors, uint32_t culprit)
{
	_cleanup_free_ struct told *told = xcalloc(d->n, sizeof(*told));

	for (unsigned int trials = 0;; trials++) {
		_cleanup_left_ struct left l = { 0 };
		uint32_t i;

		dag_left(d, told, &l);
		i = pick(&l, told, priors, d->bad);
		if (i == LEFT_NONE) {
			assert_int_equal(l.n, 1);
			assert_int_equal(l.nodes[0], culprit);
			return trials;
		}
		i = l.nodes[i];
		told[i].verdict = dag_reaches(d, i, culprit) ? VERDICT_BAD : VERDICT_GOOD;
	}
}

/* For histories of at most SMALL nodes; what is left is a bit mask. */
struct small {
	uint32_t below[SMALL];
	double priors[SMALL];
	double memo[1 << SMALL]; /* 0: not known yet */
};

/*
 * The fewest trials that any strategy takes, each culprit's counted as often as its prior says: what is
 * left is tried once, and then one of two parts of it is.
 */
static double fewest(struct small *s, uint32_t set)
{
	double best = INFINITY, all = 0;

	if (!(set & (set - 1)))
		return 0;
	if (s->memo[set] > 0)
		return s->memo[set];
	for (uint32_t rest = set; rest; rest &= rest - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(rest);
		uint32_t bad = set & s->below[i];

		all += s->priors[i];
		if (bad != set)
			best = fmin(best, fewest(s, bad) + fewest(s, set & ~bad));
	}
	return s->memo[set] = best + all;
}

/* How many trials more than the best strategy this history takes on average over its culprits. */
static double excess(const struct dag *d, const double *priors)
{
	struct small s = { 0 };
	double ours = 0, all = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		s.priors[i] = priors ? priors[i] : 1;
		for (uint32_t j = 0; j < d->n; j++)
			s.below[i] |= (uint32_t)dag_reaches(d, i, j) << j;
	}
	for (uint32_t c = 0; c < d->n; c++)
		if (s.below[d->bad] >> c & 1) {
			ours += s.priors[c] * play(d, priors, c);
			all += s.priors[c];
		}
	return (ours - fewest(&s, s.below[d->bad])) / all;
}

/* One strand of 1024: without a suspect ten tests; with a sure one a few, however deep it lies. */
static void a_suspect_makes_fewer_steps_expected(void **state)
{
	_cleanup_free_ double *priors = NULL;
	_cleanup_dag_ struct dag d = { 0 };

	(void)state;
	dag_linear(&d, 1024);
	priors = xcalloc(d.n, sizeof(*priors));
	for (uint32_t suspect = 1; suspect < d.n; suspect += 93) {
		_cleanup_(search_destroy_p) struct search *s = NULL;
		struct search_graph g = {
			.n = d.n, .first = d.first, .parents = d.parents, .bad = d.bad
		};
		struct search_step step;
		struct err err;

		assert_int_equal(search_create(&g, NULL, &s, &err), 0);
		search_next(s, &step);
		assert_int_equal(step.steps, 10);
		search_destroy(take_ptr(s));
		for (size_t i = 0; i < d.n; i++)
			priors[i] = i == suspect ? 1e6 : 1;
		g.priors = priors;
		assert_int_equal(search_create(&g, NULL, &s, &err), 0);
		search_next(s, &step);
		assert_int_equal(step.action, SEARCH_TEST);
		assert_in_range(step.steps, 1, 20);
	}
}

static void steps_are_near_the_best_strategy_on_average(void **state)
{
	double sum[2] = { 0 }, most[2] = { 0 };
	unsigned int games = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 1000; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		double priors[SMALL];
		uint64_t roll = seed;

		dag_random(&d, seed, 2 + dice(&roll, SMALL - 1));
		for (size_t i = 0; i < d.n; i++)
			priors[i] = 1 << dice(&roll, 8);
		for (int with = 0; with < 2; with++) {
			double more = excess(&d, with ? priors : NULL);

			assert_true(more > -1e-9);
			sum[with] += more;
			most[with] = fmax(most[with], more);
		}
		games++;
	}
	for (int with = 0; with < 2; with++) {
		print_message("%s priors: %.4f trials more than the best strategy, at most %.2f\n",
			      with ? "with" : "without", sum[with] / games, most[with]);
		assert_true(most[with] < 1);
		assert_true(sum[with] / games < 0.1);
	}
}

/* The most that a culprit costs beyond @factor bits for each bit that its prior says. */
static double worst_culprit(const struct dag *d, const double *priors, double factor)
{
	double most = -INFINITY, all = 0;

	for (size_t i = 0; i < d->n; i++)
		all += priors[i];
	for (uint32_t c = 0; c < d->n; c++)
		most = fmax(most, play(d, priors, c) - factor * log2(all / priors[c]));
	return most;
}

static void wrong_priors_cost_what_the_culprit_was_thought_unlikely(void **state)
{
	double most = -INFINITY;

	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		double priors[64];
		uint64_t roll = seed;
		size_t n = 1 + dice(&roll, ARRAY_SIZE(priors));
		uint32_t range = 1 + dice(&roll, 40);

		dag_linear(&d, n);
		for (size_t i = 0; i < n; i++)
			priors[i] = pow(2, dice(&roll, range)) * (1 + dice(&roll, 99) / 99.0);
		most = fmax(most, worst_culprit(&d, priors, 1));
	}
	print_message("wrong priors: at most log2(all / the culprit's) + %.2f trials\n", most);
	assert_true(most <= 3);
}

static void priors_made_to_mislead_cost_the_golden_ratio(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	double priors[64] = { 1, 1 };

	(void)state;
	dag_linear(&d, ARRAY_SIZE(priors));
	for (size_t i = 2; i < d.n; i++)
		priors[i] = priors[i - 1] + priors[i - 2];
	assert_true(worst_culprit(&d, priors, 1) > 10);
	assert_true(worst_culprit(&d, priors, 1 / log2((1 + sqrt(5)) / 2)) < 1);
}

static void priors_that_are_alike_change_nothing(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_left_ struct left l = { 0 };
		struct told told[40] = { 0 };
		double priors[40];

		dag_random(&d, seed, 40);
		dag_left(&d, NULL, &l);
		for (size_t i = 0; i < d.n; i++)
			priors[i] = 0.3;
		assert_int_equal(pick(&l, told, priors, d.bad), pick(&l, told, NULL, d.bad));
	}
}

static void of_equal_masses_the_one_with_more_nodes_is_taken(void **state)
{
	static const uint32_t none[1];
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_left_ struct left l = { 0 };
	struct told told[7] = { 0 };
	double priors[7] = { 4, 1, 1, 1, 1, 4, 1 };
	uint32_t both[2], one, four;

	(void)state;
	one = dag_add(&d, none, 0);
	four = dag_add(&d, none, 0);
	for (int i = 0; i < 3; i++)
		four = dag_add(&d, &four, 1);
	both[0] = one;
	both[1] = four;
	dag_add(&d, both, 2);
	both[0] = (uint32_t)d.n - 1;
	dag_add(&d, both, 1);
	dag_left(&d, told, &l);
	assert_int_equal(l.nodes[pick(&l, told, priors, d.bad)], four);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(choice_is_always_a_best_one),
		cmocka_unit_test(steps_are_near_the_best_strategy_on_average),
		cmocka_unit_test(a_suspect_makes_fewer_steps_expected),
		cmocka_unit_test(wrong_priors_cost_what_the_culprit_was_thought_unlikely),
		cmocka_unit_test(priors_made_to_mislead_cost_the_golden_ratio),
		cmocka_unit_test(priors_that_are_alike_change_nothing),
		cmocka_unit_test(of_equal_masses_the_one_with_more_nodes_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
