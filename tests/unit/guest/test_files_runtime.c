// SPDX-License-Identifier: GPL-2.0-or-later
/* The image with the HIP runtime and the firmware, made of libraries that only bear their names. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/spawn.h"
#include "guest/image/runtime.h"

#define LIBRARIES "/usr/lib/x86_64-linux-gnu"

static char work[] = "/tmp/test-guest-runtime.XXXXXX";
static char modules_dir[256];

static char *in_work(const char *name)
{
	return str_printf("%s/%s", work, name);
}

static char *make_dir(const char *name)
{
	char *path = in_work(name);
	struct err err;

	assert_int_equal(fs_mkdirs(path, &err), 0);
	return path;
}

static void copy(const char *from, const char *dir, const char *name)
{
	_cleanup_free_ char *to = str_printf("%s/%s", dir, name);
	struct err err;

	assert_int_equal(fs_copy(from, to, &err), 0);
}

/* The image's listing, or what else a program prints. */
static char *output_of(const char *const *argv)
{
	struct buf text = { 0 };
	struct spawn spawn = { .argv = argv, .capture = &text };
	struct spawn_result result;
	struct err err;

	assert_int_equal(spawn_run(&spawn, &result, &err), 0);
	assert_int_equal(result.exit_code, 0);
	return buf_take(&text);
}

static char *listing(const char *image)
{
	const char *const argv[] = { "unsquashfs", "-lln", image, NULL };

	return output_of(argv);
}

/* A tree as ROCm's packages make it: HIP needs libz, comgr is opened when it runs. */
static char *make_tree(const char *name)
{
	char *tree = make_dir(name);
	_cleanup_free_ char *lib = str_printf("%s/opt/rocm-6.4.0/lib", tree);
	struct err err;

	assert_int_equal(fs_mkdirs(lib, &err), 0);
	copy(LIBRARIES "/libelf.so.1", lib, "libamdhip64.so.6");
	copy(LIBRARIES "/libelf.so.1", lib, "libamdhip64.so.5");
	copy(LIBRARIES "/libarchive.so.13", lib, "libamd_comgr.so.3");
	copy(LIBRARIES "/libz.so.1", lib, "libz.so.1");
	return tree;
}

