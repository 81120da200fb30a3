// SPDX-License-Identifier: GPL-2.0-or-later
/* Several trials at once, against every choice there is. */
#include "unit/search/dag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "search/pick.h"
#include "search/split.h"

/* What is expected to be left after trials of tests[0..k): the sum of |class|^2 / n. */
static double expected(const struct left *l, const bool *below, const uint32_t *tests, size_t k)
{
	_cleanup_free_ uint32_t *pattern = xcalloc(l->n, sizeof(*pattern));
	double sum = 0;

	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < k; j++)
			pattern[i] |= (uint32_t)below[tests[j] * l->n + i] << j;
	for (size_t i = 0; i < l->n; i++)
		for (size_t j = 0; j < l->n; j++)
			sum += pattern[i] == pattern[j];
	return sum / (double)l->n;
}

/* The least of all choices of @k nodes from @from on, beside those chosen before. */
static double least(const struct left *l, const bool *below, uint32_t *tests, size_t have, size_t k)
{
	double best = INFINITY;

	if (have == k)
		return expected(l, below, tests, k);
	for (uint32_t i = have ? tests[have - 1] + 1 : 0; i + 1 < l->n; i++) {
		tests[have] = i;
		best = fmin(best, least(l, below, tests, have + 1, k));
	}
	return best;
}

static void few_nodes_are_split_as_well_as_can_be(void **state)
{
	(void)state;
	for (size_t k = 2; k <= 3; k++) {
		unsigned int games = 0, best = 0;
		double worst = 1;

		for (uint64_t seed = 1; seed <= 400; seed++) {
			_cleanup_dag_ struct dag d = { 0 };
			_cleanup_left_ struct left l = { 0 };
			_cleanup_free_ bool *below = NULL;
			struct told told[16] = { 0 };
			uint32_t tests[3], all[3];
			double ours, ideal;

			dag_random(&d, seed, 16);
			dag_left(&d, told, &l);
			if (l.n < 5)
				continue;
			below = dag_below(&l);
			assert_int_equal(split(&l, told, NULL, d.bad, k, tests), k);
			ours = expected(&l, below, tests, k);
			ideal = least(&l, below, all, 0, k);
			assert_true(ours >= ideal - 1e-9);
			worst = fmax(worst, ours / ideal);
			best += ours <= ideal + 1e-9;
			games++;
		}
		print_message(
			"%zu at once: the best in %u of %u histories, at worst %.3f of what is "
			"best is left\n",
			k, best, games, worst);
		assert_true(best * 100 >= games * 95);
		assert_true(worst < 1.2);
	}
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void strand_is_cut_into_equal_parts(void **state)
{
	(void)state;
	for (size_t n = 2; n <= 90; n++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_left_ struct left l = { 0 };
		struct told told[90] = { 0 };

		dag_linear(&d, n);
		dag_left(&d, told, &l);
		for (size_t k = 1; k <= 12; k++) {
			size_t want = k < n - 1 ? k : n - 1;
			uint32_t tests[12], start = 0;

			assert_int_equal(split(&l, told, NULL, d.bad, k, tests), want);
			qsort(tests, want, sizeof(*tests), compare);
			for (size_t i = 0; i <= want; i++) {
				uint32_t end = i < want ? tests[i] + 1 : (uint32_t)n;

				assert_in_range(end - start, n / (want + 1),
						(n + want) / (want + 1));
				start = end;
			}
		}
	}
}

static void workers_of_a_search_get_equal_parts(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	uint32_t tests[8];

	(void)state;
	dag_linear(&d, 90);
	s = dag_search(&d);
	assert_int_equal(search_next_k(s, 2, tests), 2);
	qsort(tests, 2, sizeof(*tests), compare);
	assert_int_equal(tests[0], 29);
	assert_int_equal(tests[1], 59);
	search_set(s, 0, VERDICT_BAD);
	assert_int_equal(search_next_k(s, 8, tests), 0);
}

static void first_is_the_best_single_one_of_them(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_left_ struct left l = { 0 };
		struct told told[40] = { 0 };
		uint32_t tests[5], one;
		size_t k;

		dag_random(&d, seed, 40);
		dag_left(&d, told, &l);
		one = pick(&l, told, NULL, d.bad);
		k = split(&l, told, NULL, d.bad, 5, tests);
		for (size_t i = 1; i < k; i++) {
			uint32_t a = l.weight[tests[0]], b = l.weight[tests[i]];

			assert_true(fmin(a, l.n - a) >= fmin(b, l.n - b));
			for (size_t j = 0; j < i; j++)
				assert_true(tests[i] != tests[j]);
		}
		k = split(&l, told, NULL, d.bad, 1, tests);
		assert_true(k == (one != LEFT_NONE) && (!k || tests[0] == one));
	}
}

static void what_cannot_be_tried_is_avoided(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_left_ struct left l = { 0 };
	struct told told[120] = { 0 };
	uint32_t tests[4];

	(void)state;
	dag_linear(&d, ARRAY_SIZE(told));
	told[40] = told[50] = (struct told){ .verdict = VERDICT_SKIP, .blocker = 1 };
	told[80] = (struct told){ .verdict = VERDICT_SKIP };
	dag_left(&d, told, &l);
	assert_int_equal(split(&l, told, NULL, d.bad, 4, tests), 4);
	for (size_t i = 0; i < 4; i++) {
		assert_false(tests[i] >= 40 && tests[i] <= 50);
		assert_true(tests[i] != 80);
	}
}

static void likely_nodes_are_cut_out(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_left_ struct left l = { 0 };
	struct told told[100] = { 0 };
	double priors[100];
	uint32_t tests[2];

	(void)state;
	dag_linear(&d, ARRAY_SIZE(told));
	dag_left(&d, told, &l);
	for (size_t i = 0; i < ARRAY_SIZE(priors); i++)
		priors[i] = i == 70 ? 1000 : 1;
	assert_int_equal(split(&l, told, priors, d.bad, 2, tests), 2);
	qsort(tests, 2, sizeof(*tests), compare);
	assert_int_equal(tests[0], 69);
	assert_int_equal(tests[1], 70);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(few_nodes_are_split_as_well_as_can_be),
		cmocka_unit_test(strand_is_cut_into_equal_parts),
		cmocka_unit_test(workers_of_a_search_get_equal_parts),
		cmocka_unit_test(first_is_the_best_single_one_of_them),
		cmocka_unit_test(what_cannot_be_tried_is_avoided),
		cmocka_unit_test(likely_nodes_are_cut_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
