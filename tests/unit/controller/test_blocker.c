// SPDX-License-Identifier: GPL-2.0-or-later
/* Two skips have one blocker exactly if it is the same mistake, whoever's build or boot met it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "controller/blocker.h"

static uint32_t of(const char *rule, const char *reason)
{
	struct store_verdict v = { .verdict = VERDICT_SKIP };

	str_copy(v.rule, sizeof(v.rule), rule);
	str_copy(v.reason, sizeof(v.reason), reason);
	return blocker_of(&v);
}

static void normal_text_is_what_stays(void **state)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "amdgpu_mn.c: 'foo' undeclared", "amdgpu_mn.c: 'foo' undeclared" },
		{ "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c:190:9: error: ‘foo’ undeclared",
		  "amdgpu_mn.c: error: 'foo' undeclared" },
		{ "multiple definition of `f'; /c/t/ab/main.o:main.c: first defined here",
		  "multiple definition of 'f'; main.o:main.c: first defined here" },
		{ "modpost: \"amdgpu_gone\" [/c/trees/ab/mirror.ko] undefined!",
		  "modpost: 'amdgpu_gone' [mirror.ko] undefined!" },
		{ "BUG: kernel NULL pointer dereference, address: 0000000000000008 in "
		  "amdgpu_hmm_range_get_pages+0x3c/0x1a0 [mirror]",
		  "BUG: kernel NULL pointer dereference, address: # in "
		  "amdgpu_hmm_range_get_pages [mirror]" },
		{ "BUG: unable to handle page fault for address: ffffb4c1c0a3fd48",
		  "BUG: unable to handle page fault for address: #" },
		{ "[   12.345678] Oops: 0000 [#1] SMP PTI, CPU: 3 PID: 71",
		  "[ #.#] Oops: # [##] SMP PTI, CPU: # PID: #" },
		{ "kernel BUG at mm/memory.c:1234!", "kernel BUG at memory.c:#!" },
		{ "call to '__compiletime_assert_417' declared",
		  "call to '__compiletime_assert_#' declared" },
		{ "'gfx_v9_0_ip' and u32", "'gfx_v9_0_ip' and u32" },
		{ "built from 9af31c2d01, defaced", "built from #, defaced" },
		{ "a \t b\r\n c\n", "a b c" },
		{ "/", "/" },
		{ "a/", "a/" },
		{ "+0x", "+#x" },
		{ "", "" },
		{ "\x01\x02x\xff", "x\xff" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *have = blocker_normal(cases[i].text);

		assert_string_equal(have, cases[i].want);
	}
}

static void one_mistake_is_one_blocker(void **state)
{
	(void)state;
	assert_int_equal(of("oops", "BUG: kernel NULL pointer dereference, address: "
				    "0000000000000008 in f+0x3c/0x1a0"),
			 of("oops", "BUG: kernel NULL pointer dereference, address: "
				    "0000000000000010 in f+0x4f/0x1b2"));
	assert_int_equal(of("build", "a/b.c:12:3: error: ‘x’ undeclared"),
			 of("build", "/elsewhere/b.c:77:1: error: 'x' undeclared"));
	assert_int_not_equal(of("build", "b.c: 'x' undeclared"),
			     of("build", "b.c: 'y' undeclared"));
	assert_int_not_equal(of("build", "b.c: 'x' undeclared"),
			     of("build", "c.c: 'x' undeclared"));
	assert_int_not_equal(of("load-failed", "Unknown symbol in module"),
			     of("oops", "Unknown symbol in module"));
}

static void chance_is_no_blocker(void **state)
{
	struct store_verdict good = { .verdict = VERDICT_GOOD, .rule = "build", .reason = "x" };

	(void)state;
	assert_int_equal(of("control-moved", "r--p resident took 30 ms, its band ends at 20 ms"),
			 0);
	assert_int_equal(of("user", "told by a replayed log"), 0);
	assert_int_equal(of("build", "make failed without an error line; see the build log"), 0);
	assert_int_equal(of("build", ""), 0);
	assert_int_equal(blocker_of(&good), 0);
}

static void text_is_that_of_the_first(void **state)
{
	struct store_trial t[3] = { 0 };
	_cleanup_free_ char *text = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		t[i].ended = true;
		t[i].v.verdict = i ? VERDICT_SKIP : VERDICT_GOOD;
		str_copy(t[i].v.rule, sizeof(t[i].v.rule), "build");
		snprintf(t[i].v.reason, sizeof(t[i].v.reason), "b.c:%zu: 'x' undeclared", i);
	}
	text = blocker_text(t, ARRAY_SIZE(t), blocker_of(&t[2].v));
	assert_string_equal(text, "build: b.c:1: 'x' undeclared");
	assert_null(blocker_text(t, 1, blocker_of(&t[2].v)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_text_is_what_stays),
		cmocka_unit_test(one_mistake_is_one_blocker),
		cmocka_unit_test(chance_is_no_blocker),
		cmocka_unit_test(text_is_that_of_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
