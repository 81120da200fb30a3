// SPDX-License-Identifier: GPL-2.0-or-later
/* Measurements to a verdict: the rules one by one, as tables. Recorded runs are in tests/golden/. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "judge/judge.h"

#define MIB (UINT64_C(1) << 20)

static struct measurement row(enum wire_regime regime, uint64_t mib, int64_t ms, uint32_t resident)
{
	uint32_t predicted = regime == REGIME_RW_RESIDENT ? resident : 0;
	uint32_t windows = (uint32_t)(ms / 1000);

	return (struct measurement){
		.regime = regime,
		.bytes = mib * MIB,
		.repeats = 3,
		.min_ns = ms * NS_PER_MS,
		.median_ns = ms * NS_PER_MS,
		.max_ns = ms * NS_PER_MS,
		.windows = windows,
		.windows_min = windows,
		.windows_max = windows,
		.predicted = predicted,
		.resident = resident,
		.off = windows > predicted ? windows - predicted : predicted - windows,
	};
}

enum { R4, R8, A4, A8, W4, W8, ROWS };

/* Two and four extents, the rw-p resident row as given, clean controls. */
static void fill(struct measurement m[ROWS], int64_t ms4, int64_t ms8)
{
	m[R4] = row(REGIME_R_RESIDENT, 4, 2, 2);
	m[R8] = row(REGIME_R_RESIDENT, 8, 3, 4);
	m[A4] = row(REGIME_RW_ABSENT, 4, 12, 0);
	m[A8] = row(REGIME_RW_ABSENT, 8, 15, 0);
	m[W4] = row(REGIME_RW_RESIDENT, 4, ms4, 2);
	m[W8] = row(REGIME_RW_RESIDENT, 8, ms8, 4);
}

static void expect(const struct measurement *m, size_t n, const struct baseline *base,
		   enum verdict v, enum judge_rule rule)
{
	struct judgement j;

	memset(&j, 0xa5, sizeof(j));
	judge(m, n, base, NULL, &j);
	if (j.verdict != v || j.rule != rule)
		print_error("%s (%s): %s\n", verdict_name(j.verdict), judge_rule_name(j.rule),
			    j.reason);
	assert_int_equal(j.verdict, v);
	assert_int_equal(j.rule, rule);
	assert_true(*j.reason);
	assert_null(strchr(j.reason, '\n'));
}

static void rw_p_resident_times_decide_when_controls_are_clean(void **state)
{
	static const struct {
		int64_t ms4, ms8;
		enum verdict verdict;
		enum judge_rule rule;
	} table[] = {
		{ 9, 17, VERDICT_GOOD, RULE_NO_WINDOWS },
		{ 60, 90, VERDICT_GOOD, RULE_NO_WINDOWS },
		{ 2008, 4016, VERDICT_BAD, RULE_MECHANISM },
		{ 2522, 4022, VERDICT_BAD, RULE_MECHANISM },	   /* a remainder is no matter */
		{ 3010, 5020, VERDICT_BAD, RULE_MECHANISM },	   /* off by one */
		{ 1002, 3010, VERDICT_BAD, RULE_MECHANISM },	   /* off by one */
		{ 2008, 6030, VERDICT_WEAK, RULE_OFF_PREDICTION }, /* off by two */
		{ 2008, 2008, VERDICT_WEAK, RULE_OFF_PREDICTION },
		{ 1002, 1002, VERDICT_WEAK, RULE_OFF_PREDICTION },
		{ 3010, 3010, VERDICT_WEAK, RULE_OFF_PREDICTION }, /* a stall, off by one at both */
		{ 4016, 3010, VERDICT_WEAK, RULE_OFF_PREDICTION },
		{ 17, 4016, VERDICT_WEAK, RULE_ONE_SIZE },
		{ 2008, 17, VERDICT_WEAK, RULE_ONE_SIZE },
		{ 17, 6016, VERDICT_WEAK, RULE_OFF_PREDICTION },
		{ 347, 360, VERDICT_WEAK, RULE_SLOW },
		{ 17, 999, VERDICT_WEAK, RULE_SLOW },
	};
	struct measurement m[ROWS];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		fill(m, table[i].ms4, table[i].ms8);
		expect(m, ROWS, NULL, table[i].verdict, table[i].rule);
	}
}

