// SPDX-License-Identifier: GPL-2.0-or-later
/* Samples to measurements: tables, and a recount by brute force over random samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "measure/measure.h"

#define MIB (UINT64_C(1) << 20)

static void whole_timeouts_are_counted_whatever_the_rest(void **state)
{
	static const struct {
		int64_t elapsed_us;
		uint32_t windows;
		int64_t residual_us;
	} table[] = {
		/* Rows of the reference readings and of the window law. */
		{ 0, 0, 0 },
		{ 17000, 0, 17000 },
		{ 989999, 0, 989999 },
		{ 990000, 1, 0 },
		{ 997400, 1, 0 },
		{ 1989000, 1, 989000 },
		{ 3995000, 4, 0 },
		{ 1000000, 1, 0 },
		{ 1002000, 1, 2000 },
		{ 1042000, 1, 42000 },
		{ 1522000, 1, 522000 },
		{ 2025000, 2, 25000 },
		{ 4004700, 4, 4700 },
		{ 5180000, 5, 180000 },
		{ 16019000, 16, 19000 },
		{ 16020100, 16, 20100 },
		{ 17020000, 17, 20000 },
		{ 128700000, 128, 700000 },
	};
	struct windows w;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		assert_int_equal(
			windows_count(table[i].elapsed_us * 1000, MEASURE_WINDOW_NS, &w, &err), 0);
		assert_int_equal(w.count, table[i].windows);
		assert_int_equal(w.residual_ns, table[i].residual_us * 1000);
	}
}

