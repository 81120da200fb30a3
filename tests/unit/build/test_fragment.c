// SPDX-License-Identifier: GPL-2.0-or-later
/* Config fragments, the list of what is kept, Kconfig files, and compilers by version. */
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
#include "build/build.h"
#include "build/kernel/compiler.h"
#include "build/kernel/fragment.h"
#include "build/kernel/kconfig.h"
#include "build/key.h"
#include "build/tree/inputs.h"

static void expect(const struct err *err, const char *words)
{
	assert_int_equal(err->kind, ERR_USAGE);
	if (!strstr(err->msg, words))
		fail_msg("'%s' does not say '%s'", err->msg, words);
}

static void add(struct settings *s, const char *text, const char *origin)
{
	struct err err = { 0 };

	if (settings_add(s, text, origin, &err) < 0)
		fail_msg("%s", err.msg);
}

static void later_fragment_wins_and_comes_last(void **state)
{
	_cleanup_(settings_deinit) struct settings s = { 0 };
	_cleanup_buf_ struct buf text = { 0 };

	(void)state;
	add(&s, "# ours\nCONFIG_HZ_250=y\nCONFIG_DRM=y\r\nCONFIG_CMDLINE=\"a b\"\n", "a");
	add(&s, "# CONFIG_DRM is not set\nCONFIG_HZ_1000=y", "b");
	settings_print(&s, &text);
	assert_string_equal(text.data, "CONFIG_HZ_250=y\nCONFIG_CMDLINE=\"a b\"\n"
				       "# CONFIG_DRM is not set\nCONFIG_HZ_1000=y\n");
}

static void what_is_no_fragment_is_named_by_line(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "CONFIG_A=y\n<html>\n",
		  "f.config, line 2, is no line of a config fragment: '<html>'" },
		{ "CONFIG_A y\n", "line 1, is no line of a config fragment" },
		{ "CONFIG_A=\n", "line 1, is no line of a config fragment" },
		{ "DRM=y\n", "line 1, is no line of a config fragment" },
		{ " CONFIG_A=y\n", "line 1, is no line of a config fragment" },
		{ "CONFIG_=y\n", "line 1, is no line of a config fragment" },
		{ "", "f.config is no config fragment: it sets no option" },
		{ "# CONFIG_A=y\n# CONFIG_B is not set yet\n", "it sets no option" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_(settings_deinit) struct settings s = { 0 };
		struct err err = { 0 };

		assert_int_equal(settings_add(&s, cases[i].text, "f.config", &err), -1);
		expect(&err, cases[i].words);
	}
}

static void lost_options_are_found_in_order(void **state)
{
	static const char after[] = "CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\n"
				    "CONFIG_TEXT=\"a b\"\nCONFIG_NUM=512\nCONFIG_G=y\n";
	_cleanup_(settings_deinit) struct settings s = { 0 };
	const struct setting *lost;
	size_t at = 0;

	(void)state;
	add(&s,
	    "CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=n\n# CONFIG_D is not set\nCONFIG_TEXT=\"a b\"\n"
	    "CONFIG_NUM=51\n\n# optional: since 5.12\nCONFIG_E=y\n\nCONFIG_F=y\nCONFIG_G=n\n",
	    "f");
	/* of one that is overridden the last alone counts */
	add(&s, "CONFIG_G=y\n", "g");
	lost = settings_lost(&s, after, &at);
	assert_string_equal(lost->name, "CONFIG_B");
	assert_int_equal(lost->line, 2);
	assert_false(lost->optional);
	assert_string_equal(settings_lost(&s, after, &at)->name, "CONFIG_NUM");
	lost = settings_lost(&s, after, &at);
	assert_string_equal(lost->name, "CONFIG_E");
	assert_true(lost->optional);
	lost = settings_lost(&s, after, &at);
	assert_string_equal(lost->name, "CONFIG_F");
	assert_false(lost->optional);
	assert_null(settings_lost(&s, after, &at));
}