static void moved_control_is_never_a_verdict(void **state)
{
	struct measurement m[ROWS];

	(void)state;
	for (int bad = 0; bad < 2; bad++)
		for (size_t c = R4; c <= A8; c++) {
			fill(m, bad ? 2008 : 9, bad ? 4016 : 17);
			m[c].median_ns = 340 * NS_PER_MS;
			expect(m, ROWS, NULL, VERDICT_WEAK, RULE_CONTROL_MOVED);
		}
}

static void control_with_a_window_in_one_copy_is_never_a_verdict(void **state)
{
	struct measurement m[ROWS];

	(void)state;
	for (int bad = 0; bad < 2; bad++)
		for (size_t c = R4; c <= A8; c++) {
			fill(m, bad ? 2008 : 9, bad ? 4016 : 17);
			m[c].windows_max = 1;
			m[c].max_ns = 1003 * NS_PER_MS;
			expect(m, ROWS, NULL, VERDICT_WEAK, RULE_CONTROL_WINDOWS);
		}
}

static void each_missing_row_is_incomplete(void **state)
{
	struct measurement m[ROWS], without[ROWS];

	(void)state;
	for (int bad = 0; bad < 2; bad++)
		for (size_t gone = 0; gone < ROWS; gone++) {
			size_t n = 0;

			fill(m, bad ? 2008 : 9, bad ? 4016 : 17);
			for (size_t i = 0; i < ROWS; i++)
				if (i != gone)
					without[n++] = m[i];
			expect(without, n, NULL, VERDICT_WEAK, RULE_INCOMPLETE);
		}
	expect(NULL, 0, NULL, VERDICT_WEAK, RULE_INCOMPLETE);
}

static void one_measured_size_is_incomplete(void **state)
{
	struct measurement m[ROWS], one[3];

	(void)state;
	fill(m, 2008, 4016);
	one[0] = m[R8];
	one[1] = m[A8];
	one[2] = m[W8];
	expect(one, 3, NULL, VERDICT_WEAK, RULE_INCOMPLETE);
}

static void rows_that_were_not_what_they_say_are_incomplete(void **state)
{
	static const size_t resident_rows[] = { R4, R8, W4, W8 };
	struct measurement m[ROWS];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(resident_rows); i++) {
		fill(m, 2008, 4016);
		m[resident_rows[i]].resident = 0;
		expect(m, ROWS, NULL, VERDICT_WEAK, RULE_INCOMPLETE);
	}
	fill(m, 2008, 4016);
	m[A8].resident = 1;
	expect(m, ROWS, NULL, VERDICT_WEAK, RULE_INCOMPLETE);
	for (size_t i = 0; i < ROWS; i++) {
		fill(m, 9, 17);
		m[i].failed = 1;
		expect(m, ROWS, NULL, VERDICT_WEAK, RULE_INCOMPLETE);
		m[i].failed = 3;
		m[i].repeats = 0;
		expect(m, ROWS, NULL, VERDICT_WEAK, RULE_INCOMPLETE);
	}
}

static void windows_in_some_copies_only_are_off_prediction(void **state)
{
	struct measurement m[ROWS];

	(void)state;
	fill(m, 2008, 4016);
	m[W4].windows_min = 0;
	m[W4].off = 2;
	expect(m, ROWS, NULL, VERDICT_WEAK, RULE_OFF_PREDICTION);
	fill(m, 9, 17);
	m[W8].windows_max = 1;
	expect(m, ROWS, NULL, VERDICT_WEAK, RULE_OFF_PREDICTION);
}

