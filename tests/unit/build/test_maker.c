// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose fault it is when make itself does not run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "base/str.h"
#include "build/make/maker.h"

static void missing_make_says_nothing_about_the_candidate(void **state)
{
	char dir[] = "/tmp/test-maker-XXXXXX";
	_cleanup_free_ char *env = spawn_find("env");
	_cleanup_free_ char *path = xstrdup(getenv("PATH"));
	struct maker m = { .tree = dir, .release = "6.1.0", .cc = "gcc", .jobs = 1 };
	_cleanup_free_ char *log = NULL, *link = NULL;
	struct err err = { 0 };
	int rc;

	(void)state;
	assert_non_null(env);
	assert_non_null(mkdtemp(dir));
	log = str_printf("%s/log", dir);
	link = str_printf("%s/env", dir);
	assert_int_equal(symlink(env, link), 0);
	setenv("PATH", dir, 1);
	rc = maker_run(&m, (const char *const[]){ "modules", NULL }, log, &err);
	setenv("PATH", path, 1);
	assert_int_equal(rc, -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "apt install make"));
	assert_int_equal(fs_remove_tree(dir, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(missing_make_says_nothing_about_the_candidate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
