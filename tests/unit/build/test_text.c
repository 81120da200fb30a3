// SPDX-License-Identifier: GPL-2.0-or-later
/* Versions, configs, symbol lists and C text: what the room reads of others' files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/cleanup.h"
#include "build/build.h"
#include "build/kernel/config.h"
#include "build/reads/cmdfile.h"
#include "build/kernel/symvers.h"
#include "build/unit.h"
#include "build/kernel/version.h"

static void versions_of_releases(void **state)
{
	struct kversion v;

	(void)state;
	assert_true(kversion_parse("6.1.0-57-amd64", &v));
	assert_int_equal(v.version, 6);
	assert_int_equal(v.patchlevel, 1);
	assert_true(v.has_sublevel);
	assert_true(kversion_parse("6.12.117+deb12-amd64", &v));
	assert_int_equal(v.patchlevel, 12);
	assert_int_equal(v.sublevel, 117);
	assert_true(kversion_parse("7.2-rc1", &v));
	assert_false(v.has_sublevel);
	assert_false(kversion_parse("six", &v));
	assert_false(kversion_parse("6", &v));
	assert_false(kversion_parse("6.", &v));
	assert_false(kversion_parse("99999999999.1", &v));
}

static void versions_of_names(void **state)
{
	static const struct {
		const char *path;
		unsigned int patchlevel, sublevel;
	} cases[] = {
		{ "/usr/src/linux-source-6.1.tar.xz", 1, 0 },
		{ "/usr/src/linux-source-6.8.0/linux-source-6.8.0.tar.bz2", 8, 0 },
		{ "/home/me/linux-6.1.192/", 1, 192 },
		{ "linux-headers-6.12.117+deb12-amd64", 12, 117 },
	};
	struct kversion v;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_true(kversion_of_name(cases[i].path, &v));
		assert_int_equal(v.version, 6);
		assert_int_equal(v.patchlevel, cases[i].patchlevel);
		assert_int_equal(v.sublevel, cases[i].sublevel);
	}
	assert_false(kversion_of_name("/usr/src/linux-6.1/mine", &v));
	assert_false(kversion_of_name("/srv/linux", &v));
}

static void version_of_makefile(void **state)
{
	struct kversion v;

	(void)state;
	assert_true(kversion_of_makefile("# SPDX\nVERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 192\n"
					 "EXTRAVERSION =\nNAME = x\n",
					 &v));
	assert_int_equal(v.sublevel, 192);
	assert_false(kversion_of_makefile("all:\n\techo VERSION = 6\n", &v));
	assert_false(kversion_of_makefile("", &v));
}

static void version_of_config(void **state)
{
	struct kversion v;

	(void)state;
	assert_true(
		kversion_of_config("#\n# Automatically generated file; DO NOT EDIT.\n# Linux/x86 "
				   "6.1.192 Kernel Configuration\n#\n",
				   &v));
	assert_int_equal(v.sublevel, 192);
	assert_false(kversion_of_config("CONFIG_X=y\n", &v));
	assert_false(kversion_of_config("# Linux/x86\n6.1 Kernel Configuration\n", &v));
}

static void config_values(void **state)
{
	static const char text[] =
		"CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_AB=m\nCONFIG_T=\"gcc 12\"\n";
	_cleanup_free_ char *t = config_value(text, "CONFIG_T");

	(void)state;
	assert_string_equal(t, "gcc 12");
	assert_true(config_is(text, "CONFIG_A", "y"));
	assert_true(config_is(text, "CONFIG_AB", "m"));
	assert_false(config_is(text, "CONFIG_B", "y"));
	assert_null(config_value(text, "ONFIG_A"));
}

static void lost_options_without_those_of_the_tools(void **state)
{
	_cleanup_strv_ struct strv lost = { 0 };

	(void)state;
	config_lost(
		"CONFIG_CC_VERSION_TEXT=\"gcc-12\"\nCONFIG_KEPT=y\nCONFIG_GONE=y\nCONFIG_OTHER=m\n"
		"CONFIG_PAHOLE_VERSION=124\n",
		"CONFIG_CC_VERSION_TEXT=\"gcc\"\nCONFIG_KEPT=y\nCONFIG_OTHER=y\nCONFIG_NEW=y\n",
		&lost);
	assert_int_equal(lost.n, 2);
	assert_string_equal(lost.items[0], "CONFIG_GONE");
	assert_string_equal(lost.items[1], "CONFIG_OTHER");
}

static void symbols_that_are_exported(void **state)
{
	struct symvers s = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
		symvers_parse(
			&s,
			xstrdup("0x4c9d28b0\tphys_base\tvmlinux\tEXPORT_SYMBOL\t\n"
				"0x815f2897\tempty_zero_page\tvmlinux\tEXPORT_SYMBOL\t\n"
				"0x00000000\t__drm_err\tdrivers/gpu/drm/drm\tEXPORT_SYMBOL\tNS"),
			"m", &err),
		0);
	assert_true(symvers_has(&s, "phys_base"));
	assert_true(symvers_has(&s, "__drm_err"));
	assert_false(symvers_has(&s, "phys"));
	assert_false(symvers_has(&s, "vmlinux"));
	symvers_deinit(&s);
}

static void other_files_are_no_symvers(void **state)
{
	static const char *const texts[] = {
		"", "<html>\n", "0x1\tname\n", "0x1\n",
		"0x4c9d28b0\tphys_base\tvmlinux\tEXPORT_SYMBOL\t\nrubbish\n"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct symvers s = { 0 };
		struct err err = { 0 };

		assert_int_equal(symvers_parse(&s, xstrdup(texts[i]), "/x/Module.symvers", &err),
				 -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.msg, "/x/Module.symvers"));
	}
}

static void stubs_for_what_nothing_provides(void **state)
{
	_cleanup_strv_ struct strv undefined = { 0 };
	_cleanup_free_ char *text = NULL;
	struct symvers s = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(
		symvers_parse(&s, xstrdup("0x1\tkfree\tvmlinux\tEXPORT_SYMBOL\t\n"), "m", &err), 0);
	strv_add(&undefined, "kfree");
	strv_add(&undefined, "zz_last");
	strv_add(&undefined, "__this_module");
	strv_add(&undefined, "_GLOBAL_OFFSET_TABLE_");
	strv_add(&undefined, "amdgpu_amdkfd_evict_userptr");
	text = unit_stubs(&undefined, &s);
	assert_non_null(strstr(text,
			       "#include \"stub.h\"\n\nMIRROR_STUB(amdgpu_amdkfd_evict_userptr)\n"
			       "MIRROR_STUB(zz_last)\n"));
	assert_null(strstr(text, "kfree"));
	assert_null(strstr(text, "this_module"));
	assert_null(strstr(text, "GLOBAL"));
	symvers_deinit(&s);
}

static void definition_and_nothing_like_it(void **state)
{
	static const char *const yes[] = {
		"int f(int a)\n{\n}\n",
		"int\nf (struct x *(*g)(void), int b) /* why */\n{ return 0; }",
		"/* f() */\nint f(void);\nint f(void)\n{\n}\n",
		"char c = '\"'; int f(void) {}",
	};
	static const char *const no[] = {
		"int f(int a);\n",
		"int x(void)\n{\n\treturn f(1);\n}\n",
		"/* int f(int a) { } */\n",
		"// int f(int a) {\n{}",
		"char *s = \"int f(int a) {\";\n",
		"int ff(int a) {}\nint f_(int a) {}\n",
		"/**\n * f - does\n */\n",
		"int f(int a",
		"f",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		assert_true(unit_defines(yes[i], "f"));
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		assert_false(unit_defines(no[i], "f"));
}

