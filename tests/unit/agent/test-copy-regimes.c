// SPDX-License-Identifier: GPL-2.0-or-later
/* The program copy-regimes, where there is no mirror: its options and exit codes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

static char output[8192];

/* Exit code; what it printed is in output[]. */
static int run(const char *args)
{
	char command[1024];
	FILE *f;
	int status;

	snprintf(command, sizeof(command), "%s %s 2>&1", COPY_REGIMES, args);
	f = popen(command, "r");
	assert_non_null(f);
	output[fread(output, 1, sizeof(output) - 1, f)] = '\0';
	status = pclose(f);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_machine_without_the_mirror_is_told_from_a_failure(void **state)
{
	(void)state;
	if (!access("/dev/amdgpu-mirror", F_OK))
		skip();
	assert_int_equal(run("--sizes 4194304 --permission read"), 77);
	assert_non_null(strstr(output, "load the mirror module first"));
}

static void options_that_make_no_sense_are_usage_errors_of_one_line(void **state)
{
	static const char *const args[] = {
		"--sizes 0",
		"--sizes 4095",
		"--sizes 4096,,4096",
		"--sizes -4096",
		"--sizes 2147483648",
		"--offset 2097152",
		"--offset 1",
		"--repeats 0",
		"--repeats 1001",
		"--repeats x",
		"--touch 1024",
		"--permission write",
		"--runtime abacus",
		"--runtime none --permission read",
		"--runtime cuda --staged",
		"--runtime mirror --no-svm",
		"--runtime none --path",
		"--runtime none --devices all",
		"--buffer fresh",
		"--runtime cuda --devices 64",
		"--file-offset 1",
		"--patterns --random 1",
		"--random 0",
		"--evidence --processes 2",
		"--processes 257",
		"--mapping new",
		"--sizes "
		"4096,4096,4096,4096,4096,4096,4096,4096,4096,4096,4096,4096,4096,4096,4096,"
		"4096,4096",
		"extra",
		"--unknown",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(args); i++) {
		if (run(args[i]) != 2)
			fail_msg("copy-regimes %s is not refused", args[i]);
		assert_true(output[0]);
	}
}

static void help_names_every_option(void **state)
{
	static const char *const options[] = {
		"--runtime",	"--sizes",  "--offset",	  "--repeats",	   "--touch",
		"--permission", "--file",   "--patterns", "--file-offset", "--anonymous",
		"--mapping",	"--buffer", "--devices",  "--processes",   "--no-svm",
		"--staged",	"--random", "--seed",	  "--path",	   "--evidence",
	};

	(void)state;
	assert_int_equal(run("--help"), 0);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		assert_non_null(strstr(output, options[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_machine_without_the_mirror_is_told_from_a_failure),
		cmocka_unit_test(options_that_make_no_sense_are_usage_errors_of_one_line),
		cmocka_unit_test(help_names_every_option),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
