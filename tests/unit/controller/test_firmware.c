// SPDX-License-Identifier: GPL-2.0-or-later
/* --firmware: by itself it is there where the driver asks for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "controller/firmware.h"

static void expect(const char *const *flags, const char *want, bool want_may_lack)
{
	_cleanup_(options_deinit) struct options o = { 0 };
	const char *argv[16], *dir;
	bool may_lack;
	struct err err;
	int argc = 0;

	while (*flags)
		argv[argc++] = *flags++;
	if (options_parse(CMD_RUN, argc, (char **)argv, &o, &err) < 0)
		fail_msg("%s", err.msg);
	dir = firmware_dir(&o, &may_lack);
	if (!want)
		assert_null(dir);
	else
		assert_string_equal(dir, want);
	assert_int_equal(may_lack, want_may_lack);
}

#define EXPECT(want, may_lack, ...) \
	expect((const char *const[]){ __VA_ARGS__, NULL }, want, may_lack)

static void the_driver_on_a_card_gets_the_hosts(void **state)
{
	(void)state;
	EXPECT("/lib/firmware", true, "--gpu", "auto", "--scope", "module");
	EXPECT("/lib/firmware", true, "--gpu", "03:00.0", "--scope", "module", "--firmware",
	       "auto");
}

static void who_asks_for_none_gets_none(void **state)
{
	(void)state;
	EXPECT(NULL, true, "--scope", "module"); /* no card */
	EXPECT(NULL, true, "--gpu", "auto", "--scope", "unit");
	EXPECT(NULL, true, "--gpu", "auto", "--scope", "kernel");
	EXPECT(NULL, true, "--gpu", "auto", "--scope", "module", "--guest", "disk");
}

static void a_place_that_was_named_counts_in_any_case(void **state)
{
	(void)state;
	EXPECT("/srv/fw", false, "--firmware", "/srv/fw");
	EXPECT("/srv/fw", false, "--firmware", "/srv/fw", "--gpu", "auto", "--scope", "kernel");
	EXPECT(NULL, false, "--firmware", "off", "--gpu", "auto", "--scope", "module");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_driver_on_a_card_gets_the_hosts),
		cmocka_unit_test(who_asks_for_none_gets_none),
		cmocka_unit_test(a_place_that_was_named_counts_in_any_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
