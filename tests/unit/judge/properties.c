// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Verdicts over random runs against brute force: what a verdict claims is looked up again in the
 * raw samples, without the rooms' own helpers, in the plainest way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/str.h"
#include "judge/judge.h"

#define MIB	(UINT64_C(1) << 20)
#define REPEATS 3
#define SIZES	3

struct run {
	struct wire_sample s[REGIME_COUNT * SIZES * REPEATS];
	size_t n;
};

static const uint64_t sizes[SIZES] = { 2 * MIB, 4 * MIB, 8 * MIB };

static bool one_in(int n)
{
	return random() % n == 0;
}

/* Restarts of 1002 to 1006 ms each, then the copy itself, up to three times slower by noise. */
static int64_t burnt_ns(uint32_t windows)
{
	int64_t ns = (1 + random() % 30) * NS_PER_MS * (one_in(4) ? 3 : 1);

	for (uint32_t i = 0; i < windows; i++)
		ns += (1002 + random() % 5) * NS_PER_MS;
	return ns;
}

/* @defect: windows are burnt as the law says */
static void make_run(struct run *r, bool defect)
{
	r->n = 0;
	for (int z = 0; z < SIZES; z++)
		for (enum wire_regime g = 0; g < REGIME_COUNT; g++)
			for (uint32_t k = 0; k < REPEATS; k++) {
				struct wire_sample *s = &r->s[r->n++];

				*s = (struct wire_sample){ .regime = g,
							   .bytes = sizes[z],
							   .repeat = k };
				s->extents = (uint32_t)(sizes[z] / (2 * MIB));
				s->resident = g == REGIME_RW_ABSENT ? 0 : s->extents;
				s->elapsed_ns = burnt_ns(
					defect && g == REGIME_RW_RESIDENT ? s->resident : 0);
			}
}

static void judge_run(const struct run *r, struct judgement *j)
{
	static struct measurement m[MEASURE_MAX];
	struct err err;
	int n = measure_samples(r->s, r->n, MEASURE_WINDOW_NS, m, &err);

	assert_true(n >= 0);
	judge(m, (size_t)n, NULL, NULL, j);
}

static void both_kernels_are_told_apart_in_spite_of_noise(void **state)
{
	static struct run r;
	struct judgement j;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		make_run(&r, i & 1);
		judge_run(&r, &j);
		assert_int_equal(j.verdict, i & 1 ? VERDICT_BAD : VERDICT_GOOD);
	}
}

static void shuffled_samples_give_the_same_verdict(void **state)
{
	static struct run r;
	struct judgement a, b;

	(void)state;
	for (int i = 0; i < 500; i++) {
		make_run(&r, i & 1);
		judge_run(&r, &a);
		for (size_t k = r.n - 1; k; k--) {
			size_t other = (size_t)random() % (k + 1);
			struct wire_sample t = r.s[k];

			r.s[k] = r.s[other];
			r.s[other] = t;
		}
		judge_run(&r, &b);
		assert_memory_equal(&a, &b, sizeof(a));
	}
}

static void a_stall_of_any_fixed_length_is_never_bad(void **state)
{
	static struct run r;
	struct judgement j;

	(void)state;
	for (int64_t stall_ms = 0; stall_ms < 12000; stall_ms += 50) {
		make_run(&r, false);
		for (size_t i = 0; i < r.n; i++)
			if (r.s[i].regime == REGIME_RW_RESIDENT)
				r.s[i].elapsed_ns += stall_ms * NS_PER_MS;
		judge_run(&r, &j);
		assert_int_not_equal(j.verdict, VERDICT_BAD);
		if (stall_ms >= 300)
			assert_int_equal(j.verdict, VERDICT_WEAK);
	}
}

static void slowness_in_proportion_without_windows_is_never_bad(void **state)
{
	static struct run r;
	struct judgement j;

	(void)state;
	for (int factor = 1; factor < 200; factor++) {
		make_run(&r, false);
		for (size_t i = 0; i < r.n; i++)
			if (r.s[i].regime == REGIME_RW_RESIDENT)
				r.s[i].elapsed_ns = 5 * NS_PER_MS * factor;
		judge_run(&r, &j);
		assert_int_not_equal(j.verdict, VERDICT_BAD);
	}
}