static bool take_dep(const char *name, size_t len, void *arg)
{
	strv_take(arg, xstrndup(name, len));
	return true;
}

static void files_that_an_object_was_made_of(void **state)
{
	_cleanup_strv_ struct strv deps = { 0 };

	(void)state;
	cmdfile_each(
		"savedcmd_d/a.o := gcc -c -o d/a.o d/a.c\n\nsource_d/a.o := d/a.c\n\n"
		"deps_d/a.o := \\\n"
		"    $(wildcard include/config/X) \\\n  include/linux/mm.h \\\n  /abs/b.h \\\n\n"
		"d/a.o: $(deps_d/a.o)\n\n$(deps_d/a.o):\n",
		take_dep, &deps);
	assert_int_equal(deps.n, 3);
	assert_string_equal(deps.items[0], "d/a.c");
	assert_string_equal(deps.items[1], "include/linux/mm.h");
	assert_string_equal(deps.items[2], "/abs/b.h");
	cmdfile_each("cmd_m.o := ld -r -o m.o a.o\n", take_dep, &deps);
	assert_int_equal(deps.n, 3);
}

static void object_and_its_note_name_each_other(void **state)
{
	static const char *const not_notes[] = { "d/a.o", "d/.a.o", "a.cmd", ".cmd", "d/..cmd" };
	_cleanup_free_ char *object = cmdfile_object("d/.a.o.cmd");
	_cleanup_free_ char *program = cmdfile_object(".fixdep.cmd");
	_cleanup_free_ char *cmd = cmdfile_of("d/a.o");

	(void)state;
	assert_string_equal(object, "d/a.o");
	assert_string_equal(program, "fixdep");
	assert_string_equal(cmd, "d/.a.o.cmd");
	for (size_t i = 0; i < ARRAY_SIZE(not_notes); i++)
		assert_null(cmdfile_object(not_notes[i]));
}

static void each_name_is_kept_once(void **state)
{
	struct nameset set = { 0 };

	(void)state;
	for (unsigned int i = 0; i < 60000; i++) {
		_cleanup_free_ char *name = str_printf("include/linux/%u.h", i % 20000);

		nameset_add(&set, name, strlen(name));
	}
	nameset_add(&set, "include/linux/1.h and more", strlen("include/linux/1.h"));
	nameset_add(&set, "include/linux/1", strlen("include/linux/1"));
	assert_int_equal(set.names.n, 20001);
	assert_string_equal(set.names.items[19999], "include/linux/19999.h");
	assert_string_equal(set.names.items[20000], "include/linux/1");
	nameset_deinit(&set);
}

static void scope_names_are_read_back(void **state)
{
	enum build_scope s;

	(void)state;
	for (unsigned int i = 0; i < BUILD_SCOPES; i++) {
		assert_true(build_scope_parse(build_scope_name(i), &s));
		assert_int_equal(s, i);
	}
	assert_false(build_scope_parse("kernels", &s));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions_of_releases),
		cmocka_unit_test(versions_of_names),
		cmocka_unit_test(version_of_makefile),
		cmocka_unit_test(version_of_config),
		cmocka_unit_test(config_values),
		cmocka_unit_test(lost_options_without_those_of_the_tools),
		cmocka_unit_test(symbols_that_are_exported),
		cmocka_unit_test(other_files_are_no_symvers),
		cmocka_unit_test(stubs_for_what_nothing_provides),
		cmocka_unit_test(definition_and_nothing_like_it),
		cmocka_unit_test(files_that_an_object_was_made_of),
		cmocka_unit_test(object_and_its_note_name_each_other),
		cmocka_unit_test(each_name_is_kept_once),
		cmocka_unit_test(scope_names_are_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
