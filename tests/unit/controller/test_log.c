// SPDX-License-Identifier: GPL-2.0-or-later
/* A `git bisect log` is read as git reads it, or refused with the line; what is written is read again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "controller/log/bisect_log.h"

#define ID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define ID_C "cccccccccccccccccccccccccccccccccccccccc"
#define ID_D "dddddddddddddddddddddddddddddddddddddddd"

static void parse(const char *text, struct bisect_log *ret)
{
	struct err err = { 0 };

	if (bisect_log_parse(text, strlen(text), ret, &err) < 0)
		fail_msg("%s", err.msg);
}

static void start_line_is_read_with_its_quotes(void **state)
{
	_cleanup_(bisect_log_deinit) struct bisect_log l = { 0 };

	(void)state;
	parse("git bisect start '--first-parent' 'v2' v0 'v'1 '--' 'a b' 'it'\\''s'\n"
	      "git bisect good " ID_A "\r\n\n# a remark\ngit bisect skip " ID_B
	      "\ngit bisect bad " ID_C,
	      &l);
	assert_true(l.first_parent);
	assert_string_equal(l.new_end, "v2");
	assert_int_equal(l.old_ends.n, 2);
	assert_string_equal(l.old_ends.items[1], "v1");
	assert_int_equal(l.paths.n, 2);
	assert_string_equal(l.paths.items[0], "a b");
	assert_string_equal(l.paths.items[1], "it's");
	assert_int_equal(l.n_marks, 3);
	assert_int_equal(l.marks[0].state, LOG_OLD);
	assert_int_equal(l.marks[1].state, LOG_SKIP);
	assert_int_equal(l.marks[2].state, LOG_NEW);
	assert_string_equal(l.marks[2].rev, ID_C);
	assert_int_equal(l.marks[2].line, 6);
}

static void terms_come_from_flags_or_the_first_verdict(void **state)
{
	static const struct {
		const char *text, *old, *new;
	} cases[] = {
		{ "git bisect start\n", "good", "bad" },
		{ "git bisect start\ngit bisect new x\n", "old", "new" },
		{ "git bisect start\ngit bisect skip x\ngit bisect old x\n", "old", "new" },
		{ "git bisect start\ngit bisect bad x\n", "good", "bad" },
		{ "git bisect start --term-old=slow --term-bad fast\ngit bisect fast x\n", "slow",
		  "fast" },
		{ "git bisect start --term-new=broken\ngit bisect good x\n", "good", "broken" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(bisect_log_deinit) struct bisect_log l = { 0 };

		parse(cases[i].text, &l);
		assert_string_equal(l.old, cases[i].old);
		assert_string_equal(l.new, cases[i].new);
	}
}

static void ends_are_pinned_by_the_remarks_before_them(void **state)
{
	_cleanup_(bisect_log_deinit) struct bisect_log pinned = { 0 };
	_cleanup_(bisect_log_deinit) struct bisect_log fewer = { 0 };

	(void)state;
	parse("# bad: [" ID_A "] x\n# good: [" ID_B "] y\ngit bisect start 'HEAD' 'v0'\n", &pinned);
	assert_string_equal(pinned.new_end, ID_A);
	assert_string_equal(pinned.old_ends.items[0], ID_B);
	parse("# bad: [" ID_A "] x\ngit bisect start 'HEAD' 'v0'\n", &fewer);
	assert_string_equal(fewer.new_end, "HEAD");
	assert_string_equal(fewer.old_ends.items[0], "v0");
}

static void what_is_not_understood_names_its_line(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "no `git bisect start`" },
		{ "git bisect bad x\n", "line 1: a verdict before" },
		{ "git bisect start\nhello\n", "line 2: no line of a `git bisect log`: 'hello'" },
		{ "git bisect start\n\ngit bisect good\n", "line 3: one revision" },
		{ "git bisect start\ngit bisect good a b\n", "line 2: one revision" },
		{ "git bisect start\ngit bisect good ''\n", "line 2: one revision" },
		{ "git bisect start\ngit bisect reset\n", "line 2: 'reset' is neither good, bad" },
		{ "git bisect start a b\ngit bisect new x\n",
		  "line 2: 'new' is neither good, bad" },
		{ "git bisect start\ngit bisect bad x\ngit bisect old x\n", "line 3: 'old'" },
		{ "git bisect start\ngit bisect start\n", "line 2: a second start, after line 1" },
		{ "git bisect start 'a\n", "line 1: a quote is not closed" },
		{ "git bisect start --wrong\n",
		  "line 1: no option of git bisect start: '--wrong'" },
		{ "git bisect start --term-old\n", "line 1: no option" },
		{ "git bisect start --term-old=run\n", "line 1: --term-old: 'run' is a command" },
		{ "git bisect start --term-old=bad\n",
		  "line 1: --term-old: 'bad' means the other" },
		{ "git bisect start --term-old=a --term-new=a\n", "line 1: --term-old and" },
		{ "git bisect start --term-old=a/b\n", "line 1: --term-old: 'a/b' is no word" },
		{ "git bisect start ''\n", "line 1: an empty word" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct bisect_log l = { 0 };
		struct err err = { 0 };

		assert_int_equal(bisect_log_parse(cases[i].text, strlen(cases[i].text), &l, &err),
				 -1);
		assert_int_equal(err.kind, ERR_USAGE);
		if (!str_starts(err.msg, cases[i].want))
			fail_msg("'%s' does not begin with '%s'", err.msg, cases[i].want);
	}
}

static void long_and_binary_files_are_refused(void **state)
{
	static const char nul[] = "git bisect start\ngit bisect bad a\0b\n";
	_cleanup_buf_ struct buf b = { 0 };
	struct bisect_log l = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(bisect_log_parse(nul, sizeof(nul) - 1, &l, &err), -1);
	assert_non_null(strstr(err.msg, "line 2: a NUL byte"));
	buf_puts(&b, "git bisect start\n# ");
	for (size_t i = 0; i < 70000; i++)
		buf_puts(&b, "x");
	assert_int_equal(bisect_log_parse(b.data, b.len, &l, &err), -1);
	assert_non_null(strstr(err.msg, "line 2: too long"));
	b.len = 0;
	buf_puts(&b, "git bisect start\n");
	for (size_t i = 0; i < 100001; i++)
		buf_puts(&b, "git bisect skip x\n");
	assert_int_equal(bisect_log_parse(b.data, b.len, &l, &err), -1);
	assert_non_null(strstr(err.msg, "line 100002: more verdicts"));
}

static void what_is_written_is_read_again(void **state)
{
	const struct log_entry old_ends[] = { { LOG_OLD, ID_B, "b", false } };
	const struct log_entry entries[] = {
		{ LOG_NEW, ID_C, "c", false },
		{ LOG_NEW, ID_D, "kept out", true },
		{ LOG_SKIP, ID_D, "d", false },
	};
	struct strv paths = { 0 };
	const struct log_session s = {
		.old = "slow",
		.new = "fast",
		.first_parent = true,
		.new_end = { LOG_NEW, ID_A, "a", false },
		.old_ends = old_ends,
		.n_old_ends = ARRAY_SIZE(old_ends),
		.paths = &paths,
		.entries = entries,
		.n_entries = ARRAY_SIZE(entries),
		.possible = &entries[1],
		.n_possible = 1,
	};
	_cleanup_(bisect_log_deinit) struct bisect_log l = { 0 };
	_cleanup_free_ char *text = NULL;

	(void)state;
	strv_add(&paths, "it's a path");
	text = bisect_log_write(&s);
	strv_deinit(&paths);
	assert_string_equal(text, "# fast: [" ID_A "] a\n"
				  "# slow: [" ID_B "] b\n"
				  "git bisect start '--term-new=fast' '--term-old=slow' "
				  "'--first-parent' '" ID_A "' '" ID_B "' '--' 'it'\\''s a path'\n"
				  "# fast: [" ID_C "] c\n"
				  "git bisect fast " ID_C "\n"
				  "# fast: [" ID_D "] kept out\n"
				  "# skip: [" ID_D "] d\n"
				  "git bisect skip " ID_D "\n"
				  "# only skipped commits left to test\n"
				  "# possible first fast commit: [" ID_D "] kept out\n");
	parse(text, &l);
	assert_string_equal(l.new, "fast");
	assert_true(l.first_parent);
	assert_string_equal(l.new_end, ID_A);
	assert_string_equal(l.paths.items[0], "it's a path");
	assert_int_equal(l.n_marks, 2);
	assert_int_equal(l.marks[1].state, LOG_SKIP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(start_line_is_read_with_its_quotes),
		cmocka_unit_test(terms_come_from_flags_or_the_first_verdict),
		cmocka_unit_test(ends_are_pinned_by_the_remarks_before_them),
		cmocka_unit_test(what_is_not_understood_names_its_line),
		cmocka_unit_test(long_and_binary_files_are_refused),
		cmocka_unit_test(what_is_written_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
