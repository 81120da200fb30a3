// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several trials at once: for every commit that could be the answer the rounds are played to their end, and
 * held against the trials that one after the other would take.
 */
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "unit/search/dag.h"

#define MOST 8

/* What trials find if @culprit is the first new one: what has it below is new. */
static enum verdict truth(const struct dag *d, uint32_t culprit, uint32_t node)
{
	return dag_reaches(d, node, culprit) ? VERDICT_BAD : VERDICT_GOOD;
}

/* Rounds until an answer; with @k 1 these are steps. @first: what was expected at the start. */
static unsigned int play(const struct dag *d, uint32_t culprit, const bool *broken, size_t k,
			 unsigned int *first, uint32_t *answer)
{
	_cleanup_(search_destroy_p) struct search *s = dag_search(d);
	unsigned int rounds = 0;

	for (;; rounds++) {
		struct search_step step;
		uint32_t nodes[MOST];
		size_t n = 1;

		search_next(s, &step);
		if (step.action != SEARCH_TEST) {
			*answer = step.action == SEARCH_FOUND ? step.node : UINT32_MAX;
			return rounds;
		}
		nodes[0] = step.node;
		if (k > 1)
			n = search_next_k(s, k, nodes);
		assert_in_range(n, 1, k);
		if (!rounds)
			*first = search_rounds(s, nodes, n);
		for (size_t i = 0; i < n; i++)
			search_set(s, nodes[i],
				   broken && broken[nodes[i]] ? VERDICT_SKIP
							      : truth(d, culprit, nodes[i]));
		assert_true(rounds < 4 * d->n);
	}
}

struct sums {
	unsigned int all, most, first;
};

static struct sums play_all(const struct dag *d, size_t k)
{
	struct sums ret = { 0 };

	for (uint32_t culprit = 0; culprit < d->n; culprit++) {
		unsigned int rounds;
		uint32_t answer;

		if (!dag_reaches(d, d->bad, culprit))
			continue;
		rounds = play(d, culprit, NULL, k, &ret.first, &answer);
		assert_int_equal(answer, culprit);
		ret.all += rounds;
		ret.most = rounds > ret.most ? rounds : ret.most;
	}
	return ret;
}

/* Each answer is right, and more at once never takes more rounds: neither in all nor at worst. */
static void rounds_end_right_and_no_later(void **state)
{
	unsigned int all[MOST + 1] = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		struct sums one;

		dag_random(&d, seed, 8 + seed % 40);
		one = play_all(&d, 1);
		all[1] += one.all;
		for (size_t k = 2; k <= MOST; k++) {
			struct sums many = play_all(&d, k);

			if (many.all > one.all || many.most > one.most)
				fail_msg("seed %lu, %zu at once: %u rounds, %u at worst; alone %u, "
					 "%u",
					 (unsigned long)seed, k, many.all, many.most, one.all,
					 one.most);
			all[k] += many.all;
		}
	}
	for (size_t k = 2; k <= MOST; k++)
		printf("%zu at once: %.2f of the steps\n", k, (double)all[k] / all[1]);
	assert_true(all[2] < 0.75 * all[1]);
	assert_true(all[MOST] < 0.5 * all[1]);
}

/* On a strand of (k + 1)^r nodes, r rounds: for each of them, and as was foreseen. */
static void strand_takes_as_many_rounds_as_foreseen(void **state)
{
	static const struct {
		size_t k, n;
		unsigned int rounds;
	} cases[] = { { 2, 81, 4 }, { 3, 64, 3 }, { 4, 125, 3 }, { 7, 64, 2 }, { 8, 81, 2 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_dag_ struct dag d = { 0 };
		struct sums got;

		dag_linear(&d, cases[i].n);
		got = play_all(&d, cases[i].k);
		assert_int_equal(got.first, cases[i].rounds);
		assert_int_equal(got.most, cases[i].rounds);
		assert_int_equal(got.all, cases[i].rounds * cases[i].n);
	}
}

/* What is foreseen is an expectation: near the mean over all answers. */
static void what_is_foreseen_is_near_the_mean(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		size_t answers = 0;

		dag_random(&d, seed, 50);
		for (uint32_t i = 0; i < d.n; i++)
			answers += dag_reaches(&d, d.bad, i);
		for (size_t k = 2; k <= MOST; k += 3) {
			struct sums got = play_all(&d, k);
			double mean = (double)got.all / (double)answers;

			if (answers > 1 && fabs(got.first - mean) > 1.5)
				fail_msg("seed %lu, %zu at once: %u foreseen, %.2f are taken",
					 (unsigned long)seed, k, got.first, mean);
		}
	}
}

/* Some cannot be tested: then the answer is right or a set, never another one. */
static void skips_in_a_round_name_no_other(void **state)
{
	unsigned int named = 0, all = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		bool broken[40];
		uint64_t state_of_dice = seed;

		dag_random(&d, seed, ARRAY_SIZE(broken));
		for (size_t i = 0; i < ARRAY_SIZE(broken); i++)
			broken[i] = dice(&state_of_dice, 6) == 0;
		for (uint32_t culprit = 0; culprit < d.n; culprit += 3) {
			unsigned int first;
			uint32_t answer;

			if (!dag_reaches(&d, d.bad, culprit))
				continue;
			play(&d, culprit, broken, 2 + seed % 7, &first, &answer);
			all++;
			named += answer == culprit;
			assert_true(answer == culprit || answer == UINT32_MAX);
		}
	}
	assert_true(named > all / 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_end_right_and_no_later),
		cmocka_unit_test(strand_takes_as_many_rounds_as_foreseen),
		cmocka_unit_test(what_is_foreseen_is_near_the_mean),
		cmocka_unit_test(skips_in_a_round_name_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
