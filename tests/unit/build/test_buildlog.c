// SPDX-License-Identifier: GPL-2.0-or-later
/* A build's output becomes one line, and the right one to blame. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "build/make/buildlog.h"

static void expect(const char *output, enum err_kind kind, const char *msg)
{
	_cleanup_free_ char *text = xstrdup(output);
	struct buildlog log = { 0 };
	struct err err = { 0 };
	char *save = NULL;

	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
		buildlog_line(&log, l);
	assert_int_equal(buildlog_err(&log, &err), -1);
	assert_string_equal(err.msg, msg);
	assert_int_equal(err.kind, kind);
}

static void first_error_of_the_compiler_without_place_and_path(void **state)
{
	(void)state;
	expect("  CC [M]  drivers/gpu/drm/amd/amdgpu/amdgpu_mn.o\n"
	       "In file included from ./include/linux/mm.h:29,\n"
	       "                 from drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c:46:\n"
	       "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c: In function 'amdgpu_hmm_range_get_pages':\n"
	       "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c:180:9: warning: unused variable 'q' "
	       "[-Wunused-variable]\n"
	       "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c:190:9: error: 'foo' undeclared (first use "
	       "in "
	       "this function)\n"
	       "  190 |         foo = 1;\n"
	       "      |         ^~~\n"
	       "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c:200:1: error: expected ';' before '}' "
	       "token\n"
	       "make[1]: *** [scripts/Makefile.build:250: "
	       "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.o] Error 1\n"
	       "make: *** [Makefile:2018: amdgpu_mn.o] Error 2\n",
	       ERR_BUILD, "amdgpu_mn.c: amdgpu_hmm_range_get_pages(): 'foo' undeclared");
}

static void missing_header_and_error_directive(void **state)
{
	(void)state;
	expect("drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c:50:10: fatal error: drm/gone.h: No such "
	       "file or "
	       "directory\n"
	       "compilation terminated.\n",
	       ERR_BUILD, "amdgpu_mn.c: gone.h: No such file or directory");
	expect("/c/trees/ab/mirror-unit/driver.h:27:2: error: #error \"neither this nor that\"\n",
	       ERR_BUILD, "driver.h: #error \"neither this nor that\"");
}

static void unknown_prototype_is_shown(void **state)
{
	static const char want[] =
		"amdgpu_hmm_range_get_pages() has a prototype that the mirror does not know: "
		"int (*)(struct mmu_interval_notifier *, int)";

	(void)state;
	expect("/c/form.c:30:9: error: initialization of 'struct a_prototype_the_mirror_knows *' "
	       "from "
	       "incompatible pointer type 'int (*)(struct mmu_interval_notifier *, int)' "
	       "[-Werror=incompatible-pointer-types]\n",
	       ERR_BUILD, want);
	expect("/c/form.c:30:9: error: incompatible pointer types initializing 'struct "
	       "a_prototype_the_mirror_knows *' with an expression of type 'int (*)(struct "
	       "mmu_interval_notifier *, int)' [-Werror,-Wincompatible-pointer-types]\n",
	       ERR_BUILD, want);
}

static void modpost_linker_assembler_and_make(void **state)
{
	(void)state;
	expect("ERROR: modpost: \"amdgpu_gone\" [/c/trees/ab/mirror-unit/mirror.ko] undefined!\n"
	       "make[1]: *** [scripts/Makefile.modpost:126: /c/Module.symvers] Error 1\n",
	       ERR_BUILD, "mirror.ko: amdgpu_gone: undefined (modpost)");
	expect("ld: /c/trees/ab/m/unit.o: in function `f':\n"
	       "amdgpu_mn.c:(.text+0x0): multiple definition of `f'; /c/trees/ab/m/main.o:main.c: "
	       "first "
	       "defined here\n",
	       ERR_BUILD,
	       "amdgpu_mn.c: f(): multiple definition of `f'; main.o:main.c: first defined here");
	expect("{standard input}: Assembler messages:\n"
	       "{standard input}:12: Error: no such instruction: `foo %eax'\n",
	       ERR_BUILD, "assembler: no such instruction: `foo %eax'");
	expect("drivers/gpu/drm/amd/amdgpu/Makefile:12: *** missing separator.  Stop.\n", ERR_BUILD,
	       "Makefile: missing separator.  Stop.");
	expect("make[2]: *** No rule to make target 'drivers/x/gone.o', needed by "
	       "'drivers/x/built-in.a'.  Stop.\n",
	       ERR_BUILD, "make: No rule to make target 'gone.o', needed by 'built-in.a'.  Stop.");
}

static void what_follows_from_an_error_does_not_hide_it(void **state)
{
	(void)state;
	expect("make[2]: *** No rule to make target 'gone.o', needed by 'all'.\n"
	       "a/b.c:1:1: error: unknown type name 'x'\n"
	       "a/c.c:1:1: error: unknown type name 'y'\n",
	       ERR_BUILD, "b.c: unknown type name 'x'");
}

static void killed_or_crashed_compiler_is_the_rigs_fault(void **state)
{
	static const char *const lines[] = {
		"gcc: fatal error: Killed signal terminated program cc1",
		"make[3]: *** [scripts/Makefile.build:250: drivers/x/y.o] Killed",
		"cc1: out of memory allocating 65536 bytes after a total of 1234 bytes",
		"virtual memory exhausted: Cannot allocate memory",
		"/tmp/ccX.s: Fatal error: can't write 77 bytes to y.o: 'No space left on device'",
		"drivers/x/y.c:1:1: fatal error: error writing to /tmp/cc1.s: No space left on device",
		"{standard input}:9: Error: can't write y.o: No space left on device",
		"/bin/sh: 1: fork: Resource temporarily unavailable",
		"make: fork: Resource temporarily unavailable",
		"/bin/sh: 1: gcc: not found",
		"gcc: fatal error: cannot execute 'cc1': execvp: Cannot allocate memory",
		"error: unable to open output file 'y.o': 'No space left on device'",
		"LLVM ERROR: out of memory",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		struct buildlog log = { 0 };
		struct err err = { 0 };

		buildlog_line(&log, lines[i]);
		buildlog_err(&log, &err);
		assert_int_equal(err.kind, ERR_HOST);
		/* also where a real error was seen beside it: the log is not to be trusted */
		log = (struct buildlog){ 0 };
		buildlog_line(&log, "a/b.c:1:1: error: unknown type name 'x'");
		buildlog_line(&log, "x y;");
		buildlog_line(&log, lines[i]);
		buildlog_err(&log, &err);
		assert_int_equal(err.kind, ERR_HOST);
	}
}

