// SPDX-License-Identifier: GPL-2.0-or-later
/* Which disks a kernel command line names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "guest-agent/agent/disk.h"

#define NAME "amdgpu_bisect.root"

static void the_value_of_a_whole_word_is_found(void **state)
{
	char text[8];

	(void)state;
	assert_true(disk_argument("quiet " NAME "=abc panic=-1", NAME, text, sizeof(text)));
	assert_string_equal(text, "abc");
	assert_true(disk_argument(NAME "=first " NAME "=second", NAME, text, sizeof(text)));
	assert_string_equal(text, "first");
	assert_true(disk_argument("  " NAME "=\n", NAME, text, sizeof(text)));
	assert_string_equal(text, "");
	assert_true(disk_argument(NAME "=1234567", NAME, text, sizeof(text)));
	assert_string_equal(text, "1234567");
}

static void what_only_looks_like_it_is_none(void **state)
{
	static const char *const lines[] = {
		"",
		"quiet",
		NAME,
		"x" NAME "=abc",
		NAME "s=abc",
		"quiet=" NAME "=abc",
		NAME "=12345678", /* does not fit */
	};
	char text[8] = "kept";

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(disk_argument(lines[i], NAME, text, sizeof(text)));
	assert_string_equal(text, "kept");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_value_of_a_whole_word_is_found),
		cmocka_unit_test(what_only_looks_like_it_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