static void impossible_times_are_errors_and_leave_the_result_alone(void **state)
{
	struct windows w = { 7, 7 };
	struct err err;

	(void)state;
	assert_int_equal(windows_count(1, 0, &w, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(windows_count(1, -1, &w, &err), -1);
	assert_int_equal(windows_count(-1, MEASURE_WINDOW_NS, &w, &err), -1);
	assert_int_equal(windows_count(INT64_MAX, 1, &w, &err), -1);
	assert_int_equal(w.count, 7);
}

static struct wire_sample sample(enum wire_regime regime, uint64_t bytes, int64_t ms, uint32_t res)
{
	return (struct wire_sample){
		.regime = regime,
		.bytes = bytes,
		.elapsed_ns = ms * NS_PER_MS,
		.extents = 64,
		.resident = res,
		.restarts = (uint32_t)(ms / 1000),
	};
}

static void groups_come_ordered_by_regime_size_and_offset(void **state)
{
	struct wire_sample s[6] = {
		sample(REGIME_RW_RESIDENT, 8 * MIB, 1, 4),
		sample(REGIME_RW_RESIDENT, 4 * MIB, 1, 2),
		sample(REGIME_RW_ABSENT, 4 * MIB, 1, 0),
		sample(REGIME_R_RESIDENT, 8 * MIB, 1, 4),
		sample(REGIME_R_RESIDENT, 4 * MIB, 1, 2),
		sample(REGIME_RW_RESIDENT, 4 * MIB, 1, 3),
	};
	static struct measurement m[MEASURE_MAX];
	struct err err;

	(void)state;
	s[5].offset = 4096;
	assert_int_equal(measure_samples(s, 6, MEASURE_WINDOW_NS, m, &err), 6);
	assert_int_equal(m[0].regime, REGIME_R_RESIDENT);
	assert_int_equal(m[0].bytes, 4 * MIB);
	assert_int_equal(m[1].bytes, 8 * MIB);
	assert_int_equal(m[2].regime, REGIME_RW_ABSENT);
	assert_int_equal(m[3].offset, 0);
	assert_int_equal(m[4].offset, 4096);
	assert_int_equal(m[4].bytes, 4 * MIB);
	assert_int_equal(m[5].bytes, 8 * MIB);
}

static void the_median_sample_carries_its_own_windows_and_prediction(void **state)
{
	struct wire_sample s[3] = {
		sample(REGIME_RW_RESIDENT, 8 * MIB, 9000, 9),
		sample(REGIME_RW_RESIDENT, 8 * MIB, 3010, 2),
		sample(REGIME_RW_RESIDENT, 8 * MIB, 4016, 4),
	};
	static struct measurement m[MEASURE_MAX];
	struct err err;

	(void)state;
	assert_int_equal(measure_samples(s, 3, MEASURE_WINDOW_NS, m, &err), 1);
	assert_int_equal(m[0].median_ns, 4016 * NS_PER_MS);
	assert_int_equal(m[0].windows, 4);
	assert_int_equal(m[0].predicted, 4);
	assert_int_equal(m[0].residual_ns, 16 * NS_PER_MS);
	assert_int_equal(m[0].windows_min, 3);
	assert_int_equal(m[0].windows_max, 9);
	assert_int_equal(m[0].off, 1);
	assert_int_equal(m[0].restarts_max, 9);
}

static void controls_predict_nothing_even_where_extents_are_resident(void **state)
{
	struct wire_sample s[2] = { sample(REGIME_R_RESIDENT, 8 * MIB, 3, 4),
				    sample(REGIME_RW_ABSENT, 8 * MIB, 2003, 0) };
	static struct measurement m[MEASURE_MAX];
	struct err err;

	(void)state;
	assert_int_equal(measure_samples(s, 2, MEASURE_WINDOW_NS, m, &err), 2);
	assert_int_equal(m[0].predicted, 0);
	assert_int_equal(m[0].resident, 4);
	assert_int_equal(m[0].off, 0);
	assert_int_equal(m[1].predicted, 0);
	assert_int_equal(m[1].off, 2);
}

static void warmups_and_read_permission_are_left_out_and_failures_only_counted(void **state)
{
	struct wire_sample s[4] = {
		sample(REGIME_RW_RESIDENT, 8 * MIB, 40, 4),
		sample(REGIME_RW_RESIDENT, 8 * MIB, 50, 4),
		sample(REGIME_RW_RESIDENT, 8 * MIB, 7000, 4),
		sample(REGIME_RW_RESIDENT, 8 * MIB, 17, 4),
	};
	static struct measurement m[MEASURE_MAX];
	struct err err;

	(void)state;
	s[0].warmup = true;
	s[1].read_permission = true;
	s[2].result = -14;
	assert_int_equal(measure_samples(s, 4, MEASURE_WINDOW_NS, m, &err), 1);
	assert_int_equal(m[0].repeats, 1);
	assert_int_equal(m[0].failed, 1);
	assert_int_equal(m[0].max_ns, 17 * NS_PER_MS);
	assert_int_equal(m[0].windows_max, 0);
}

static void a_group_that_only_failed_is_there_without_figures(void **state)
{
	struct wire_sample s = sample(REGIME_RW_RESIDENT, 8 * MIB, 7000, 4);
	static struct measurement m[MEASURE_MAX];
	struct err err;

	(void)state;
	s.result = -5;
	assert_int_equal(measure_samples(&s, 1, MEASURE_WINDOW_NS, m, &err), 1);
	assert_int_equal(m[0].repeats, 0);
	assert_int_equal(m[0].failed, 1);
	assert_int_equal(m[0].max_ns, 0);
	assert_int_equal(m[0].predicted, 0);
}

static void nothing_gives_nothing_and_too_many_groups_are_refused(void **state)
{
	_cleanup_free_ struct wire_sample *s = xcalloc(MEASURE_MAX + 1, sizeof(*s));
	static struct measurement m[MEASURE_MAX];
	struct err err;

	(void)state;
	assert_int_equal(measure_samples(NULL, 0, MEASURE_WINDOW_NS, m, &err), 0);
	for (size_t i = 0; i <= MEASURE_MAX; i++)
		s[i] = sample(REGIME_RW_RESIDENT, i + 1, 1, 1);
	assert_int_equal(measure_samples(s, MEASURE_MAX, MEASURE_WINDOW_NS, m, &err), MEASURE_MAX);
	assert_int_equal(measure_samples(s, MEASURE_MAX + 1, MEASURE_WINDOW_NS, m, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	s[0].elapsed_ns = -1;
	assert_int_equal(measure_samples(s, 1, MEASURE_WINDOW_NS, m, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
}

/* Whole seconds, the last one forgiven its last hundredth. */
static uint32_t whole(int64_t elapsed_ns)
{
	return (uint32_t)((elapsed_ns + 10 * NS_PER_MS) / NS_PER_S);
}

/* The same figures by the slowest and plainest way: for each group, look at every sample. */
static void recount(const struct wire_sample *s, size_t n, const struct measurement *m)
{
	uint32_t repeats = 0, failed = 0, wmax = 0, wmin = UINT32_MAX, off = 0, below = 0,
		 equal = 0;
	int64_t min = INT64_MAX, max = 0;

	for (size_t i = 0; i < n; i++) {
		uint32_t w = whole(s[i].elapsed_ns);
		uint32_t p = s[i].regime == REGIME_RW_RESIDENT ? s[i].resident : 0;
		uint32_t d = (uint32_t)abs((int)w - (int)p);

		if (s[i].warmup || s[i].read_permission || s[i].regime != m->regime ||
		    s[i].bytes != m->bytes || s[i].offset != m->offset)
			continue;
		if (s[i].result) {
			failed++;
			continue;
		}
		repeats++;
		wmax = w > wmax ? w : wmax;
		wmin = w < wmin ? w : wmin;
		off = d > off ? d : off;
		min = s[i].elapsed_ns < min ? s[i].elapsed_ns : min;
		max = s[i].elapsed_ns > max ? s[i].elapsed_ns : max;
		below += s[i].elapsed_ns < m->median_ns;
		equal += s[i].elapsed_ns == m->median_ns;
	}
	assert_int_equal(m->repeats, repeats);
	assert_int_equal(m->failed, failed);
	if (!repeats)
		return;
	assert_int_equal(m->windows_max, wmax);
	assert_int_equal(m->windows_min, wmin);
	assert_int_equal(m->off, off);
	assert_int_equal(m->min_ns, min);
	assert_int_equal(m->max_ns, max);
	assert_true(below <= (repeats - 1) / 2 && below + equal > (repeats - 1) / 2);
	assert_int_equal(m->windows, whole(m->median_ns));
	assert_int_equal(m->residual_ns, whole(m->median_ns) > m->median_ns / NS_PER_S
						 ? 0
						 : m->median_ns % NS_PER_S);
}

static void random_samples_measure_as_brute_force_recounts_them(void **state)
{
	static struct measurement m[MEASURE_MAX];
	static struct wire_sample s[64];
	struct err err;

	(void)state;
	srandom(6523);
	for (int round = 0; round < 3000; round++) {
		size_t n = (size_t)random() % ARRAY_SIZE(s);
		size_t counted = 0, in_groups = 0;
		int groups;

		for (size_t i = 0; i < n; i++) {
			s[i] = sample(random() % REGIME_COUNT, (1 + (uint64_t)random() % 2) * MIB,
				      random() % 6000, (uint32_t)random() % 6);
			s[i].offset = random() % 3 ? 0 : 4096;
			s[i].warmup = random() % 5 == 0;
			s[i].read_permission = random() % 5 == 0;
			s[i].result = random() % 5 ? 0 : -11;
			counted += !s[i].warmup && !s[i].read_permission;
		}
		groups = measure_samples(s, n, MEASURE_WINDOW_NS, m, &err);
		assert_true(groups >= 0);
		for (int g = 0; g < groups; g++) {
			recount(s, n, &m[g]);
			in_groups += m[g].repeats + m[g].failed;
		}
		assert_int_equal(in_groups, counted);
	}
}

static void what_is_evidence_only_is_left_out_and_void_copies_only_counted(void **state)
{
	struct wire_sample s[7];
	static struct measurement m[MEASURE_MAX];
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(s); i++)
		s[i] = sample(REGIME_RW_RESIDENT, 8 * MIB, 4016, 4);
	s[0].evidence = true;
	s[1].kept_mapping = true;
	s[2].source = SOURCE_ANONYMOUS;
	s[3].doubt = DOUBT_STOLEN;
	s[3].elapsed_ns = 1;
	s[4].doubt = DOUBT_CLOCKS;
	s[4].elapsed_ns = 9000 * NS_PER_MS;
	assert_int_equal(measure_samples(s, ARRAY_SIZE(s), MEASURE_WINDOW_NS, m, &err), 1);
	assert_int_equal(m[0].repeats, 2);
	assert_int_equal(m[0].voided, 2);
	assert_int_equal(m[0].min_ns, 4016 * NS_PER_MS);
	assert_int_equal(m[0].max_ns, 4016 * NS_PER_MS);
	assert_false(m[0].staged);
	s[5].path = PATH_STAGED;
	assert_int_equal(measure_samples(s, ARRAY_SIZE(s), MEASURE_WINDOW_NS, m, &err), 1);
	assert_true(m[0].staged);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_timeouts_are_counted_whatever_the_rest),
		cmocka_unit_test(impossible_times_are_errors_and_leave_the_result_alone),
		cmocka_unit_test(groups_come_ordered_by_regime_size_and_offset),
		cmocka_unit_test(the_median_sample_carries_its_own_windows_and_prediction),
		cmocka_unit_test(controls_predict_nothing_even_where_extents_are_resident),
		cmocka_unit_test(
			warmups_and_read_permission_are_left_out_and_failures_only_counted),
		cmocka_unit_test(what_is_evidence_only_is_left_out_and_void_copies_only_counted),
		cmocka_unit_test(a_group_that_only_failed_is_there_without_figures),
		cmocka_unit_test(nothing_gives_nothing_and_too_many_groups_are_refused),
		cmocka_unit_test(random_samples_measure_as_brute_force_recounts_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
