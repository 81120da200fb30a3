// SPDX-License-Identifier: GPL-2.0-or-later
/* What real tools printed of broken sources, broken Makefiles and broken machines: whose fault, in one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/make/buildlog.h"

#define CUT "the build was cut short by this machine: "

static const struct {
	const char *file; /* in tests/fuzz/corpus/buildlog */
	enum err_kind kind;
	const char *msg;
} cases[] = {
	{ "assembler-clang", ERR_BUILD, "b.c: invalid register name" },
	{ "assembler-gcc", ERR_BUILD, "b.c: no such instruction: `frobnicate %%eax'" },
	{ "assert-clang", ERR_BUILD,
	  "b.c: static_assert failed due to requirement 'sizeof(int) == 8' \"sizeof(int) == 8\"" },
	{ "assert-gcc", ERR_BUILD, "build_bug.h: static assertion failed: \"sizeof(int) == 8\"" },
	{ "build-bug-clang", ERR_BUILD,
	  "b.c: call to __compiletime_assert_ declared with 'error' attribute: BUILD_BUG_ON "
	  "failed: sizeof(int) == 4" },
	{ "build-bug-gcc", ERR_BUILD,
	  "compiler_types.h: b(): call to '__compiletime_assert_' declared with attribute error: "
	  "BUILD_BUG_ON failed: sizeof(int) == 4" },
	{ "colour", ERR_BUILD, "q.c: f(): 'gone' undeclared" },
	{ "error-directive-clang", ERR_BUILD, "b.c: \"No space left on device\"" },
	{ "error-directive-gcc", ERR_BUILD, "b.c: #error \"No space left on device\"" },
	{ "fortify-clang", ERR_BUILD,
	  "fortify-string.h: call to __write_overflow declared with 'error' attribute: detected "
	  "write beyond size of object (1st parameter)" },
	{ "fortify-gcc", ERR_BUILD,
	  "fortify-string.h: b(): call to '__write_overflow' declared with attribute error: "
	  "detected write beyond size of object (1st parameter)" },
	{ "header-clang", ERR_BUILD, "s.h: unknown type name 'gone_t'" },
	{ "header-gcc", ERR_BUILD, "s.h: unknown type name 'gone_t'" },
	{ "host-as30", ERR_BUILD,
	  "a.o: internal compiler error: Segmentation fault signal terminated program cc1" },
	{ "host-as60", ERR_HOST,
	  CUT "cc1: out of memory allocating 261992 bytes after a total of 2265088 bytes" },
	{ "host-fsize", ERR_HOST,
	  CUT
	  "gcc: internal compiler error: File size limit exceeded signal terminated program cc1" },
	{ "host-full", ERR_HOST,
	  CUT "b.c:6:1: fatal error: closing dependency file .b.o.d: No space left on device" },
	{ "host-full2", ERR_HOST,
	  CUT "cchxSTW4.s: Fatal error: can't write 15 bytes to section .init.text of a.o: 'No "
	      "space left on device'" },
	{ "host-garbage", ERR_BUILD, "make failed without an error line; see the build log" },
	{ "host-kill", ERR_HOST, CUT "Killed" },
	{ "host-no-cc", ERR_HOST, CUT "sh: 1: gcc: not found" },
	{ "host-no-cc1", ERR_HOST,
	  CUT "gcc: fatal error: cannot execute 'nowrap': execvp: No such file or directory" },
	{ "host-no-cc2", ERR_HOST, CUT "sh: 1: gcc-77: not found" },
	{ "host-no-ld", ERR_HOST, CUT "sh: 1: ld: not found" },
	{ "implicit-clang", ERR_BUILD,
	  "a.c: implicit declaration of function 'gone_function' is invalid in C99 "
	  "[-Werror,-Wimplicit-function-declaration]" },
	{ "implicit-gcc", ERR_BUILD,
	  "a.c: one(): implicit declaration of function 'gone_function' "
	  "[-Werror=implicit-function-declaration]" },
	{ "kconfig-a", ERR_BUILD, "Kconfig.a: syntax error" },
	{ "kconfig-b", ERR_BUILD, "Kconfig.b: can't open file \"Kconfig\"" },
	{ "kconfig-c", ERR_BUILD, "Kconfig.c: recursive dependency detected!" },
	{ "ld", ERR_HOST, CUT "t.o: file not recognized: file format not recognized" },
	{ "ld-multiple-clang", ERR_BUILD,
	  "b.c: b(): multiple definition of `b'; a.o:a.c:(.text): first defined here" },
	{ "ld-multiple-gcc", ERR_BUILD,
	  "b.c: b(): multiple definition of `b'; a.o:a.c:(.text): first defined here" },
	{ "license", ERR_BUILD, "modpost: missing MODULE_LICENSE() in x.o" },
	{ "makefile-error", ERR_BUILD, "Makefile: the candidate says no.  Stop." },
	{ "makefile-separator", ERR_BUILD, "Makefile: missing separator.  Stop." },
	{ "mismatch", ERR_BUILD,
	  "vmlinux.o: early: section mismatch in reference: early (section: .text) -> gone "
	  "(section: .init.text)" },
	{ "missing-header-clang", ERR_BUILD, "a.c: 'gone.h' file not found" },
	{ "missing-header-gcc", ERR_BUILD, "a.c: gone.h: No such file or directory" },
	{ "modpost-clang", ERR_BUILD, "x.ko: mcount: undefined (modpost)" },
	{ "modpost-gcc", ERR_BUILD, "x.ko: nowhere: undefined (modpost)" },
	{ "no-rule", ERR_BUILD, "make: No rule to make target 'c.o', needed by 'x.o'.  Stop." },
	{ "objtool", ERR_BUILD, "x.o: f(): unreachable instruction" },
	{ "option-clang", ERR_BUILD, "clang: unknown argument: '-fgone-option'" },
	{ "option-gcc", ERR_BUILD, "gcc: unrecognized command-line option '-fgone-option'" },
	{ "script-missing", ERR_BUILD, "sh: gone.sh: No such file or directory" },
	{ "syntax-clang", ERR_BUILD, "a.c: expected ';' after return statement" },
	{ "syntax-gcc", ERR_BUILD, "a.c: one(): expected ';' before '}' token" },
	{ "tool-missing", ERR_HOST, CUT "make[1]: frobnicator: No such file or directory" },
	{ "two-undeclared-clang", ERR_BUILD, "a.c: use of undeclared identifier 'gone'" },
	{ "two-undeclared-gcc", ERR_BUILD, "a.c: one(): 'gone' undeclared" },
	{ "werror-clang", ERR_BUILD, "b.c: unused variable 'q' [-Werror,-Wunused-variable]" },
	{ "werror-gcc", ERR_BUILD, "b.c: b(): unused variable 'q' [-Werror=unused-variable]" },
};

static void each_log_has_one_text(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *path = str_printf(BUILDLOG_CORPUS "/%s", cases[i].file);
		_cleanup_free_ char *text = NULL;
		struct buildlog log = { 0 };
		struct err err = { 0 };
		char *save = NULL;

		if (fs_read(path, 1 << 20, &text, NULL, &err) < 0)
			fail_msg("%s", err.msg);
		for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
			buildlog_line(&log, l);
		buildlog_err(&log, &err);
		if (strcmp(err.msg, cases[i].msg) != 0 || err.kind != cases[i].kind)
			fail_msg("%s is %s: %s", cases[i].file, err_kind_name(err.kind), err.msg);
	}
}

static void success_is_no_error(void **state)
{
	struct buildlog log = { 0 };

	(void)state;
	buildlog_line(&log, "  CC [M]  /k/m/a.o");
	buildlog_line(&log, "/k/m/a.c:1:2: warning: unused variable 'error' [-Wunused-variable]");
	buildlog_line(&log, "  LD [M]  /k/m/x.ko");
	assert_int_equal(log.first.rank, BUILDLOG_NOTHING);
	assert_string_equal(log.host, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_log_has_one_text),
		cmocka_unit_test(success_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
