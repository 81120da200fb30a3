// SPDX-License-Identifier: GPL-2.0-or-later
/* Which kernel is taken, and what is said when its pieces are not all there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/kernel/kernel.h"

#define CONFIG(v) \
	"# Linux/x86 " v " Kernel Configuration\nCONFIG_DRM_AMDGPU=m\nCONFIG_HMM_MIRROR=y\n"

struct machine {
	char root[32];
};

static void put(struct machine *m, const char *path, const char *text)
{
	_cleanup_free_ char *full = str_printf("%s%s", m->root, path);
	_cleanup_free_ char *dir = xstrndup(full, (size_t)(strrchr(full, '/') - full));
	struct err err = { 0 };

	assert_int_equal(fs_mkdirs(dir, &err), 0);
	assert_int_equal(fs_write(full, text, strlen(text), &err), 0);
}

__attribute__((format(printf, 3, 4))) static void putf(struct machine *m, const char *text,
						       const char *fmt, ...)
{
	_cleanup_buf_ struct buf path = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&path, fmt, ap);
	va_end(ap);
	put(m, path.data, text);
}

static void install(struct machine *m, const char *release, const char *config)
{
	putf(m, config, "/boot/config-%s", release);
	putf(m, "", "/boot/vmlinuz-%s", release);
	putf(m, "", "/lib/modules/%s/modules.dep", release);
	putf(m, "", "/usr/src/linux-headers-%s/Module.symvers", release);
}

static int setup(void **state)
{
	struct machine *m = xcalloc(1, sizeof(*m));

	str_copy(m->root, sizeof(m->root), "/tmp/build-find-XXXXXX");
	assert_non_null(mkdtemp(m->root));
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct machine *m = *state;
	struct err err = { 0 };

	fs_remove_tree(m->root, &err);
	free(m);
	return 0;
}

static void expect_error(struct machine *m, struct build_kernel *k, const char *words)
{
	struct err err = { 0 };

	assert_int_equal(kernel_find_below(m->root, k, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.msg, words))
		fail_msg("'%s' does not say '%s'", err.msg, words);
	build_kernel_deinit(k);
}

static void expect_release(struct machine *m, struct build_kernel *k, const char *release)
{
	struct err err = { 0 };

	if (kernel_find_below(m->root, k, &err) < 0)
		fail_msg("%s", err.msg);
	assert_string_equal(k->release, release);
	build_kernel_deinit(k);
}

static void newest_complete_kernel_is_taken(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };
	struct err err = { 0 };

	install(m, "6.1.0-9-amd64", CONFIG("6.1.30"));
	install(m, "6.1.0-57-amd64", CONFIG("6.1.192"));
	install(m, "6.12.1-amd64", CONFIG("6.12.1")); /* without source */
	put(m, "/usr/src/linux-source-6.1.tar.xz", "x");
	assert_int_equal(kernel_find_below(m->root, &k, &err), 0);
	assert_string_equal(k.release, "6.1.0-57-amd64");
	assert_non_null(strstr(k.source, "/usr/src/linux-source-6.1.tar.xz"));
	assert_non_null(strstr(k.config, "/boot/config-6.1.0-57-amd64"));
	assert_non_null(strstr(k.symvers, "/linux-headers-6.1.0-57-amd64/Module.symvers"));
	assert_non_null(strstr(k.image, "/boot/vmlinuz-6.1.0-57-amd64"));
	assert_true(str_ends(k.modules, "/lib/modules/6.1.0-57-amd64"));
	build_kernel_deinit(&k);
}

static void ubuntus_places_are_known(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };

	install(m, "6.8.0-45-generic", CONFIG("6.8.12"));
	put(m, "/usr/src/linux-source-6.8.0/linux-source-6.8.0.tar.bz2", "x");
	put(m, "/usr/src/linux-source-6.8.0/debian/rules", "x");
	expect_release(m, &k, "6.8.0-45-generic");
}

static void source_tree_is_known_by_its_makefile(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };

	install(m, "6.1.0-57-amd64", CONFIG("6.1.192"));
	put(m, "/usr/src/linux-source-6.1/Makefile", "VERSION = 6\nPATCHLEVEL = 1\n");
	expect_release(m, &k, "6.1.0-57-amd64");
}

static void kernel_without_the_driver_is_passed_over(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };

	install(m, "6.1.0-57-amd64", CONFIG("6.1.192"));
	install(m, "6.1.0-57-cloud-amd64",
		"# Linux/x86 6.1.192 Kernel Configuration\nCONFIG_X86_64=y\n");
	put(m, "/usr/src/linux-source-6.1.tar.xz", "x");
	expect_release(m, &k, "6.1.0-57-amd64");
	k.release = xstrdup("6.1.0-57-cloud-amd64");
	expect_error(m, &k, "does not build amdgpu as a module");
}

static void missing_pieces_are_named_together_with_their_packages(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };

	expect_error(m, &k, "apt install linux-image-amd64 linux-headers-amd64 linux-source");
	put(m, "/boot/config-6.1.0-57-amd64", CONFIG("6.1.192"));
	put(m, "/boot/vmlinuz-6.1.0-57-amd64", "");
	put(m, "/lib/modules/6.1.0-57-amd64/modules.dep", "");
	expect_error(m, &k,
		     "no kernel source, no Module.symvers; apt install linux-source-6.1 "
		     "linux-headers-6.1.0-57-amd64");
	put(m, "/etc/os-release", "NAME=\"Ubuntu\"\nID=ubuntu\n");
	expect_error(m, &k, "apt install linux-source-6.1.0 linux-headers-6.1.0-57-amd64");
}

