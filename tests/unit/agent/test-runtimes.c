// SPDX-License-Identifier: GPL-2.0-or-later
/* The GPU runtimes of copy-regimes, with stand-ins for the vendors' libraries. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/str.h"

static char output[1 << 20];

/* Exit code of a run with the libraries of gpu/@dir; what it printed is in output[]. */
static int run(const char *dir, const char *environment, const char *args)
{
	char command[1024];
	FILE *f;
	int status;

	snprintf(command, sizeof(command), "LD_LIBRARY_PATH=%s/%s %s %s %s 2>&1", GPU, dir,
		 environment, COPY_REGIMES, args);
	f = popen(command, "r");
	assert_non_null(f);
	output[fread(output, 1, sizeof(output) - 1, f)] = '\0';
	status = pclose(f);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static size_t count(const char *what)
{
	size_t n = 0;

	for (const char *at = output; (at = strstr(at, what)) != NULL; at++)
		n++;
	return n;
}

static void expect(const char *what)
{
	if (!strstr(output, what))
		fail_msg("no \"%s\" in: %s", what, output);
}

static void the_three_answers_are_told_apart(void **state)
{
	(void)state;
	assert_int_equal(run("hip", "STAND_IN_DEVICES=0", "--runtime hip"), 77);
	expect("copy-regimes: no device: libamdhip64.so.7, version 7.2, finds none");
	assert_int_equal(run("broken", "", "--runtime hip"), 77);
	expect("copy-regimes: no library: libamdhip64.so.7 is there, but not whole:");
	assert_int_equal(run("lacks", "", "--runtime hip"), 77);
	expect("copy-regimes: wrong version: libamdhip64.so.7 has no hipDeviceGetName");
	assert_int_equal(run("other", "", "--runtime hip"), 77);
	expect("copy-regimes: wrong version: libamdhip64.so.7 says that it is version 6.4");
	assert_int_equal(run("cuda", "STAND_IN_DEVICES=0", "--runtime cuda"), 77);
	expect("copy-regimes: no device: libcudart.so.13, version 13.0, finds none");
}

static void a_runtime_copies_every_regime_and_names_its_device(void **state)
{
	(void)state;
	assert_int_equal(run("hip", "", "--runtime hip --sizes 4194304 --repeats 2"), 0);
	expect("libamdhip64.so.7, version 7.2; device 0 of 1: 0000:01:00.0, stand-in 0");
	assert_int_equal(count("\"type\":\"sample\""), 1 + 3 * 2);
	assert_int_equal(run("hip6", "", "--runtime hip --sizes 4194304 --repeats 1"), 0);
	expect("libamdhip64.so.6, version 6.4");
	assert_int_equal(run("cuda", "", "--runtime cuda --sizes 4194304 --repeats 1"), 0);
	expect("libcudart.so.13, version 13.0; device 0 of 1: 0000:01:00.0");
}

static void a_copy_that_fails_is_a_sample_that_says_so(void **state)
{
	(void)state;
	assert_int_equal(
		run("hip", "STAND_IN_FAILS=1", "--runtime hip --sizes 4194304 --repeats 1"), 0);
	assert_int_equal(count("\"result\":-5"), 4);
	expect("a copy failed: errorSome");
}

static void each_device_has_rows_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(run("hip", "STAND_IN_DEVICES=3",
			     "--runtime hip --devices all --sizes 4096 --repeats 1"),
			 0);
	assert_int_equal(count("\"device\":1,"), 4);
	assert_int_equal(count("\"device\":2,"), 4);
	expect("device 2 of 3: 0000:03:00.0, stand-in 2");
	assert_int_equal(run("hip", "", "--runtime hip --devices 1 --sizes 4096"), 2);
	expect("no device 1: there are 1");
}

static void processes_copy_at_once_and_lines_stay_whole(void **state)
{
	size_t lines = 0, samples;

	(void)state;
	assert_int_equal(run("hip", "",
			     "--runtime hip --processes 8 --sizes 65536,131072 --repeats 9 "
			     "--buffer fresh"),
			 0);
	samples = count("\"type\":\"sample\"");
	assert_int_equal(samples, 8 * (1 + 2 * 3 * 9));
	assert_int_equal(count("\"process\":7,"), 1 + 2 * 3 * 9);
	assert_int_equal(count("\"fresh_buffer\":true"), samples);
	for (char *rest = output, *line; (line = strsep(&rest, "\n"));) {
		if (line[0] != '{')
			continue;
		assert_true(str_ends(line, "}"));
		lines++;
	}
	assert_int_equal(lines, samples);
}

static void the_log_proves_the_path(void **state)
{
	(void)state;
	assert_int_equal(run("hip", "", "--runtime hip --path --sizes 4194304 --repeats 1"), 0);
	expect("path: the runtime's log shows that copies are pinned");
	assert_int_equal(count("\"path\":\"pinned\""), 4);
	assert_int_equal(
		run("hip", "STAND_IN_STAGES=1", "--runtime hip --path --sizes 4194304 --repeats 1"),
		0);
	expect("path: the runtime's log shows that copies are staged");
	assert_int_equal(count("\"path\":\"staged\""), 4);
	assert_int_equal(
		run("hip6", "", "--runtime hip --path --staged --sizes 4194304 --repeats 1"), 0);
	assert_int_equal(count("\"path\":\"staged\""), 4);
	assert_int_equal(run("hip", "STAND_IN_FAILS=1", "--runtime hip --path --sizes 4194304"), 0);
	expect("path: unknown: the pass with the runtime's log failed");
}

static void a_start_within_a_page_is_a_gpus_to_take(void **state)
{
	(void)state;
	assert_int_equal(run("cuda", "", "--runtime cuda --offset 4100 --sizes 65537 --repeats 1"),
			 0);
	assert_int_equal(count("\"offset\":4100,"), 3);
	assert_int_equal(run("cuda", "", "--runtime mirror --offset 4100"), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_three_answers_are_told_apart),
		cmocka_unit_test(a_runtime_copies_every_regime_and_names_its_device),
		cmocka_unit_test(a_copy_that_fails_is_a_sample_that_says_so),
		cmocka_unit_test(each_device_has_rows_of_its_own),
		cmocka_unit_test(processes_copy_at_once_and_lines_stay_whole),
		cmocka_unit_test(the_log_proves_the_path),
		cmocka_unit_test(a_start_within_a_page_is_a_gpus_to_take),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