static void the_runtime_is_packed_with_all_it_needs_but_the_c_library(void **state)
{
	_cleanup_free_ char *tree = make_tree("tree"), *cache = make_dir("cache");
	struct guest_spec spec = { .runtime = { .dir = tree } };
	_cleanup_free_ char *image = NULL, *list = NULL;
	struct err err;

	(void)state;
	assert_int_equal(runtime_make(&spec, cache, &image, &err), 0);
	list = listing(image);
	assert_non_null(strstr(list, "/lib/libamdhip64.so.6\n"));
	assert_null(strstr(list, "/lib/libamdhip64.so.5\n"));
	assert_non_null(strstr(list, "/lib/libamd_comgr.so.3\n"));
	assert_non_null(strstr(list, "/lib/libz.so.1\n"));
	assert_non_null(strstr(list, "/lib/libxml2.so.2\n")); /* libarchive's */
	assert_non_null(strstr(list, "/lib/libm.so.6\n"));
	assert_null(strstr(list, "libc.so.6"));
	assert_null(strstr(list, "ld-linux"));
	assert_non_null(strstr(list, "-rw-r--r-- 0/0 "));
	for (char *save = NULL, *line = strtok_r(list, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		assert_non_null(strstr(line, " 1970-01-01 00:00 "));
}

static void the_same_inputs_give_the_same_bytes_and_are_not_packed_twice(void **state)
{
	_cleanup_free_ char *tree = make_tree("tree"), *other = make_tree("other"),
			    *cache = make_dir("cache"), *second = make_dir("second");
	struct guest_spec spec = { .runtime = { .dir = tree } };
	_cleanup_free_ char *a = NULL, *b = NULL, *again = NULL;
	char sum_a[65], sum_b[65];
	struct stat before, after;
	mode_t mask = umask(077);
	struct err err;

	(void)state;
	assert_int_equal(runtime_make(&spec, cache, &a, &err), 0);
	assert_int_equal(stat(a, &before), 0);
	spec.runtime.dir = other;
	umask(mask);
	assert_int_equal(runtime_make(&spec, second, &b, &err), 0);
	assert_string_equal(strrchr(a, '/'), strrchr(b, '/'));
	assert_int_equal(fs_sha256_file(a, sum_a, &err), 0);
	assert_int_equal(fs_sha256_file(b, sum_b, &err), 0);
	assert_string_equal(sum_a, sum_b);
	assert_int_equal(runtime_make(&spec, cache, &again, &err), 0);
	assert_string_equal(a, again);
	assert_int_equal(stat(again, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
}

static void another_library_is_another_image(void **state)
{
	_cleanup_free_ char *tree = make_tree("tree"), *changed = make_tree("changed"),
			    *cache = make_dir("cache");
	_cleanup_free_ char *lib = str_printf("%s/opt/rocm-6.4.0/lib", changed);
	struct guest_spec spec = { .runtime = { .dir = tree } };
	_cleanup_free_ char *a = NULL, *b = NULL;
	struct err err;

	(void)state;
	assert_int_equal(runtime_make(&spec, cache, &a, &err), 0);
	copy(LIBRARIES "/libz.so.1", lib, "libamdhip64.so.6");
	spec.runtime.dir = changed;
	assert_int_equal(runtime_make(&spec, cache, &b, &err), 0);
	assert_string_not_equal(a, b);
}

static void the_manifest_names_every_file_its_digest_and_its_package(void **state)
{
	_cleanup_free_ char *tree = make_tree("tree"), *cache = make_dir("cache");
	_cleanup_free_ char *hip = str_printf("%s/opt/rocm-6.4.0/lib/libamdhip64.so.6", tree);
	struct guest_spec spec = { .runtime = { .dir = tree } };
	_cleanup_free_ char *image = NULL, *path = NULL, *text = NULL, *want = NULL, *from = NULL;
	char sum[65];
	struct err err;

	(void)state;
	assert_int_equal(runtime_make(&spec, cache, &image, &err), 0);
	path = str_printf("%s.manifest", image);
	assert_int_equal(fs_read(path, 1 << 20, &text, NULL, &err), 0);
	assert_int_equal(fs_sha256_file(hip, sum, &err), 0);
	want = str_printf("file /lib/libamdhip64.so.6 %s\n", sum);
	from = str_printf("from /lib/libamdhip64.so.6 %s\n", hip);
	assert_non_null(strstr(text, want));
	assert_non_null(strstr(text, from));
	assert_non_null(strstr(text, "\npackage libc6 "));
}

static void a_package_is_unpacked_and_named_with_its_version(void **state)
{
	_cleanup_free_ char *tree = make_tree("tree"), *cache = make_dir("cache"),
			    *control = make_dir("tree/DEBIAN"), *deb = in_work("hip.deb");
	_cleanup_free_ char *file = str_printf("%s/control", control);
	static const char text[] = "Package: hip-runtime-amd\nVersion: 6.4-1\nArchitecture: amd64\n"
				   "Maintainer: x <x@example.org>\nDescription: x\n";
	const char *const build[] = { "dpkg-deb", "--build", tree, deb, NULL };
	const char *const debs[] = { deb };
	struct guest_spec spec = { .runtime = { .debs = debs, .n_debs = 1 } };
	_cleanup_free_ char *image = NULL, *path = NULL, *manifest = NULL, *list = NULL;
	_cleanup_free_ char *pattern = in_work("cache/debs.*");
	struct err err;
	glob_t g = { 0 };

	(void)state;
	assert_int_equal(fs_write(file, text, strlen(text), &err), 0);
	free(output_of(build));
	assert_int_equal(runtime_make(&spec, cache, &image, &err), 0);
	list = listing(image);
	assert_non_null(strstr(list, "/lib/libamdhip64.so.6\n"));
	path = str_printf("%s.manifest", image);
	assert_int_equal(fs_read(path, 1 << 20, &manifest, NULL, &err), 0);
	assert_non_null(strstr(manifest, "package hip-runtime-amd 6.4-1\n"));
	assert_non_null(strstr(manifest, "from /lib/libz.so.1 /opt/rocm-6.4.0/lib/libz.so.1\n"));
	assert_int_equal(glob(pattern, 0, NULL, &g), GLOB_NOMATCH);
}

static void what_is_no_runtime_is_refused_with_what_to_do(void **state)
{
	_cleanup_free_ char *empty = make_dir("empty"), *half = make_dir("half"),
			    *cache = make_dir("cache"), *junk = in_work("junk.deb");
	const char *const debs[] = { junk }, *const none[] = { "/nonexistent.deb" };
	const struct {
		struct guest_spec spec;
		const char *says;
	} cases[] = {
		{ { .runtime = { .dir = "/nonexistent" } }, "--runtime-dir takes" },
		{ { .runtime = { .dir = empty } }, "no libamdhip64.so.N in" },
		{ { .runtime = { .debs = debs, .n_debs = 1 } }, "no Debian package" },
		{ { .runtime = { .debs = none, .n_debs = 1 } }, "--runtime-deb takes" },
	};
	struct err err;

	(void)state;
	assert_int_equal(fs_write(junk, "junk", 4, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *image = NULL;

		assert_int_equal(runtime_make(&cases[i].spec, cache, &image, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.msg, cases[i].says));
		assert_null(image);
	}
	/* a library of the runtime that is nowhere */
	copy(LOST, half, "libamdhip64.so.6");
	copy(LIBRARIES "/libz.so.1", half, "libamd_comgr.so.2");
	{
		struct guest_spec spec = { .runtime = { .dir = half } };
		char *image = NULL;

		assert_int_equal(runtime_make(&spec, cache, &image, &err), -1);
		assert_non_null(strstr(err.msg, "not on this machine"));
	}
}

static void without_mksquashfs_its_package_is_named(void **state)
{
	_cleanup_free_ char *tree = make_tree("tree"), *cache = make_dir("bare-cache"),
			    *path = xstrdup(getenv("PATH")), *image = NULL;
	struct guest_spec spec = { .runtime = { .dir = tree } };
	struct err err;

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(runtime_make(&spec, cache, &image, &err), -1);
	setenv("PATH", path, 1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "squashfs-tools"));
	assert_int_equal(rmdir(cache), 0); /* nothing is left */
}

static void firmware_that_the_driver_names_goes_in_plain(void **state)
{
	_cleanup_free_ char *dir = make_dir("firmware/amdgpu"), *cache = make_dir("cache"),
			    *root = in_work("firmware"), *plain = in_work("firmware/amdgpu/a");
	_cleanup_free_ char *from = str_printf("%s/navi10_sos.bin", dir);
	const char *const xz[] = { "xz", from, NULL };
	struct guest_spec spec = { .modules = modules_dir, .runtime = { .firmware = root } };
	_cleanup_free_ char *image = NULL, *list = NULL, *path = NULL, *text = NULL;
	static const char words[] = "the firmware";
	struct err err;

	(void)state;
	if (!*modules_dir)
		skip();
	assert_int_equal(runtime_make(&spec, cache, &image, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "firmware-amd-graphics"));
	assert_int_equal(fs_write(from, words, strlen(words), &err), 0);
	assert_int_equal(fs_write(plain, "no driver asks for it", 21, &err), 0);
	free(output_of(xz));
	assert_int_equal(runtime_make(&spec, cache, &image, &err), 0);
	list = listing(image);
	assert_non_null(strstr(list, "/firmware/amdgpu/navi10_sos.bin\n"));
	assert_null(strstr(list, "/firmware/amdgpu/a\n"));
	{
		const char *const cat[] = { "unsquashfs", "-cat", image,
					    "firmware/amdgpu/navi10_sos.bin", NULL };

		text = output_of(cat);
	}
	assert_string_equal(text, words);
	path = str_printf("%s.manifest", image);
	free(text);
	assert_int_equal(fs_read(path, 1 << 20, &text, NULL, &err), 0);
	assert_non_null(strstr(text, "missing amdgpu/vega10_sos.bin\n"));
}

static void a_damaged_driver_is_no_lack_of_firmware(void **state)
{
	_cleanup_free_ char *root = make_dir("lost"), *cache = make_dir("lost-cache"),
			    *base = in_work("lost-base"),
			    *dir = in_work("lost-base/lib/modules/1.0");
	_cleanup_free_ char *command = str_printf(
		"mkdir -p '%s/kernel' && f=$(find '%s/' -name 'cdrom.ko*' | head -n 1) && "
		"t='%s/kernel/amdgpu.ko'${f##*.ko} && cp \"$f\" \"$t\" && "
		"PATH=$PATH:/usr/sbin:/sbin depmod -b '%s' 1.0 && echo lost >\"$t\"",
		dir, modules_dir, dir, base);
	const char *const sh[] = { "sh", "-c", command, NULL };
	struct guest_spec spec = { .modules = dir, .runtime = { .firmware = root } };
	_cleanup_free_ char *image = NULL;
	struct err err = { 0 };

	(void)state;
	if (!*modules_dir)
		skip();
	free(output_of(sh));
	assert_int_equal(runtime_make(&spec, cache, &image, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "kernel/amdgpu.ko"));
}

static void firmware_that_nobody_named_may_lack(void **state)
{
	_cleanup_free_ char *root = make_dir("bare"), *cache = make_dir("bare-cache");
	struct guest_spec spec = { .modules = modules_dir,
				   .runtime = { .firmware = root, .may_lack = true } };
	char *image = in_work("x");
	struct err err;

	(void)state;
	if (!*modules_dir)
		skip();
	free(image);
	assert_int_equal(runtime_make(&spec, cache, &image, &err), 0);
	assert_null(image);
	assert_int_equal(rmdir(cache), 0); /* nothing was made */
	spec.modules = root;
	assert_int_equal(runtime_make(&spec, cache, &image, &err), 0);
	assert_null(image);
}

static void nothing_asked_for_is_no_image(void **state)
{
	struct guest_spec spec = { 0 };
	char *image = in_work("x");
	struct err err;

	(void)state;
	free(image);
	assert_int_equal(runtime_make(&spec, work, &image, &err), 0);
	assert_null(image);
}

static int set_up(void **state)
{
	glob_t g = { 0 };

	(void)state;
	glob("/lib/modules/*/kernel/drivers/gpu/drm/amd/amdgpu/amdgpu.ko*", 0, NULL, &g);
	if (g.gl_pathc)
		str_copy(modules_dir, sizeof(modules_dir), g.gl_pathv[0]);
	if (strstr(modules_dir, "/kernel/"))
		*strstr(modules_dir, "/kernel/") = '\0';
	globfree(&g);
	return mkdtemp(work) ? 0 : -1;
}

static int clean(void **state)
{
	static const char *const parts[] = { "cache", "second", "tree", "other", "changed" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_cleanup_free_ char *path = in_work(parts[i]);

		assert_int_equal(fs_remove_tree(path, &err), 0);
	}
	return 0;
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	return fs_remove_tree(work, &err);
}

#define TEST(f) cmocka_unit_test_teardown(f, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_runtime_is_packed_with_all_it_needs_but_the_c_library),
		TEST(the_same_inputs_give_the_same_bytes_and_are_not_packed_twice),
		TEST(another_library_is_another_image),
		TEST(the_manifest_names_every_file_its_digest_and_its_package),
		TEST(a_package_is_unpacked_and_named_with_its_version),
		TEST(what_is_no_runtime_is_refused_with_what_to_do),
		TEST(without_mksquashfs_its_package_is_named),
		TEST(firmware_that_the_driver_names_goes_in_plain),
		TEST(a_damaged_driver_is_no_lack_of_firmware),
		TEST(firmware_that_nobody_named_may_lack),
		TEST(nothing_asked_for_is_no_image),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
