// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors, text, numbers, durations and verdict names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "base/verdict.h"

static void an_error_is_one_line(void **state)
{
	struct err err;

	(void)state;
	assert_int_equal(err_set(&err, ERR_BUILD, "first\nsecond\033[2J\n"), -1);
	assert_string_equal(err.msg, "first second [2J");
	assert_int_equal(err.kind, ERR_BUILD);
	assert_int_equal(err_prefix(&err, "candidate %s", "abc"), -1);
	assert_string_equal(err.msg, "candidate abc: first second [2J");
	assert_int_equal(err.kind, ERR_BUILD);
}

static void an_error_that_is_too_long_is_cut(void **state)
{
	char text[3000];
	struct err err;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	err_set(&err, ERR_HOST, "%s", text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	err_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	errno = EACCES;
	err_errno(&err, ERR_HOST, "%s", text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_int_equal(errno, EACCES);
}

static void every_kind_and_verdict_has_a_name(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ERR_KINDS; i++)
		assert_string_not_equal(err_kind_name(i), "unknown");
	assert_string_equal(err_kind_name(ERR_KINDS), "unknown");
	for (unsigned int i = 0; i < VERDICT_COUNT; i++) {
		enum verdict v = VERDICT_COUNT;

		assert_true(verdict_parse(verdict_name(i), &v));
		assert_int_equal(v, i);
	}
	assert_false(verdict_parse("Good", &(enum verdict){ 0 }));
	assert_string_equal(verdict_name(VERDICT_COUNT), "unknown");
}

static void only_whole_decimal_numbers_are_numbers(void **state)
{
	static const char *const bad[] = { "",	  " 1", "1 ",  "+1",  "-1",
					   "0x1", "1.", "101", "1e1", "18446744073709551616" };
	uint64_t v = 7;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(str_to_u64(bad[i], 100, &v));
	assert_int_equal(v, 7);
	assert_true(str_to_u64("100", 100, &v) && v == 100);
	assert_true(str_to_u64("18446744073709551615", UINT64_MAX, &v) && v == UINT64_MAX);
}

static void commit_ids_are_forty_lower_case_hex_digits(void **state)
{
	(void)state;
	assert_true(str_is_commit_id("0123456789abcdef0123456789abcdef01234567"));
	assert_false(str_is_commit_id("0123456789abcdef0123456789abcdef0123456"));
	assert_false(str_is_commit_id("0123456789abcdef0123456789abcdef012345678"));
	assert_false(str_is_commit_id("0123456789ABCDEF0123456789abcdef01234567"));
}

static void text_is_copied_cut_and_compared(void **state)
{
	char got[4];

	(void)state;
	assert_true(str_copy(got, sizeof(got), "abc"));
	assert_false(str_copy(got, sizeof(got), "abcd"));
	assert_string_equal(got, "abc");
	assert_true(str_starts("abc", "ab") && !str_starts("a", "ab"));
	assert_true(str_ends("a.ko", ".ko") && !str_ends("ko", ".ko"));
}

static void growing_text_and_lists_keep_what_was_put_in(void **state)
{
	_cleanup_strv_ struct strv v = { 0 };
	struct buf b = { 0 };
	char *s;

	(void)state;
	s = buf_take(&b);
	assert_string_equal(s, "");
	free(s);
	for (int i = 0; i < 1000; i++) {
		buf_printf(&b, "%d,", i);
		strv_addf(&v, "%d", i);
	}
	assert_int_equal(b.len, strlen(b.data));
	s = buf_take(&b);
	assert_true(str_starts(s, "0,1,2,") && str_ends(s, ",998,999,"));
	free(s);
	assert_string_equal(v.items[999], "999");
	assert_null(v.items[1000]);
}

static void lists_are_sorted_with_each_string_once(void **state)
{
	static const char *const items[] = { "b", "a/b", "a", "b", "a.c", "", "a", "b" };
	static const char *const want[] = { "", "a", "a.c", "a/b", "b" };
	_cleanup_strv_ struct strv v = { 0 };

	(void)state;
	strv_sort_once(&v);
	assert_int_equal(v.n, 0);
	for (size_t i = 0; i < ARRAY_SIZE(items); i++)
		strv_add(&v, items[i]);
	strv_sort_once(&v);
	assert_int_equal(v.n, ARRAY_SIZE(want));
	for (size_t i = 0; i < v.n; i++)
		assert_string_equal(v.items[i], want[i]);
	assert_null(v.items[v.n]);
	strv_add(&v, "z");
	assert_string_equal(v.items[v.n - 1], "z");
}

static void durations_read_well(void **state)
{
	static const struct {
		int64_t ns;
		const char *text;
	} cases[] = {
		{ 0, "0 ms" },
		{ 850 * NS_PER_MS, "850 ms" },
		{ 12300 * NS_PER_MS, "12.3 s" },
		{ 245 * NS_PER_S, "4 min 05 s" },
		{ 11400 * NS_PER_S, "3 h 10 min" },
	};
	char got[32];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		clock_duration_text(cases[i].ns, got, sizeof(got));
		assert_string_equal(got, cases[i].text);
	}
	clock_date_text(1769862896, got, sizeof(got));
	assert_string_equal(got, "2026-01-31 12:34:56Z");
}

static void sums_of_durations_have_ends(void **state)
{
	(void)state;
	assert_true(clock_add_ns(3, -5) == -2);
	assert_true(clock_add_ns(INT64_MAX, INT64_MIN) == -1);
	assert_true(clock_add_ns(INT64_MAX - 1, 1) == INT64_MAX);
	assert_true(clock_add_ns(INT64_MAX, 1) == INT64_MAX);
	assert_true(clock_add_ns(INT64_MIN, -1) == INT64_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_error_is_one_line),
		cmocka_unit_test(an_error_that_is_too_long_is_cut),
		cmocka_unit_test(every_kind_and_verdict_has_a_name),
		cmocka_unit_test(only_whole_decimal_numbers_are_numbers),
		cmocka_unit_test(commit_ids_are_forty_lower_case_hex_digits),
		cmocka_unit_test(text_is_copied_cut_and_compared),
		cmocka_unit_test(growing_text_and_lists_keep_what_was_put_in),
		cmocka_unit_test(lists_are_sorted_with_each_string_once),
		cmocka_unit_test(durations_read_well),
		cmocka_unit_test(sums_of_durations_have_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
