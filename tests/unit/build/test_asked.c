// SPDX-License-Identifier: GPL-2.0-or-later
/* What Kbuild asks the compiler: a Makefile that asks as Kbuild does, a real make, a compiler that counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "base/str.h"
#include "build/cc/asked.h"
#include "build/make/maker.h"

#define ASK                                                                                      \
	"try-run = $(shell TMP=tmp.o; if ($(1)) >/dev/null 2>&1; then echo \"$(2)\"; "           \
	"else echo \"$(3)\"; fi; rm -f tmp.o)\n"                                                 \
	"option = $(call try-run,$(CC) -Werror $(1) -c -x c /dev/null -o \"$$TMP\",$(1),$(2))\n" \
	"instr = $(call try-run,printf \"%b\\n\" \"$(1)\" | $(CC) -c -x assembler -o \"$$TMP\" " \
	"-,$(2),$(3))\n"

static const char makefile[] = ASK
	"FLAGS := $(call option,-fno-common) $(call option,-fno-such,-g1) $(call option,-fno-such) "
	"$(call instr,nosuch,-DNO,-DNOP=1) $(call instr,nop (1),-DTWO=1)\n"
	"modules:\n\t@echo '$(FLAGS)' >flags\n\t@$(MAKE) -f below.mk\n";
static const char below[] = ASK "all:\n\t@echo '$(call option,-fno-common)' >flags.below\n";

static char dir[] = "/tmp/test-asked-XXXXXX";
static char *tree, *cc, *asked_log;
static struct maker maker;

static void put(const char *path, const char *text)
{
	struct err err = { 0 };

	if (fs_write(path, text, strlen(text), &err) < 0 || chmod(path, 0755) < 0)
		fail_msg("%s: %s", path, err.msg);
}

static void put_in(const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", tree, name);

	put(path, text);
}

static void remove_in(const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", tree, name);

	assert_int_equal(unlink(path), 0);
}

static char *get(const char *path)
{
	struct err err = { 0 };
	char *text;

	if (fs_read(path, 1 << 20, &text, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	return text;
}

static void expect(const char *name, const char *want)
{
	_cleanup_free_ char *path = str_printf("%s/%s", tree, name);
	_cleanup_free_ char *text = get(path);

	assert_string_equal(text, want);
}

/* The compiler notes what it is asked, then does as @script says, then as gcc. */
static void compiler(const char *script)
{
	_cleanup_free_ char *text = str_printf(
		"#!/bin/sh\necho \"$*\" >>'%s'\n%s\nexec gcc \"$@\"\n", asked_log, script);

	put(cc, text);
}

static unsigned int times_asked(const char *option)
{
	_cleanup_free_ char *text = get(asked_log);
	unsigned int n = 0;

	for (const char *p = text; (p = strstr(p, option)); p++)
		n++;
	return n;
}

static void make(void)
{
	_cleanup_free_ char *log = str_printf("%s/log", dir);
	struct err err = { 0 };

	if (maker_run(&maker, (const char *const[]){ "modules", NULL }, log, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
}

static int setup(void **state)
{
	struct err err = { 0 };

	(void)state;
	strcpy(strrchr(dir, '-') + 1, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	tree = str_printf("%s/li(n)u,x", dir);
	cc = str_printf("%s/cc", dir);
	asked_log = str_printf("%s/asked.log", dir);
	assert_int_equal(fs_mkdirs(tree, &err), 0);
	put_in("Makefile", makefile);
	put_in("below.mk", below);
	put(asked_log, "");
	compiler("");
	maker = (struct maker){
		.tree = tree, .release = "6.1.0", .cc = cc, .cc_version = "one", .jobs = 2
	};
	return 0;
}

static int teardown(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(fs_remove_tree(dir, &err), 0);
	free(tree);
	free(cc);
	free(asked_log);
	return 0;
}

static void each_question_is_asked_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3; i++) {
		make();
		expect("flags", "-fno-common -g1  -DNOP=1 -DTWO=1\n");
		expect("flags.below", "-fno-common\n");
		assert_int_equal(times_asked("-fno-common"), 1);
		assert_int_equal(times_asked("-fno-such"), 1);
	}
}

static void make_by_itself_says_the_same(void **state)
{
	_cleanup_free_ char *set = str_printf("CC=%s", cc);
	_cleanup_free_ char *flags = str_printf("%s/flags", tree);
	_cleanup_free_ char *plain = NULL;
	const struct spawn spawn = {
		.argv = (const char *const[]){ "make", "-s", "-C", tree, set, "modules", NULL },
		.limit_ms = 60000,
	};
	struct spawn_result result;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(spawn_run(&spawn, &result, &err), 0);
	assert_int_equal(result.exit_code, 0);
	plain = get(flags);
	make();
	expect("flags", plain);
	make();
	expect("flags", plain);
}

static void a_killed_compiler_has_not_answered(void **state)
{
	(void)state;
	compiler("case $* in *-fno-common*) kill -9 $$;; esac");
	make();
	expect("flags", " -g1  -DNOP=1 -DTWO=1\n");
	compiler("case $* in *-fno-common*) echo 'no space left on device' >&2; exit 1;; esac");
	make();
	expect("flags", " -g1  -DNOP=1 -DTWO=1\n");
	/* and the very compiler that failed is asked again */
	/* the very compiler that failed */
	compiler("if [ -e fails ]; then exit 1; fi");
	put_in("fails", "");
	make();
	remove_in("fails");
	make();
	expect("flags", "-fno-common -g1  -DNOP=1 -DTWO=1\n");
}

static void another_compiler_is_asked_anew(void **state)
{
	(void)state;
	make();
	maker.cc_version = "two";
	make();
	assert_int_equal(times_asked("-fno-common"), 2);
	compiler("# of other bytes\ncase $* in *-fno-common*) echo \"cc: error: unrecognized "
		 "command-line "
		 "option '-fno-common'\" >&2; exit 1;; esac");
	make();
	expect("flags", " -g1  -DNOP=1 -DTWO=1\n");
	assert_int_equal(times_asked("-fno-common"), 3);
	make();
	assert_int_equal(times_asked("-fno-common"), 3);
}

/* A plugin is built in the tree: without it, and with an older one, the compiler says something else. */
static void with_a_plugin_it_is_asked_each_time(void **state)
{
	(void)state;
	put_in("Makefile",
	       ASK "modules:\n\t@echo '$(call option,-fplugin=./p.so -fno-common)' >flags\n");
	for (size_t i = 0; i < 2; i++)
		make();
	expect("flags", "\n");
	assert_int_equal(times_asked("-fplugin"), 2);
}

/* It is asked each time. */
static void a_path_that_make_would_expand_is_not_used(void **state)
{
	_cleanup_free_ char *file = asked_file("/tmp/ab/tree", "sh", "1");
	_cleanup_free_ char *odd = asked_file("/tmp/a$b/tree", "sh", "1");

	(void)state;
	assert_non_null(file);
	assert_null(odd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_that_make_would_expand_is_not_used),
		cmocka_unit_test_setup_teardown(each_question_is_asked_once, setup, teardown),
		cmocka_unit_test_setup_teardown(make_by_itself_says_the_same, setup, teardown),
		cmocka_unit_test_setup_teardown(a_killed_compiler_has_not_answered, setup,
						teardown),
		cmocka_unit_test_setup_teardown(another_compiler_is_asked_anew, setup, teardown),
		cmocka_unit_test_setup_teardown(with_a_plugin_it_is_asked_each_time, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
