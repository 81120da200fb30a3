// SPDX-License-Identifier: GPL-2.0-or-later
/* The example lines of docs/protocol.md are what they say they are, and none is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "wire/wire.h"

static struct err err;

static void every_message_has_an_example_that_is_one(void **state)
{
	_cleanup_free_ char *text = NULL;
	bool seen[WIRE_TYPES] = { false };
	char *rest, *line;

	(void)state;
	assert_int_equal(fs_read(PROTOCOL_MD, 1 << 20, &text, NULL, &err), 0);
	for (rest = text; (line = strsep(&rest, "\n"));) {
		struct wire_msg msg;

		if (!str_starts(line, "    {"))
			continue;
		if (wire_decode(line + 4, strlen(line + 4), &msg, &err) < 0)
			fail_msg("%s: %s", line, err.msg);
		seen[msg.type] = true;
	}
	for (size_t i = 0; i < WIRE_TYPES; i++)
		if (!seen[i])
			fail_msg("no example of \"%s\"", wire_type_name(i));
}

static void bounds_and_names_are_those_of_the_code(void **state)
{
	_cleanup_free_ char *text = NULL, *line_max = str_printf("at most %d bytes", WIRE_LINE_MAX);

	(void)state;
	assert_int_equal(fs_read(PROTOCOL_MD, 1 << 20, &text, NULL, &err), 0);
	assert_non_null(strstr(text, WIRE_PORT_NAME));
	assert_non_null(strstr(text, line_max));
	for (unsigned int i = 0; i < REGIME_COUNT; i++)
		assert_non_null(strstr(text, regime_name(i)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_message_has_an_example_that_is_one),
		cmocka_unit_test(bounds_and_names_are_those_of_the_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
