// SPDX-License-Identifier: GPL-2.0-or-later
/* The window law's table: what counts as a row that the law does not explain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/str.h"
#include "controller/window_table.h"

static unsigned int differing(const struct wire_sample *samples, size_t n)
{
	FILE *f = fopen("/dev/null", "we");
	unsigned int differ;

	assert_non_null(f);
	differ = window_table_print(f, samples, n);
	fclose(f);
	return differ;
}

static struct wire_sample copy(enum wire_regime regime, uint32_t resident, int64_t ms)
{
	return (struct wire_sample){ .regime = regime,
				     .bytes = 8 << 20,
				     .extents = 4,
				     .resident = resident,
				     .elapsed_ns = ms * NS_PER_MS };
}

static void rows_as_predicted_do_not_differ(void **state)
{
	const struct wire_sample bad[] = { copy(REGIME_RW_RESIDENT, 4, 4016),
					   copy(REGIME_RW_RESIDENT, 2, 2011),
					   copy(REGIME_R_RESIDENT, 4, 1) };
	const struct wire_sample good[] = { copy(REGIME_RW_RESIDENT, 4, 27),
					    copy(REGIME_R_RESIDENT, 4, 1) };

	(void)state;
	assert_int_equal(differing(bad, ARRAY_SIZE(bad)), 0);
	assert_int_equal(differing(good, ARRAY_SIZE(good)), 0);
}

static void window_too_few_differs(void **state)
{
	const struct wire_sample s[] = { copy(REGIME_RW_RESIDENT, 4, 3016),
					 copy(REGIME_R_RESIDENT, 4, 1001) };

	(void)state;
	assert_int_equal(differing(s, ARRAY_SIZE(s)), 2);
}

static void failed_copy_is_no_copy_without_windows(void **state)
{
	struct wire_sample s[] = { copy(REGIME_RW_RESIDENT, 4, 0), copy(REGIME_R_RESIDENT, 4, 0) };

	(void)state;
	s[0].result = s[1].result = -22;
	assert_int_equal(differing(s, ARRAY_SIZE(s)), 2);
}

static void anonymous_memory_and_pages_that_are_copied_cost_nothing(void **state)
{
	struct wire_sample s[] = { copy(REGIME_RW_RESIDENT, 4, 4016),
				   copy(REGIME_RW_RESIDENT, 4, 2), copy(REGIME_RW_RESIDENT, 4, 2) };

	(void)state;
	s[1].source = SOURCE_ANONYMOUS;
	s[2].kept_mapping = true;
	s[2].pages_present = s[2].copied_before = 2048;
	assert_int_equal(differing(s, ARRAY_SIZE(s)), 0);
	s[2].copied_before = 2047;
	assert_int_equal(differing(s, ARRAY_SIZE(s)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_as_predicted_do_not_differ),
		cmocka_unit_test(window_too_few_differs),
		cmocka_unit_test(anonymous_memory_and_pages_that_are_copied_cost_nothing),
		cmocka_unit_test(failed_copy_is_no_copy_without_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