/* A change of one kind somewhere in the run. */
static void disturb(struct run *r)
{
	struct wire_sample *s = &r->s[(size_t)random() % r->n];

	switch (random() % 6) {
	case 0:
		s->elapsed_ns += random() % 3000 * NS_PER_MS;
		break;
	case 1:
		s->elapsed_ns = random() % 9000 * NS_PER_MS;
		break;
	case 2:
		s->resident = (uint32_t)random() % (s->extents + 1);
		break;
	case 3:
		s->result = one_in(2) ? -11 : 0;
		break;
	case 4:
		*s = r->s[--r->n];
		break;
	default:
		s->warmup = one_in(2);
	}
}

static bool counts(const struct wire_sample *s, enum wire_regime g, uint64_t bytes)
{
	return !s->warmup && s->regime == g && s->bytes == bytes;
}

/* Every size that was measured has all regimes, none failed, each is what its name says. */
static bool is_complete(const struct run *r)
{
	int sizes_seen = 0;

	for (int z = 0; z < SIZES; z++) {
		int seen[REGIME_COUNT] = { 0 }, all = 0;

		for (size_t i = 0; i < r->n; i++)
			for (enum wire_regime g = 0; g < REGIME_COUNT; g++)
				if (counts(&r->s[i], g, sizes[z])) {
					if (r->s[i].result)
						return false;
					seen[g]++;
					all++;
				}
		sizes_seen += all > 0;
		if (all && (!seen[0] || !seen[1] || !seen[2]))
			return false;
	}
	return sizes_seen >= 2;
}

static bool controls_show_no_windows(const struct run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->s[i].warmup && r->s[i].regime != REGIME_RW_RESIDENT &&
		    r->s[i].elapsed_ns >= 990 * NS_PER_MS)
			return false;
	return true;
}

/* Sizes at which each counted copy burnt at least one window, and within one of what it should. */
static int sizes_that_match(const struct run *r)
{
	int n = 0;

	for (int z = 0; z < SIZES; z++) {
		bool any = false, match = true;

		for (size_t i = 0; i < r->n; i++) {
			/* The last window is forgiven its last hundredth, see measure.c. */
			int64_t w = (r->s[i].elapsed_ns + 10 * NS_PER_MS) / NS_PER_S;

			if (!counts(&r->s[i], REGIME_RW_RESIDENT, sizes[z]))
				continue;
			any = true;
			match &= w >= 1 && llabs(w - (int64_t)r->s[i].resident) <= 1;
		}
		n += any && match;
	}
	return n;
}

static bool any_window(const struct run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!r->s[i].warmup && r->s[i].elapsed_ns >= 990 * NS_PER_MS)
			return true;
	return false;
}

static void what_a_verdict_claims_is_in_the_raw_samples(void **state)
{
	int count[VERDICT_COUNT] = { 0 };
	static struct run r;
	struct judgement j;

	(void)state;
	for (int i = 0; i < 40000; i++) {
		make_run(&r, i & 1);
		for (long k = random() % 5; k > 0; k--)
			disturb(&r);
		judge_run(&r, &j);
		count[j.verdict]++;
		if (j.verdict == VERDICT_WEAK)
			continue;
		assert_true(is_complete(&r));
		assert_true(controls_show_no_windows(&r));
		if (j.verdict == VERDICT_BAD)
			assert_true(sizes_that_match(&r) >= 2);
		else
			assert_false(any_window(&r));
	}
	assert_int_equal(count[VERDICT_GOOD] + count[VERDICT_BAD] + count[VERDICT_WEAK], 40000);
	/* The disturbances must neither always nor never decide, or this shows nothing. */
	assert_true(count[VERDICT_GOOD] > 4000 && count[VERDICT_BAD] > 4000 &&
		    count[VERDICT_WEAK] > 4000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_kernels_are_told_apart_in_spite_of_noise),
		cmocka_unit_test(shuffled_samples_give_the_same_verdict),
		cmocka_unit_test(a_stall_of_any_fixed_length_is_never_bad),
		cmocka_unit_test(slowness_in_proportion_without_windows_is_never_bad),
		cmocka_unit_test(what_a_verdict_claims_is_in_the_raw_samples),
	};

	srandom(6523);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