static void sizes_that_predict_the_same_prove_nothing(void **state)
{
	struct measurement m[ROWS];

	(void)state;
	fill(m, 1002, 1003);
	m[W4].predicted = m[W4].resident = m[W8].predicted = m[W8].resident = 1;
	m[W4].off = m[W8].off = 0;
	expect(m, ROWS, NULL, VERDICT_WEAK, RULE_ONE_SIZE);
}

static void a_third_size_may_be_off_by_one_and_no_more(void **state)
{
	struct measurement m[ROWS + 3];

	(void)state;
	fill(m, 2008, 4016);
	m[ROWS] = row(REGIME_R_RESIDENT, 1, 1, 1);
	m[ROWS + 1] = row(REGIME_RW_ABSENT, 1, 1, 0);
	m[ROWS + 2] = row(REGIME_RW_RESIDENT, 1, 5, 1);
	expect(m, ROWS + 3, NULL, VERDICT_BAD, RULE_MECHANISM);
	m[ROWS + 2] = row(REGIME_RW_RESIDENT, 1, 5, 2);
	expect(m, ROWS + 3, NULL, VERDICT_WEAK, RULE_OFF_PREDICTION);
}

static void unaligned_rows_are_judged_by_their_own_prediction(void **state)
{
	struct measurement m[ROWS + 3];

	(void)state;
	fill(m, 2008, 4016);
	m[ROWS] = row(REGIME_R_RESIDENT, 8, 3, 5);
	m[ROWS + 1] = row(REGIME_RW_ABSENT, 8, 15, 0);
	m[ROWS + 2] = row(REGIME_RW_RESIDENT, 8, 5027, 5);
	for (size_t i = ROWS; i < ROWS + 3; i++)
		m[i].offset = 4096;
	expect(m, ROWS + 3, NULL, VERDICT_BAD, RULE_MECHANISM);
	m[ROWS + 2].windows = m[ROWS + 2].windows_min = m[ROWS + 2].windows_max = 3;
	m[ROWS + 2].off = 2;
	expect(m, ROWS + 3, NULL, VERDICT_WEAK, RULE_OFF_PREDICTION);
}

static void the_band_forgives_three_times_the_baseline_and_catches_a_third_of_a_second(void **state)
{
	struct baseline base = { .n = ROWS };
	struct measurement m[ROWS];

	(void)state;
	for (int64_t control = 1; control < 110; control++) {
		fill(base.m, 2 * control, 2 * control);
		for (size_t i = R4; i <= A8; i++)
			base.m[i].median_ns = control * NS_PER_MS;
		fill(m, 6 * control, 6 * control);
		for (size_t i = R4; i <= A8; i++)
			m[i].median_ns = 3 * control * NS_PER_MS;
		expect(m, ROWS, &base, VERDICT_GOOD, RULE_NO_WINDOWS);
		for (size_t i = R4; i <= A8; i++)
			m[i].median_ns = (330 + control) * NS_PER_MS;
		expect(m, ROWS, &base, VERDICT_WEAK, RULE_CONTROL_MOVED);
	}
}

static void a_row_the_baseline_lacks_is_held_against_the_ceiling(void **state)
{
	struct baseline base = { .n = 0 };
	struct measurement m[ROWS];

	(void)state;
	fill(m, 9, 17);
	m[A8].median_ns = 249 * NS_PER_MS;
	expect(m, ROWS, &base, VERDICT_GOOD, RULE_NO_WINDOWS);
	m[A8].median_ns = 251 * NS_PER_MS;
	expect(m, ROWS, &base, VERDICT_WEAK, RULE_CONTROL_MOVED);
	base.m[0] = row(REGIME_RW_ABSENT, 8, 100, 0);
	base.n = 1;
	expect(m, ROWS, &base, VERDICT_GOOD, RULE_NO_WINDOWS);
	base.m[0].repeats = 0;
	expect(m, ROWS, &base, VERDICT_WEAK, RULE_CONTROL_MOVED);
	base.m[0].repeats = 1;
	base.m[0].median_ns = INT64_MAX;
	expect(m, ROWS, &base, VERDICT_GOOD, RULE_NO_WINDOWS);
}