static void candidates_own_words_do_not_blame_the_rig(void **state)
{
	(void)state;
	expect("a/b.c:1:2: error: #error \"No space left on device\"\n"
	       "    1 | #error \"Killed\"\n",
	       ERR_BUILD, "b.c: #error \"No space left on device\"");
	expect("a/b.c:1:2: warning: #warning \"Killed\"\n"
	       "a/b.c:2:2: error: unknown type name 'x'\n",
	       ERR_BUILD, "b.c: unknown type name 'x'");
}

static void silent_failure_still_says_something(void **state)
{
	(void)state;
	expect("make: *** [Makefile:1: all] Error 2\n", ERR_BUILD,
	       "make failed without an error line; see the build log");
}

static void long_lines_are_cut(void **state)
{
	_cleanup_buf_ struct buf b = { 0 };
	struct buildlog log = { 0 };
	struct err err = { 0 };

	(void)state;
	buf_puts(&b, "a/b.c:1:1: error: ");
	for (unsigned int i = 0; i < 10000; i++)
		buf_puts(&b, "/very/long ");
	buildlog_line(&log, b.data);
	buildlog_err(&log, &err);
	assert_int_equal(err.kind, ERR_BUILD);
	assert_true(str_starts(err.msg, "b.c: long long"));
}

static void objects_are_counted(void **state)
{
	struct buildlog log = { 0 };

	(void)state;
	buildlog_line(&log, "  CC [M]  a.o");
	buildlog_line(&log, "  HOSTCC  b");
	buildlog_line(&log, "  CC      c.o");
	assert_int_equal(log.objects, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_error_of_the_compiler_without_place_and_path),
		cmocka_unit_test(missing_header_and_error_directive),
		cmocka_unit_test(unknown_prototype_is_shown),
		cmocka_unit_test(modpost_linker_assembler_and_make),
		cmocka_unit_test(what_follows_from_an_error_does_not_hide_it),
		cmocka_unit_test(killed_or_crashed_compiler_is_the_rigs_fault),
		cmocka_unit_test(candidates_own_words_do_not_blame_the_rig),
		cmocka_unit_test(silent_failure_still_says_something),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(objects_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