static void kept_options_are_the_distributions(void **state)
{
	static const char config[] = "CONFIG_HZ=250\n# CONFIG_HZ_100 is not set\nCONFIG_HZ_250=y\n"
				     "CONFIG_PREEMPT_RCU=y\nCONFIG_PREEMPT=y\n# CONFIG_KSM\n";
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(keep_parse("# time\nCONFIG_HZ_*\n\nCONFIG_PREEMPT\nCONFIG_KSM\n", "keep",
				    &names, &err),
			 0);
	keep_pick(&names, config, &text);
	assert_string_equal(text.data, "# CONFIG_HZ_100 is not set\nCONFIG_HZ_250=y\n"
				       "CONFIG_PREEMPT=y\n");
	assert_int_equal(keep_parse("CONFIG_A\nCONFIG_B=y\n", "keep", &names, &err), -1);
	expect(&err, "keep, line 2, is no name of an option: 'CONFIG_B=y'");
}

static void kconfig_files_of_a_config(void **state)
{
	static const char cmd[] = "deps_config := \\\n\tarch/x86/Kconfig \\\n\tKconfig \\\n"
				  "\tdrivers/gpu/drm/amd/amdgpu/Kconfig\n\n"
				  "include/config/auto.conf: $(deps_config)\n\n"
				  "ifneq \"$(LD)\" \"ld\"\n";
	static const char *const want[] = { "Kconfig", "arch/x86/Kconfig",
					    "drivers/gpu/drm/amd/amdgpu/Kconfig" };
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_strv_ struct strv none = { 0 };

	(void)state;
	kconfig_files(cmd, &files);
	assert_int_equal(files.n, ARRAY_SIZE(want));
	for (size_t i = 0; i < files.n; i++)
		assert_string_equal(files.items[i], want[i]);
	kconfig_files("include/config/auto.conf: FORCE\n", &none);
	kconfig_files("deps_config :=\n", &none);
	assert_int_equal(none.n, 0);
}

static void option_is_known_by_its_definition_alone(void **state)
{
	static const char text[] = "menuconfig DRM\n\ttristate\n\tdepends on PCI\n\tselect I2C\n"
				   "config HSA_AMD\n  config  INNER  \nconfig LAST";

	(void)state;
	assert_true(kconfig_defines(text, "CONFIG_DRM"));
	assert_true(kconfig_defines(text, "CONFIG_HSA_AMD"));
	assert_true(kconfig_defines(text, "CONFIG_INNER"));
	assert_true(kconfig_defines(text, "CONFIG_LAST"));
	assert_false(kconfig_defines(text, "CONFIG_HSA"));
	assert_false(kconfig_defines(text, "CONFIG_PCI"));
	assert_false(kconfig_defines(text, "CONFIG_I2C"));
	assert_false(kconfig_defines("", "CONFIG_DRM"));
}

