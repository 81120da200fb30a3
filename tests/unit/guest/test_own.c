// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of the user's: a program brings its libraries, a script its interpreter, and what lacks is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/image/own.h"

static char dir[] = "/tmp/test-own.XXXXXX";
static struct err err;

static const char *file(const char *text)
{
	static char path[64];

	snprintf(path, sizeof(path), "%s/file", dir);
	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
	return path;
}

static bool has(const struct closure *libs, const char *name)
{
	for (size_t i = 0; i < libs->n; i++)
		if (strstr(libs->items[i].guest, name))
			return true;
	return false;
}

static void a_program_brings_its_libraries(void **state)
{
	struct closure libs = { 0 };
	char program[256];

	(void)state;
	assert_int_equal(own_needs("/bin/ls", true, &libs, program, &err), 0);
	assert_string_equal(program, "");
	assert_true(has(&libs, "libc.so.6") && has(&libs, "ld-linux"));
	closure_deinit(&libs);
}

static void a_script_brings_its_interpreter(void **state)
{
	struct closure libs = { 0 };
	char program[256];

	(void)state;
	assert_int_equal(own_needs(file("#! /bin/sh -e\nexit\n"), true, &libs, program, &err), 0);
	assert_string_equal(program, "/bin/sh");
	assert_true(has(&libs, "libc.so.6"));
	closure_deinit(&libs);
}

static void a_whole_system_has_its_interpreters_itself(void **state)
{
	struct closure libs = { 0 };
	char program[256];

	(void)state;
	assert_int_equal(own_needs(file("#!/opt/none/python\n"), false, &libs, program, &err), 0);
	assert_string_equal(program, "");
	assert_int_equal(libs.n, 0);
	closure_deinit(&libs);
}

static void data_needs_nothing(void **state)
{
	static const char *const texts[] = { "", "#", "#!", "#! \n", "plain\n", "\177EL" };
	char program[256];

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct closure libs = { 0 };

		assert_int_equal(own_needs(file(texts[i]), true, &libs, program, &err), 0);
		assert_string_equal(program, "");
		assert_int_equal(libs.n, 0);
	}
}

static void assert_refused(const char *path, const char *words)
{
	struct closure libs = { 0 };
	char program[256];

	assert_int_equal(own_needs(path, true, &libs, program, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.msg, words))
		fail_msg("'%s' does not say '%s'", err.msg, words);
	closure_deinit(&libs);
}

static void what_lacks_is_named(void **state)
{
	(void)state;
	assert_refused("/nowhere/program", "/nowhere/program");
	assert_refused(dir, "no regular file");
	assert_refused(file("#!/opt/none/python3 -u\n"), "the interpreter /opt/none/python3");
	assert_refused(LOST, "libnowhere.so");
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return fs_remove_tree(dir, &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_brings_its_libraries),
		cmocka_unit_test(a_script_brings_its_interpreter),
		cmocka_unit_test(a_whole_system_has_its_interpreters_itself),
		cmocka_unit_test(data_needs_nothing),
		cmocka_unit_test(what_lacks_is_named),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
