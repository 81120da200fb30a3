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
		"y.c:1:1: fatal error: error writing to /tmp/cc1.s: No space left on device",
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

/* What comes of @n lines, each of which is followed by an end of line. */
static void text_of(const char *const *lines, size_t n, struct err *ret)
{
	struct buildlog log = { 0 };

	for (size_t i = 0; i < n; i++)
		buildlog_line(&log, lines[i]);
	buildlog_err(&log, ret);
}

/* One mistake, as another machine, another terminal and another place in the file have it. */
static void same_mistake_has_one_text(void **state)
{
	static const char *const same[][3] = {
		{ "a/b.c: In function 'f':",
		  "a/b.c:10:2: error: 'x' undeclared (first use in this "
		  "function)",
		  "   10 |  x = 1;" },
		{ "/else/where/a/b.c: In function 'f':",
		  "/else/where/a/b.c:7711:43: error: 'x' undeclared (first use in this function); "
		  "did "
		  "you mean 'y'?",
		  " 7711 |  x = 1;" },
		{ "\033[01m\033[Ka/b.c:\033[m\033[K In function '\033[01m\033[Kf\033[m\033[K':",
		  "\033[01m\033[Ka/b.c:10:2:\033[m\033[K \033[01;31m\033[Kerror: "
		  "\033[m\033[K'\033[01m"
		  "\033[Kx\033[m\033[K' undeclared (first use in this function)",
		  "" },
		{ "a/b.c: In function \xe2\x80\x98"
		  "f\xe2\x80\x99:",
		  "a/b.c:10:2: error: \xe2\x80\x98x\xe2\x80\x99 undeclared (first use in this "
		  "function)",
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		struct err err = { 0 };

		text_of(same[i], ARRAY_SIZE(same[i]), &err);
		assert_string_equal(err.msg, "b.c: f(): 'x' undeclared");
	}
}

/* make's jobs raced: whichever ended first, the text is that of the smallest file. */
static void order_of_jobs_does_not_matter(void **state)
{
	static const char *const a[] = {
		"  CC [M]  d/a.o",
		"d/a.c: In function 'one':",
		"d/a.c:9:1: error: unknown type name 'z'",
		"d/a.c:10:1: error: expected ';' before 'a'",
		"make[3]: *** [scripts/Makefile.build:250: d/a.o] Error 1",
	};
	static const char *const b[] = {
		"  CC [M]  d/b.o",
		"d/b.c:1:1: error: unknown type name 'y'",
		"make[3]: *** [scripts/Makefile.build:250: d/b.o] Error 1",
	};
	struct buildlog log[2] = { 0 };

	(void)state;
	for (size_t order = 0; order < 2; order++) {
		struct err err = { 0 };

		for (size_t part = 0; part < 2; part++) {
			bool is_a = part == order;
			size_t n = is_a ? ARRAY_SIZE(a) : ARRAY_SIZE(b);

			for (size_t i = 0; i < n; i++)
				buildlog_line(&log[order], is_a ? a[i] : b[i]);
		}
		buildlog_err(&log[order], &err);
		assert_string_equal(err.msg, "a.c: one(): unknown type name 'z'");
	}
}

/* What one file's compiler said of a function is not said of the next file. */
static void function_ends_with_its_file(void **state)
{
	(void)state;
	expect("  CC [M]  d/a.o\n"
	       "d/a.c: In function 'one':\n"
	       "d/a.c:9:1: warning: unused variable 'z'\n"
	       "  CC [M]  d/b.o\n"
	       "d/b.c:1:1: error: unknown type name 'y'\n",
	       ERR_BUILD, "b.c: unknown type name 'y'");
	expect("d/a.c: In function 'one':\n"
	       "d/a.c:9:1: warning: unused variable 'z'\n"
	       "d/a.c: At top level:\n"
	       "d/a.c:12:1: error: unknown type name 'y'\n",
	       ERR_BUILD, "a.c: unknown type name 'y'");
}

static void crash_names_its_object_and_no_process(void **state)
{
	(void)state;
	expect("  CC [M]  d/a.o\n"
	       "/bin/bash: line 1: 12345 Segmentation fault      (core dumped) "
	       "./tools/objtool/objtool "
	       "d/a.o\n"
	       "make[3]: *** [scripts/Makefile.build:250: d/a.o] Error 139\n",
	       ERR_BUILD, "a.o: Segmentation fault");
	expect("  CC [M]  d/a.o\n"
	       "during RTL pass: expand\n"
	       "d/a.c: In function 'f':\n"
	       "d/a.c:12:1: internal compiler error: in expand_expr, at expr.c:8112\n",
	       ERR_BUILD, "a.c: f(): internal compiler error: in expand_expr, at expr.c:8112");
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
		cmocka_unit_test(same_mistake_has_one_text),
		cmocka_unit_test(order_of_jobs_does_not_matter),
		cmocka_unit_test(function_ends_with_its_file),
		cmocka_unit_test(crash_names_its_object_and_no_process),
		cmocka_unit_test(silent_failure_still_says_something),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(objects_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
