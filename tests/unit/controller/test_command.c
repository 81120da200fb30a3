// SPDX-License-Identifier: GPL-2.0-or-later
/* The command that a report gives asks what the run was asked, in any shell. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "halving.h"

static char *command_of(int argc, const char *const *argv, struct options *o)
{
	struct err err;

	if (options_parse(CMD_RUN, argc, (char **)argv, o, &err) < 0)
		fail_msg("%s", err.msg);
	return options_command(o, CMD_RUN, "run");
}

static void defaults_are_not_said(void **state)
{
	_cleanup_(options_deinit) struct options o = { 0 };
	_cleanup_free_ char *command = command_of(0, NULL, &o);

	(void)state;
	assert_string_equal(command, "amdgpu-bisect run");
}

static void what_was_asked_is_said_and_where_it_is_kept_is_not(void **state)
{
	static const char *const argv[] = {
		"--good",	"v6.6~2",     "-g",	 "v6.5",
		"--bad",	"a^",	      "--flaky", "0.05",
		"--find",	"regression", "-d",	 "/x",
		"--trust-deps", "--quiet",    "-c",	 "qemu:///embed?root=/a"
	};
	_cleanup_(options_deinit) struct options o = { 0 };
	_cleanup_free_ char *command = command_of(ARRAY_SIZE(argv), argv, &o);

	(void)state;
	assert_string_equal(command, "amdgpu-bisect run --good v6.6~2 --good v6.5 --bad a^ --find "
				     "regression --trust-deps --flaky 0.05 --connect "
				     "'qemu:///embed?root=/a'");
}

static void shell_takes_each_value_for_one_word(void **state)
{
	static const char *const values[] = { "a b",	   "it's",    "$HOME", "~",
					      "-x'y\"z\\", "`id`;*?", "a^{}" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		const char *argv[] = { "--path", values[i] };
		_cleanup_(options_deinit) struct options o = { 0 };
		_cleanup_free_ char *command = command_of(2, argv, &o);
		_cleanup_free_ char *line =
			str_printf("set -- %s; printf '%%s|%%s|%%s' \"$#\" \"$3\" \"$4\"", command);
		_cleanup_free_ char *want = str_printf("4|--path|%s", values[i]);
		char have[64] = "";
		FILE *shell = popen(line, "r");

		assert_non_null(shell);
		assert_non_null(fgets(have, sizeof(have), shell));
		pclose(shell);
		assert_string_equal(have, want);
	}
}

/* What a process that works for a run reads is a file, in which nothing gives way to a flag. */
static void what_gave_way_is_not_told_to_workers(void **state)
{
	const char *argv[] = { "--exec", "/bin/true", "--rule", "console \"/a; #\\\\b/\"",
			       "--jobs", "3" };
	_cleanup_(options_deinit) struct options o = { 0 };
	_cleanup_free_ char *command = command_of(ARRAY_SIZE(argv), argv, &o);
	_cleanup_buf_ struct buf b = { 0 };
	struct err err;

	(void)state;
	assert_non_null(strstr(command, " --jobs 3"));
	assert_int_equal(options_set(&o, "probe.sizes", "4,16", ORIGIN_FILE, &err), 0);
	assert_int_equal(options_set(&o, "probe.repeats", "5", ORIGIN_FILE, &err), 0);
	options_conf(&o, CMD_RUN, &b);
	assert_null(strstr(b.data, "sizes"));
	assert_non_null(strstr(b.data, "\trepeats = \"5\"\n"));
	assert_non_null(strstr(b.data, "\tjobs = \"3\"\n"));
	assert_non_null(strstr(b.data, "\trule = \"console \\\"/a; #\\\\\\\\b/\\\"\"\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults_are_not_said),
		cmocka_unit_test(what_was_asked_is_said_and_where_it_is_kept_is_not),
		cmocka_unit_test(shell_takes_each_value_for_one_word),
		cmocka_unit_test(what_gave_way_is_not_told_to_workers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
