// SPDX-License-Identifier: GPL-2.0-or-later
/* The gap rule: ranges, refusals, and how often whole bisections go wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "judge/gap.h"

#define BISECTS 1000
#define COMMITS 256

/* splitmix64; https://prng.di.unimi.it/splitmix64.c */
static uint64_t state_of_chance;
static uint64_t draw(void)
{
	uint64_t z = (state_of_chance += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double uniform(void)
{
	return ((double)(draw() >> 11) + 0.5) / (double)(UINT64_C(1) << 53);
}

/* How a figure is spread about its median of 1. */
static double normal(void)
{
	return 1 + 0.10 * sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double even(void)
{
	return 0.9 + 0.2 * uniform();
}

/* A busy machine: never faster, sometimes far slower. */
static double skewed(void)
{
	return 0.9 + 0.10 / log(2) * -log(uniform());
}

static double exact(void)
{
	return 1;
}

static struct spread runs(double (*noise)(void), double factor, size_t n)
{
	double value[GAP_RUNS_MAX];
	struct spread s;

	for (size_t i = 0; i < n; i++)
		value[i] = factor * noise();
	spread_make(value, n, &s);
	return s;
}

enum outcome { RIGHT, WRONG, NONE, REFUSED, OUTCOMES };

/* A trial, made once more if it is weak, as a run does. */
static enum verdict trial(const struct gap_ends *ends, double (*noise)(void), double factor,
			  size_t n, unsigned int *weak)
{
	enum verdict v = VERDICT_WEAK;

	for (int i = 0; v == VERDICT_WEAK && i < 2; i++) {
		struct spread s = runs(noise, factor, n);

		v = gap_judge(ends, &s);
		*weak += v == VERDICT_WEAK;
	}
	return v;
}

/* Ends, halving, and the proof: the culprit and its parent once more. A weak that stays ends it. */
static enum outcome bisect(double (*noise)(void), double worse, size_t n, unsigned int *weak)
{
	unsigned int culprit = 1 + (unsigned int)(draw() % (COMMITS - 1));
	unsigned int good = 0, bad = COMMITS;
	struct gap_ends ends = { .good = runs(noise, 1, n), .bad = runs(noise, worse, n) };

	if (!gap_is_there(&ends)) /* an end that is weak is tried once more */
		ends.bad = runs(noise, worse, n);
	if (!gap_is_there(&ends))
		return REFUSED;
	while (bad - good > 1) {
		unsigned int mid = good + (bad - good) / 2;
		enum verdict v = trial(&ends, noise, mid >= culprit ? worse : 1, n, weak);

		if (v == VERDICT_WEAK)
			return NONE;
		*(v == VERDICT_BAD ? &bad : &good) = mid;
	}
	if (trial(&ends, noise, bad >= culprit ? worse : 1, n, weak) != VERDICT_BAD ||
	    trial(&ends, noise, good >= culprit ? worse : 1, n, weak) != VERDICT_GOOD)
		return NONE;
	return bad == culprit ? RIGHT : WRONG;
}

static void count(double (*noise)(void), double worse, size_t n, unsigned int ret[OUTCOMES],
		  const char *what)
{
	unsigned int weak = 0;

	state_of_chance = 1;
	memset(ret, 0, OUTCOMES * sizeof(*ret));
	for (int i = 0; i < BISECTS; i++)
		ret[bisect(noise, worse, n, &weak)]++;
	print_message("%s, %zu runs: %u right, %u wrong, %u not named, %u ends refused of %d; "
		      "%u weak trials\n",
		      what, n, ret[RIGHT], ret[WRONG], ret[NONE], ret[REFUSED], BISECTS, weak);
}

static void thirty_percent_in_ten_percent_noise_is_found(void **state)
{
	unsigned int got[OUTCOMES];

	(void)state;
	count(normal, 1.3, GAP_RUNS_DEFAULT, got, "30 % worse, 10 % normal noise");
	assert_int_equal(got[WRONG], 0);
	assert_true(got[RIGHT] >= 980);
	count(even, 1.3, GAP_RUNS_DEFAULT, got, "30 % worse, +-10 % even noise");
	assert_int_equal(got[WRONG], 0);
	assert_true(got[RIGHT] >= 990);
	count(skewed, 1.3, GAP_RUNS_DEFAULT, got, "30 % worse, 10 % one-sided noise");
	/* Half of its runs lie within 8 % of each other, the slowest tenth 23 % above the median. */
	assert_true(got[WRONG] <= 5);
	assert_true(got[RIGHT] >= 900);
}

static void lower_can_be_worse_as_well(void **state)
{
	unsigned int got[OUTCOMES];

	(void)state;
	count(normal, 0.7, GAP_RUNS_DEFAULT, got, "30 % less, 10 % normal noise");
	assert_int_equal(got[WRONG], 0);
	assert_true(got[RIGHT] >= 980);
}

static void an_exact_figure_needs_no_more_than_to_differ(void **state)
{
	unsigned int got[OUTCOMES];

	(void)state;
	count(exact, 1.001, GAP_RUNS_MIN, got, "0.1 % worse, no noise");
	assert_int_equal(got[RIGHT], BISECTS);
}

/* docs/judging.md has this table; at these numbers the range gets narrower by one run on each side. */
static void more_runs_leave_less_open_and_mislead_less(void **state)
{
	static const size_t runs_of[] = { 6, 9, 12, 15, 17, 20, 30 };
	unsigned int got[OUTCOMES], right = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(runs_of); i++) {
		count(normal, 1.3, runs_of[i], got, "30 % worse, 10 % normal noise");
		assert_true(got[RIGHT] + 5 >= right);
		assert_true(got[WRONG] <= (runs_of[i] < 9 ? 20 : 1));
		right = got[RIGHT];
	}
}

static void ends_that_do_not_differ_are_refused(void **state)
{
	unsigned int got[OUTCOMES];

	(void)state;
	count(normal, 1, GAP_RUNS_DEFAULT, got, "nothing worse, 10 % normal noise");
	assert_true(got[REFUSED] >= 950);
	count(exact, 1, GAP_RUNS_DEFAULT, got, "nothing worse, no noise");
	assert_int_equal(got[REFUSED], BISECTS);
}

static double at_most(size_t n, size_t k)
{
	double ret = 0, c = 1;

	for (size_t i = 0; i <= k; i++) {
		ret += c;
		c = c * (double)(n - i) / (double)(i + 1);
	}
	return ret / pow(2, (double)n);
}

/* The least and the first that is too many, by the binomial theorem. */
static void a_range_misses_its_median_as_rarely_as_is_said(void **state)
{
	(void)state;
	for (size_t n = GAP_RUNS_MIN; n <= GAP_RUNS_MAX; n++) {
		size_t j = spread_rank(n);

		assert_true(2 * at_most(n, j - 1) <= GAP_RANGE_MISSES);
		assert_true(2 * at_most(n, j) > GAP_RANGE_MISSES || j == n / 2);
	}
	assert_int_equal(spread_rank(GAP_RUNS_MIN), 1);
	assert_int_equal(spread_rank(GAP_RUNS_DEFAULT), 4);
	for (size_t n = 1; n < GAP_RUNS_MIN; n++)
		assert_int_equal(spread_rank(n), 1);
}

static void the_middle_third_of_the_gap_is_nobodys(void **state)
{
	static const double good[] = { 9, 10, 10, 10, 10, 11 }, bad[] = { 14, 15, 15, 15, 15, 16 };
	static const struct {
		double value;
		enum verdict is;
	} cases[] = {
		{ 0, VERDICT_GOOD },	{ 11, VERDICT_GOOD },	{ 12, VERDICT_GOOD },
		{ 12.1, VERDICT_WEAK }, { 12.9, VERDICT_WEAK }, { 13, VERDICT_BAD },
		{ 14, VERDICT_BAD },	{ 1e9, VERDICT_BAD },
	};
	struct gap_ends up, down;

	(void)state;
	spread_make(good, 6, &up.good);
	spread_make(bad, 6, &up.bad);
	down = (struct gap_ends){ .good = up.bad, .bad = up.good };
	assert_true(gap_is_there(&up) && gap_higher_is_worse(&up));
	assert_true(gap_is_there(&down) && !gap_higher_is_worse(&down));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct spread s;
		enum verdict other = cases[i].is == VERDICT_GOOD  ? VERDICT_BAD
				     : cases[i].is == VERDICT_BAD ? VERDICT_GOOD
								  : VERDICT_WEAK;

		spread_make(&cases[i].value, 1, &s);
		assert_int_equal(gap_judge(&up, &s), cases[i].is);
		assert_int_equal(gap_judge(&down, &s), other);
	}
}

static void ranges_that_touch_are_no_gap(void **state)
{
	static const double good[] = { 1, 1, 1, 1, 1, 2 }, bad[] = { 2, 3, 3, 3, 3, 3 };
	struct gap_ends ends = { 0 };

	(void)state;
	assert_false(gap_is_there(&ends));
	spread_make(good, 6, &ends.good);
	assert_false(gap_is_there(&ends));
	spread_make(bad, 6, &ends.bad);
	assert_false(gap_is_there(&ends));
}

/* What is written down is no less than what happens. */
static void the_chance_that_is_stated_is_not_exceeded(void **state)
{
	unsigned int trials = 0, wrong = 0;
	double stated = 0;

	(void)state;
	state_of_chance = 7;
	for (int i = 0; i < 2000; i++) {
		struct gap_ends ends = { .good = runs(normal, 1, 7), .bad = runs(normal, 1.2, 7) };

		if (!gap_is_there(&ends))
			continue;
		stated += 20 * gap_error(&ends, 7);
		for (int k = 0; k < 20; k++, trials++) {
			bool is_bad = k % 2;
			struct spread s = runs(normal, is_bad ? 1.2 : 1, 7);

			wrong += gap_judge(&ends, &s) == (is_bad ? VERDICT_GOOD : VERDICT_BAD);
		}
	}
	print_message("20 %% worse, 7 runs: %u of %u trials wrong, %.0f by what was stated\n",
		      wrong, trials, stated);
	assert_true(trials > 1000);
	assert_true(wrong <= stated);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirty_percent_in_ten_percent_noise_is_found),
		cmocka_unit_test(lower_can_be_worse_as_well),
		cmocka_unit_test(an_exact_figure_needs_no_more_than_to_differ),
		cmocka_unit_test(more_runs_leave_less_open_and_mislead_less),
		cmocka_unit_test(ends_that_do_not_differ_are_refused),
		cmocka_unit_test(a_range_misses_its_median_as_rarely_as_is_said),
		cmocka_unit_test(the_middle_third_of_the_gap_is_nobodys),
		cmocka_unit_test(ranges_that_touch_are_no_gap),
		cmocka_unit_test(the_chance_that_is_stated_is_not_exceeded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
