// SPDX-License-Identifier: GPL-2.0-or-later
/* Limits of stages: learned from what was passed, and wider while the host is slow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/clock.h"
#include "guest/limits.h"

static void before_anything_is_known_the_default_counts(void **state)
{
	const struct limits l = { 0 };

	(void)state;
	assert_int_equal(limits_ms(&l, STAGE_LOAD, 40000, 1.0), 40000);
	assert_true(limits_slowness(&l, NS_PER_S) == 1.0);
}

static void a_stage_gets_many_times_what_the_slowest_took(void **state)
{
	struct limits l = { 0 };

	(void)state;
	limits_learn(&l, STAGE_LOAD, 2 * NS_PER_S);
	limits_learn(&l, STAGE_LOAD, 1 * NS_PER_S);
	assert_int_equal(limits_ms(&l, STAGE_LOAD, 40000, 1.0), 16000);
	assert_int_equal(limits_ms(&l, STAGE_PROBE, 40000, 1.0), 40000); /* each for itself */
	limits_learn(&l, STAGE_LOAD, 30 * NS_PER_S);
	assert_int_equal(limits_ms(&l, STAGE_LOAD, 40000, 1.0), 40000); /* no more than asked for */
}

static void quick_stages_still_get_the_floor(void **state)
{
	struct limits l = { 0 };

	(void)state;
	limits_learn(&l, STAGE_LOAD, 10 * NS_PER_MS);
	assert_int_equal(limits_ms(&l, STAGE_LOAD, 40000, 1.0), LIMITS_FLOOR_MS);
	assert_int_equal(limits_ms(&l, STAGE_LOAD, 5000, 1.0), 5000);
}

static void a_slow_host_stretches_all(void **state)
{
	struct limits l = { 0 };

	(void)state;
	for (int i = 0; i < 10; i++)
		limits_learn(&l, STAGE_CREATE, (i % 2 ? 400 : 600) * NS_PER_MS);
	assert_true(limits_slowness(&l, 500 * NS_PER_MS) == 1.0);
	assert_true(limits_slowness(&l, 100 * NS_PER_MS) ==
		    1.0); /* a fast one takes nothing away */
	assert_true(limits_slowness(&l, 1500 * NS_PER_MS) == 3.0);
	assert_true(limits_slowness(&l, 900 * NS_PER_S) == LIMITS_SLOW_MAX);
	assert_int_equal(limits_ms(&l, STAGE_LOAD, 40000, 3.0), 120000);
}

static void a_kernel_must_speak_only_where_kernels_do(void **state)
{
	struct limits l = { 0 };

	(void)state;
	assert_int_equal(limits_silence_ms(&l, 60000, 2.0), 0);
	l.kernel_ns = 2 * NS_PER_S;
	assert_int_equal(limits_silence_ms(&l, 60000, 1.0), 16000);
	assert_int_equal(limits_silence_ms(&l, 12000, 1.0), 12000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_anything_is_known_the_default_counts),
		cmocka_unit_test(a_stage_gets_many_times_what_the_slowest_took),
		cmocka_unit_test(quick_stages_still_get_the_floor),
		cmocka_unit_test(a_slow_host_stretches_all),
		cmocka_unit_test(a_kernel_must_speak_only_where_kernels_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
