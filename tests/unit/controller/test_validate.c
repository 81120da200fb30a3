// SPDX-License-Identifier: GPL-2.0-or-later
/* What patches do to a build, by figures as they were measured: each rule, and the one before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "controller/validate/verdict.h"

#define ROWS 6 /* three regimes at two sizes */

/* Medians in ms of r--p resident, rw-p not resident, rw-p resident; ranges of 10 % around them. */
struct figures {
	double ms[3];
	bool windows;  /* rw-p resident waits: two at 4 MiB, four at 8 MiB */
	double add[3]; /* to all of a regime, after the windows */
};

static void fill(const struct figures *f, struct measurement m[ROWS])
{
	static const enum wire_regime regimes[] = { REGIME_R_RESIDENT, REGIME_RW_ABSENT,
						    REGIME_RW_RESIDENT };

	for (size_t i = 0; i < ROWS; i++) {
		enum wire_regime regime = regimes[i / 2];
		unsigned int extents = i % 2 ? 4 : 2;
		bool burns = f->windows && regime == REGIME_RW_RESIDENT;
		double ms = f->ms[i / 2] + f->add[i / 2] + (burns ? 1002.0 * extents : 0);

		m[i] = (struct measurement){
			.regime = regime,
			.bytes = (uint64_t)extents << 21,
			.repeats = 6,
			.min_ns = (int64_t)(ms * 0.95 * NS_PER_MS),
			.median_ns = (int64_t)(ms * NS_PER_MS),
			.max_ns = (int64_t)(ms * 1.05 * NS_PER_MS),
			.resident = regime == REGIME_RW_ABSENT ? 0 : extents,
			.predicted = regime == REGIME_RW_RESIDENT ? extents : 0,
			.off = regime == REGIME_RW_RESIDENT && !burns ? extents : 0,
		};
		if (burns) {
			m[i].min_ns = m[i].max_ns = m[i].median_ns;
			m[i].windows = m[i].windows_min = m[i].windows_max = extents;
		}
	}
}

/* As read on the reference machine: facts of the defect's table. */
static const struct figures bad = { { 3.1, 14.9, 17.0 }, true, { 0 } };
static const struct figures good = { { 3.1, 14.6, 17.0 }, false, { 0 } };

static void expect(const struct figures *base, const struct figures *row, enum effect effect,
		   const char *rule)
{
	struct measurement a[ROWS], b[ROWS];
	struct effect_verdict v;

	fill(base, a);
	fill(row, b);
	validate_effect(&(struct validated){ .m = a, .n = ROWS },
			&(struct validated){ .m = b, .n = ROWS }, &v);
	if (v.effect != effect || strcmp(v.rule, rule) != 0)
		fail_msg("%s (%s): %s; want %s (%s)", effect_name(v.effect), v.rule, v.reason,
			 effect_name(effect), rule);
	assert_true(*v.reason);
}

static void windows_that_go_or_come(void **state)
{
	(void)state;
	expect(&bad, &good, EFFECT_REPAIRS, "windows-gone");
	expect(&good, &bad, EFFECT_BREAKS, "windows-came");
	expect(&bad, &bad, EFFECT_NONE, "windows-stay");
	expect(&good, &good, EFFECT_NONE, "no-windows");
}

static void a_control_that_moves_comes_before_all_else(void **state)
{
	const struct figures band = { { 3.1, 14.6, 17.0 }, false, { 0, 400, 0 } };
	const struct figures finer = { { 3.1, 14.6, 17.0 }, false, { 30, 0, 0 } };
	const struct figures with_windows = { { 3.1, 14.9, 17.0 }, true, { 30, 0, 0 } };
	const struct figures noise = { { 4.0, 18.0, 21.0 }, false, { 0 } };

	(void)state;
	expect(&good, &band, EFFECT_CONTROL_MOVED, "control-moved");
	expect(&bad, &band, EFFECT_CONTROL_MOVED, "control-moved");
	expect(&good, &finer, EFFECT_CONTROL_MOVED, "ranges-apart");
	expect(&bad, &finer, EFFECT_CONTROL_MOVED, "ranges-apart");
	expect(&good, &with_windows, EFFECT_CONTROL_MOVED, "ranges-apart");
	expect(&good, &noise, EFFECT_NONE, "no-windows");
}

static void slow_is_not_quantised(void **state)
{
	const struct figures slow = { { 3.1, 14.6, 17.0 }, false, { 0, 0, 600 } };
	const struct figures slower = { { 3.1, 14.6, 17.0 }, false, { 0, 0, 60 } };

	(void)state;
	expect(&good, &slow, EFFECT_SLOWER, "slow");
	expect(&good, &slower, EFFECT_SLOWER, "ranges-apart");
	/* the base's own windows are no measure of what is fast */
	expect(&bad, &slow, EFFECT_SLOWER, "slow");
}

static void a_base_that_says_nothing_leaves_it_open(void **state)
{
	const struct figures moved = { { 3.1, 400, 17.0 }, false, { 0 } };

	(void)state;
	expect(&moved, &good, EFFECT_UNCLEAR, "base-unclear");
}

static void what_was_not_measured_says_why(void **state)
{
	static const struct {
		enum build_state state;
		enum effect effect;
		const char *rule;
	} cases[] = {
		{ BUILD_COLLIDES, EFFECT_UNTESTED, "does-not-apply" },
		{ BUILD_UNCHANGED, EFFECT_NONE, "same-source" },
		{ BUILD_FAILED, EFFECT_UNTESTED, "does-not-build" },
		{ BUILD_SAME, EFFECT_NONE, "same-artifact" },
		{ BUILD_UNTRIED, EFFECT_UNTESTED, "no-measurement" },
	};
	struct measurement a[ROWS];

	(void)state;
	fill(&good, a);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct validated row = { .state = cases[i].state, .why = "the reason" };
		struct effect_verdict v;

		validate_effect(&(struct validated){ .m = a, .n = ROWS }, &row, &v);
		assert_int_equal(v.effect, cases[i].effect);
		assert_string_equal(v.rule, cases[i].rule);
		assert_true(*v.reason);
		/* And a base that was not measured leaves others open. */
		validate_effect(&row, &(struct validated){ .m = a, .n = ROWS }, &v);
		assert_int_equal(v.effect, EFFECT_UNCLEAR);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_that_go_or_come),
		cmocka_unit_test(a_control_that_moves_comes_before_all_else),
		cmocka_unit_test(slow_is_not_quantised),
		cmocka_unit_test(a_base_that_says_nothing_leaves_it_open),
		cmocka_unit_test(what_was_not_measured_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
