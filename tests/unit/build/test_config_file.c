// SPDX-License-Identifier: GPL-2.0-or-later
/* A config out of a file or a package, and what is said when it is not one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/kernel/config_file.h"

static const char config[] = "# Linux/x86 6.1.192 Kernel Configuration\nCONFIG_DRM_AMDGPU=m\n";
static char dir[32];

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/build-config-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	struct err err = { 0 };

	(void)state;
	return fs_remove_tree(dir, &err);
}

__attribute__((format(printf, 1, 2))) static void sh(const char *fmt, ...)
{
	_cleanup_buf_ struct buf cmd = { 0 };
	va_list ap;

	buf_printf(&cmd, "set -e; cd '%s'; ", dir);
	va_start(ap, fmt);
	buf_vprintf(&cmd, fmt, ap);
	va_end(ap);
	/* NOLINTNEXTLINE(cert-env33-c): ar and tar make what a distribution would */
	if (system(cmd.data) != 0)
		fail_msg("failed: %s", cmd.data);
}

static void put(const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	struct err err = { 0 };

	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
}

/* @tar: tar's option for how data.tar is packed, "" or "--xz" */
static void package(const char *name, const char *inner, const char *tar, const char *end)
{
	sh("rm -rf root; mkdir -p root/usr/share/doc \"$(dirname 'root/%s')\"", inner);
	put("root/usr/share/doc/copyright", "CONFIG_NOT_THIS=y\n");
	sh("printf '%s' > 'root/%s'", config, inner);
	sh("tar -C root %s -cf 'data.tar%s' ./usr \"./%.*s\"", tar, end, (int)strcspn(inner, "/"),
	   inner);
	sh("echo 2.0 > debian-binary; tar -cf control.tar -T /dev/null; rm -f '%s'; "
	   "ar rc '%s' debian-binary control.tar 'data.tar%s'",
	   name, name, end);
}

static void expect_config(const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	_cleanup_free_ char *text = NULL;
	struct err err = { 0 };

	if (config_file_read(path, &text, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(text, config);
}

static void expect_error(const char *name, const char *words)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	struct err err = { 0 };
	char *text = NULL;

	assert_int_equal(config_file_read(path, &text, &err), -1);
	assert_null(text);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.msg, words) || !strstr(err.msg, path))
		fail_msg("'%s' does not say '%s'", err.msg, words);
}

static void file_is_taken_as_it_is(void **state)
{
	(void)state;
	put("config", config);
	expect_config("config");
	sh("gzip -k config");
	expect_config("config.gz");
}

static void package_is_looked_through(void **state)
{
	static const struct {
		const char *inner, *tar, *end;
	} cases[] = {
		{ "boot/config-6.1.0-57-amd64", "--xz", ".xz" },
		{ "boot/config-6.8.0-45-generic", "--zstd", ".zst" },
		{ "boot/config-6.1.0-57-amd64", "--gzip", ".gz" },
		{ "boot/config-6.1.0-57-amd64", "", "" },
		{ "usr/lib/modules/6.19.1-amd64/config", "--xz", ".xz" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		if (strcmp(cases[i].end, ".zst") == 0 && system("command -v zstd >/dev/null") != 0)
			continue;
		package("image.deb", cases[i].inner, cases[i].tar, cases[i].end);
		expect_config("image.deb");
	}
}

static void package_of_something_else(void **state)
{
	(void)state;
	package("doc.deb", "usr/share/config-6.1", "--xz", ".xz");
	expect_error("doc.deb", "holds no /boot/config-*; name a linux-image package");
	sh("rm -f lib.a; echo x > x; ar rc lib.a x");
	expect_error("lib.a", "is no kernel config and no Debian package with one");
}

static void damaged_package(void **state)
{
	(void)state;
	package("image.deb", "boot/config-6.1.0-57-amd64", "--xz", ".xz");
	sh("size=$(stat -c %%s image.deb); head -c $((size - 200)) image.deb > cut.deb");
	expect_error("cut.deb", "cannot be read as a config");
	sh("tar -C root -cf data.tar ./boot; head -c 700 data.tar > cut; mv cut data.tar; rm -f "
	   "t.deb; "
	   "ar rc t.deb debian-binary data.tar");
	expect_error("t.deb", "cannot be read as a config");
}

static void what_is_no_config(void **state)
{
	(void)state;
	put("page", "<html>\n");
	expect_error("page", "is no kernel config: it sets no CONFIG_ option");
	put("empty", "");
	expect_error("empty", "is no kernel config");
	sh("printf 'CONFIG_A=y\\n\\0' > zero");
	expect_error("zero", "is no kernel config");
	sh("head -c 6000000 /dev/zero | tr '\\0' x > large");
	expect_error("large", "is no kernel config: it is larger than 4 MiB");
	sh("mkdir sub");
	expect_error("sub", "is no file");
	expect_error("missing", "cannot be read as a config");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(file_is_taken_as_it_is, setup, teardown),
		cmocka_unit_test_setup_teardown(package_is_looked_through, setup, teardown),
		cmocka_unit_test_setup_teardown(package_of_something_else, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_package, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_no_config, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