static void image_package_is_named_once(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };

	put(m, "/usr/src/linux-source-6.1.tar.xz", "x");
	put(m, "/usr/src/linux-headers-6.1.0-57-amd64/Module.symvers", "");
	put(m, "/boot/config-6.1.0-57-amd64", CONFIG("6.1.192"));
	expect_error(m, &k,
		     "no image in /boot, no /lib/modules; apt install linux-image-6.1.0-57-amd64");
}

static void source_chooses_the_release_that_fits_it(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };

	install(m, "6.1.0-57-amd64", CONFIG("6.1.192"));
	install(m, "6.12.1-amd64", CONFIG("6.12.1"));
	put(m, "/usr/src/linux-source-6.12.tar.xz", "x");
	put(m, "/srv/linux-6.1.tar.xz", "x");
	k.source = str_printf("%s/srv/linux-6.1.tar.xz", m->root);
	expect_release(m, &k, "6.1.0-57-amd64");
}

static void pieces_of_two_kernels_are_refused(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };

	install(m, "6.1.0-57-amd64", CONFIG("6.1.192"));
	put(m, "/usr/src/linux-source-6.1.tar.xz", "x");
	put(m, "/srv/linux-6.12.tar.xz", "x");
	put(m, "/srv/config", CONFIG("6.12.1"));
	k.source = str_printf("%s/srv/linux-6.12.tar.xz", m->root);
	expect_error(m, &k, "linux-6.12.tar.xz is source of 6.12");
	k.config = str_printf("%s/srv/config", m->root);
	expect_error(m, &k, "/srv/config is a config of 6.12");
	k.release = xstrdup("6.12.1-amd64");
	expect_error(m, &k, "kernel 6.12.1-amd64: no kernel source, no config in /boot");
	k.release = xstrdup("mine");
	expect_error(m, &k, "'mine' is no kernel release");
}

static void config_of_another_machine_is_refused(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };

	install(m, "6.1.0-57-amd64", CONFIG("6.1.192"));
	put(m, "/usr/src/linux-source-6.1.tar.xz", "x");
	put(m, "/srv/arm", "# Linux/arm64 6.1.192 Kernel Configuration\nCONFIG_ARM64=y\n");
	put(m, "/srv/old", CONFIG("6.1.192") "CONFIG_X86_32=y\n");
	put(m, "/srv/page", "<html>\n");
	k.config = str_printf("%s/srv/arm", m->root);
	expect_error(m, &k, "/srv/arm is a config of arm64, not of x86_64; name pieces of one");
	k.config = str_printf("%s/srv/old", m->root);
	expect_error(m, &k, "/srv/old is a config of i686, not of x86_64");
	k.config = str_printf("%s/srv/page", m->root);
	expect_error(m, &k, "/srv/page is no kernel config: it sets no CONFIG_ option");
}

static void named_file_that_is_not_there(void **state)
{
	struct machine *m = *state;
	struct build_kernel k = { 0 };

	install(m, "6.1.0-57-amd64", CONFIG("6.1.192"));
	put(m, "/usr/src/linux-source-6.1.tar.xz", "x");
	k.symvers = xstrdup("/nowhere/Module.symvers");
	expect_error(m, &k, "/nowhere/Module.symvers is not there; name another with --symvers");
}

/* A pipe would be waited for, a device read without end. */
static void named_piece_that_is_no_file(void **state)
{
	struct machine *m = *state;
	_cleanup_free_ char *pipe = str_printf("%s/srv/pipe", m->root);
	_cleanup_free_ char *dir = str_printf("%s/srv", m->root);
	struct build_kernel k = { 0 };

	install(m, "6.1.0-57-amd64", CONFIG("6.1.192"));
	put(m, "/usr/src/linux-source-6.1.tar.xz", "x");
	put(m, "/srv/text", "");
	assert_int_equal(mkfifo(pipe, 0600), 0);
	k.symvers = xstrdup(pipe);
	expect_error(m, &k, "/srv/pipe is no file; name another with --symvers");
	k.source = xstrdup(pipe);
	expect_error(m, &k, "/srv/pipe is no file; name another with --source");
	k.config = xstrdup(pipe);
	expect_error(m, &k, "/srv/pipe is no file; name another with --kconfig");
	k.image = xstrdup(dir);
	expect_error(m, &k, "/srv is no file; name another with --image");
	k.modules = xstrdup(dir);
	expect_error(m, &k, "/srv holds no modules: it has no modules.dep; name another with");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(newest_complete_kernel_is_taken, setup, teardown),
		cmocka_unit_test_setup_teardown(ubuntus_places_are_known, setup, teardown),
		cmocka_unit_test_setup_teardown(source_tree_is_known_by_its_makefile, setup,
						teardown),
		cmocka_unit_test_setup_teardown(kernel_without_the_driver_is_passed_over, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			missing_pieces_are_named_together_with_their_packages, setup, teardown),
		cmocka_unit_test_setup_teardown(image_package_is_named_once, setup, teardown),
		cmocka_unit_test_setup_teardown(source_chooses_the_release_that_fits_it, setup,
						teardown),
		cmocka_unit_test_setup_teardown(pieces_of_two_kernels_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(config_of_another_machine_is_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(named_file_that_is_not_there, setup, teardown),
		cmocka_unit_test_setup_teardown(named_piece_that_is_no_file, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
