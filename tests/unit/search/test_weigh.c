// SPDX-License-Identifier: GPL-2.0-or-later
/* Weights and sums over ancestors, against sets written out in full. */
#include "unit/search/dag.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "search/weigh.h"

/* Sums of sixteenths, so that they are exact in any order. */
static void compare(const struct dag *d, uint64_t roll, size_t kinds)
{
	_cleanup_left_ struct left l = { 0 };
	_cleanup_free_ bool *below = NULL;
	_cleanup_free_ double *own = NULL;
	_cleanup_free_ double *sums = NULL;

	dag_left(d, NULL, &l);
	below = dag_below(&l);
	own = xcalloc(l.n * kinds, sizeof(*own));
	sums = xcalloc(l.n * kinds, sizeof(*sums));
	for (size_t i = 0; i < l.n * kinds; i++)
		own[i] = dice(&roll, 1000) / 16.0;
	weigh_many(&l, own, kinds, sums);
	for (size_t i = 0; i < l.n; i++) {
		uint32_t weight = 0;

		for (size_t j = 0; j < l.n; j++)
			weight += below[i * l.n + j];
		assert_int_equal(l.weight[i], weight);
		for (size_t c = 0; c < kinds; c++) {
			double sum = 0;

			for (size_t j = 0; j < l.n; j++)
				sum += below[i * l.n + j] ? own[j * kinds + c] : 0;
			assert_true(sum == sums[i * kinds + c]);
		}
	}
}

static void weights_are_the_number_of_ancestors(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 2000; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		uint64_t roll = seed;

		dag_random(&d, seed, 1 + dice(&roll, 50));
		compare(&d, roll, 1 + dice(&roll, 3));
	}
}

/* So many rows at once that the columns do not fit in one block. */
static void weights_are_exact_over_many_blocks(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	uint64_t roll = 7;

	(void)state;
	dag_add(&d, NULL, 0);
	for (uint32_t i = 1; i < 2000; i++) {
		uint32_t parents[2] = { dice(&roll, i), dice(&roll, i) };

		dag_add(&d, parents, 2);
	}
	for (uint32_t i = 0; i < 2000; i += 2) {
		uint32_t parents[3] = { i, i + 1, (uint32_t)d.n - 1 };

		dag_add(&d, parents, 3);
	}
	compare(&d, roll, 1);
}

static void weights_of_a_long_comb_are_exact(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };

	(void)state;
	dag_comb(&d, 150, 9);
	compare(&d, 3, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_are_the_number_of_ancestors),
		cmocka_unit_test(weights_are_exact_over_many_blocks),
		cmocka_unit_test(weights_of_a_long_comb_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
