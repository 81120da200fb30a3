// SPDX-License-Identifier: GPL-2.0-or-later
/* What compressed kernels and modules are given to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/image/unpack.h"

/* lrzip's, of which libarchive has only a call of the program. */
static void no_program_is_run_for_a_file_that_begins_as_its_own(void **state)
{
	static const char file[64] = "LRZI\0\6";
	char dir[] = "/tmp/guest-unpack-XXXXXX";
	_cleanup_free_ char *program = NULL;
	_cleanup_free_ char *mark = NULL;
	_cleanup_free_ char *script = NULL;
	_cleanup_buf_ struct buf out = { 0 };
	struct err err;

	(void)state;
	assert_non_null(mkdtemp(dir));
	program = str_printf("%s/lrzip", dir);
	mark = str_printf("%s/was-run", dir);
	script = str_printf("#!/bin/sh\n: >%s\n", mark);
	assert_int_equal(fs_write(program, script, strlen(script), &err), 0);
	assert_int_equal(chmod(program, 0755), 0);
	setenv("PATH", dir, 1);
	/* As it is, since no compression of ours is in it. */
	assert_int_equal(unpack_memory(file, sizeof(file), 0, 4096, "x", &out, &err), 0);
	assert_int_equal(out.len, sizeof(file));
	assert_false(fs_exists(mark));
	assert_int_equal(fs_remove_tree(dir, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_program_is_run_for_a_file_that_begins_as_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