static void the_figures_of_a_verdict_are_summed_over_sizes(void **state)
{
	struct measurement m[ROWS];
	struct judgement j;

	(void)state;
	fill(m, 2008, 5020);
	judge(m, ROWS, NULL, NULL, &j);
	assert_int_equal(j.windows, 7);
	assert_int_equal(j.predicted, 6);
	assert_int_equal(j.off, 1);
	assert_string_equal(j.reason,
			    "rw-p resident windows: 2 of 2 predicted at 4 MiB (2008.0 ms), 5 of 4 "
			    "predicted at 8 MiB (5020.0 ms), off by one; controls none, 15.0 ms");
	fill(m, 9, 17);
	judge(m, ROWS, NULL, NULL, &j);
	assert_int_equal(j.windows, 0);
	assert_int_equal(j.predicted, 6);
	assert_int_equal(j.off, 0);
}

static void rule_names_parse_back(void **state)
{
	enum judge_rule r;

	(void)state;
	for (enum judge_rule i = 0; i < RULE_COUNT; i++) {
		assert_true(judge_rule_parse(judge_rule_name(i), &r));
		assert_int_equal(r, i);
	}
	assert_false(judge_rule_parse("", &r));
	assert_string_equal(judge_rule_name(RULE_COUNT), "unknown");
}

static void every_rule_is_in_the_document(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct err err;

	(void)state;
	assert_int_equal(fs_read(DOCUMENT, 1 << 20, &text, NULL, &err), 0);
	for (enum judge_rule i = 0; i < RULE_COUNT; i++) {
		_cleanup_free_ char *name = str_printf("| `%s` |", judge_rule_name(i));

		if (!strstr(text, name))
			fail_msg("docs/judging.md lacks %s", name);
	}
}

static void copies_that_were_staged_or_are_void_are_never_a_verdict(void **state)
{
	struct measurement m[ROWS];

	(void)state;
	fill(m, 2008, 4016);
	m[W8].staged = true;
	expect(m, ROWS, NULL, VERDICT_WEAK, RULE_INCOMPLETE);
	fill(m, 9, 17);
	m[R4].repeats = 0;
	m[R4].voided = 3;
	m[R4].doubt = DOUBT_SUSPENDED;
	expect(m, ROWS, NULL, VERDICT_WEAK, RULE_INCOMPLETE);
	/* One void copy of several leaves the rest. */
	fill(m, 2008, 4016);
	m[W8].voided = 1;
	expect(m, ROWS, NULL, VERDICT_BAD, RULE_MECHANISM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rw_p_resident_times_decide_when_controls_are_clean),
		cmocka_unit_test(moved_control_is_never_a_verdict),
		cmocka_unit_test(control_with_a_window_in_one_copy_is_never_a_verdict),
		cmocka_unit_test(each_missing_row_is_incomplete),
		cmocka_unit_test(one_measured_size_is_incomplete),
		cmocka_unit_test(rows_that_were_not_what_they_say_are_incomplete),
		cmocka_unit_test(copies_that_were_staged_or_are_void_are_never_a_verdict),
		cmocka_unit_test(windows_in_some_copies_only_are_off_prediction),
		cmocka_unit_test(sizes_that_predict_the_same_prove_nothing),
		cmocka_unit_test(a_third_size_may_be_off_by_one_and_no_more),
		cmocka_unit_test(unaligned_rows_are_judged_by_their_own_prediction),
		cmocka_unit_test(
			the_band_forgives_three_times_the_baseline_and_catches_a_third_of_a_second),
		cmocka_unit_test(a_row_the_baseline_lacks_is_held_against_the_ceiling),
		cmocka_unit_test(the_figures_of_a_verdict_are_summed_over_sizes),
		cmocka_unit_test(rule_names_parse_back),
		cmocka_unit_test(every_rule_is_in_the_document),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