static void compiler_goes_by_the_kernels_version(void **state)
{
	static const char *const texts[] = { "..4.18 gcc-8", "4.19..5.17 ccache gcc-10",
					     " 5.18.2..6.0.9\tgcc-11", "6.1.. gcc-12" };
	static const struct {
		const char *version, *cc;
	} cases[] = {
		{ "2.6.39", "gcc-8" },	     { "4.18.20", "gcc-8" },
		{ "4.19", "ccache gcc-10" }, { "5.17.99", "ccache gcc-10" },
		{ "5.18.1", NULL },	     { "5.18.2", "gcc-11" },
		{ "6.0.9", "gcc-11" },	     { "6.0.10", NULL },
		{ "6.1.192", "gcc-12" },     { "7.2", "gcc-12" },
		{ "5.9", "ccache gcc-10" },
	};
	_cleanup_(compiler_rules_deinit) struct compiler_rules r = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(compiler_rules_parse(texts, ARRAY_SIZE(texts), &r, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct kversion v;
		const char *cc;

		assert_true(kversion_parse(cases[i].version, &v));
		cc = compiler_for(&r, &v);
		if (!cases[i].cc)
			assert_null(cc);
		else
			assert_string_equal(cc, cases[i].cc);
	}
}

static void first_compiler_that_fits_wins(void **state)
{
	static const char *const texts[] = { "5.4..5.4 gcc-9", "..6.0 gcc-10" };
	_cleanup_(compiler_rules_deinit) struct compiler_rules r = { 0 };
	const struct kversion v = { .version = 5, .patchlevel = 4, .sublevel = 7 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(compiler_rules_parse(texts, ARRAY_SIZE(texts), &r, &err), 0);
	assert_string_equal(compiler_for(&r, &v), "gcc-9");
}

static void compiler_that_is_written_wrongly(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{ "gcc-10", "compiler 'gcc-10' names no range of versions; want" },
		{ "", "names no range of versions" },
		{ "5.4 gcc-10", "names no range of versions" },
		{ "4.19..5.17", "names no compiler" },
		{ "4.19..5.17 ", "names no compiler" },
		{ ".. gcc-10", "is for all versions; name such a one with --cc" },
		{ "4..5.17 gcc", "'4' is no kernel version" },
		{ "4.19..five gcc", "'five' is no kernel version" },
		{ "4.19..5.17-rc1 gcc", "'5.17-rc1' is no kernel version" },
		{ "v4.19..v5.17 gcc", "'v4.19' is no kernel version" },
		{ "4.19...5.17 gcc", "'.5.17' is no kernel version" },
		{ "5.17..4.19 gcc", "5.17 is after 4.19; turn them round" },
		{ "5.17.3..5.17.2 gcc", "5.17.3 is after 5.17.2" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct err err = { 0 };

		assert_int_equal(build_compiler_check(cases[i].text, &err), -1);
		expect(&err, cases[i].words);
	}
}

/* A pipe would be waited for, and a device without an end be read for ever. */
static void fragment_that_is_no_file(void **state)
{
	static const char *const names[] = { "/dev/zero", "/proc", NULL };
	char dir[] = "/tmp/build-fragment-XXXXXX";
	_cleanup_free_ char *pipe = NULL;
	struct build_spec spec = { .n_fragments = 1, .mirror = "/nowhere" };

	(void)state;
	assert_non_null(mkdtemp(dir));
	pipe = str_printf("%s/pipe", dir);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *fragment = names[i] ? names[i] : pipe;
		_cleanup_(key_base_deinit) struct key_base k = { 0 };
		struct err err = { 0 };

		spec.fragments = &fragment;
		assert_int_equal(key_base_init(&k, &spec, &err), -1);
		expect(&err, "is no file; name a config fragment with --fragment");
	}
	unlink(pipe);
	rmdir(dir);
}

static void fragment_with_a_zero_byte(void **state)
{
	static const char config[] = "# Linux/x86 6.1.192 Kernel Configuration\nCONFIG_X=y\n";
	static const char text[] = "CONFIG_A=y\n\0CONFIG_B=y\n";
	char name[] = "/tmp/build-fragment-XXXXXX", of[] = "/tmp/build-config-XXXXXX";
	const char *const fragments[] = { name };
	struct build_kernel kernel = { .config = of };
	struct build_spec spec = { .kernel = &kernel, .fragments = fragments, .n_fragments = 1 };
	_cleanup_(config_inputs_deinit) struct config_inputs in = { 0 };
	struct err err = { 0 };

	(void)state;
	close(mkstemp(name));
	close(mkstemp(of));
	assert_int_equal(fs_write(name, text, sizeof(text) - 1, &err), 0);
	assert_int_equal(fs_write(of, config, sizeof(config) - 1, &err), 0);
	assert_int_equal(config_inputs_read(&spec, &in, &err), -1);
	expect(&err, "is no text: it has a zero byte at 11");
	unlink(name);
	unlink(of);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(later_fragment_wins_and_comes_last),
		cmocka_unit_test(what_is_no_fragment_is_named_by_line),
		cmocka_unit_test(lost_options_are_found_in_order),
		cmocka_unit_test(kept_options_are_the_distributions),
		cmocka_unit_test(kconfig_files_of_a_config),
		cmocka_unit_test(option_is_known_by_its_definition_alone),
		cmocka_unit_test(compiler_goes_by_the_kernels_version),
		cmocka_unit_test(first_compiler_that_fits_wins),
		cmocka_unit_test(compiler_that_is_written_wrongly),
		cmocka_unit_test(fragment_that_is_no_file),
		cmocka_unit_test(fragment_with_a_zero_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
