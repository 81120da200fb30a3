// SPDX-License-Identifier: GPL-2.0-or-later
/* Packages of a kernel, honest and hostile: what lands where, and that half of one is never taken for whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/package/package.h"

#define RELEASE "6.1.0-9-amd64"
#define MODULES 3000 /* so many that a kill can come before the last */

static char dir[40];
static struct err err;

static int setup(void **state)
{
	(void)state;
	err = (struct err){ 0 };
	strcpy(dir, "/tmp/build-package-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return fs_remove_tree(dir, &err);
}

static char *at(const char *name)
{
	return str_printf("%s/%s", dir, name);
}

/* A data.tar in memory. */
struct tar {
	struct archive *a;
	char *data;
	size_t size, len;
};

static struct tar tar_begin(size_t size)
{
	struct tar t = { .a = archive_write_new(), .data = xmalloc(size), .size = size };

	archive_write_set_format_gnutar(t.a);
	return t;
}

static void tar_open(struct tar *t)
{
	assert_int_equal(archive_write_open_memory(t->a, t->data, t->size, &t->len), ARCHIVE_OK);
}

static void tar_add(struct tar *t, const char *name, unsigned int type, const char *target,
		    const char *text)
{
	struct archive_entry *e = archive_entry_new();

	archive_entry_set_pathname(e, name);
	archive_entry_set_filetype(e, type);
	archive_entry_set_perm(e, 0644);
	archive_entry_set_size(e, type == AE_IFREG ? (la_int64_t)strlen(text) : 0);
	if (target)
		archive_entry_set_symlink(e, target);
	assert_int_equal(archive_write_header(t->a, e), ARCHIVE_OK);
	if (type == AE_IFREG)
		assert_int_equal(archive_write_data(t->a, text, strlen(text)), strlen(text));
	archive_entry_free(e);
}

static void tar_close(struct tar *t)
{
	assert_int_equal(archive_write_close(t->a), ARCHIVE_OK);
	archive_write_free(t->a);
	t->a = NULL;
}

/* A .deb around it. */
static char *tar_end(struct tar *t, const char *name)
{
	struct archive *ar = archive_write_new();
	struct archive_entry *e = archive_entry_new();
	char *path = at(name);

	if (t->a)
		tar_close(t);
	archive_write_set_format_ar_svr4(ar);
	assert_int_equal(archive_write_open_filename(ar, path), ARCHIVE_OK);
	archive_entry_set_pathname(e, "data.tar");
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_size(e, (la_int64_t)t->len);
	assert_int_equal(archive_write_header(ar, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(ar, t->data, t->len), t->len);
	archive_entry_free(e);
	archive_write_close(ar);
	archive_write_free(ar);
	free(t->data);
	return path;
}

/* A package of these files, which are all one byte; a NULL ends them. */
static char *deb(const char *const *names)
{
	struct tar t = tar_begin(1 << 20);

	tar_open(&t);
	for (; *names; names++)
		tar_add(&t, *names, AE_IFREG, NULL, "x");
	return tar_end(&t, "x.deb");
}

static int unpack(const char *path)
{
	_cleanup_free_ char *root = at("root");

	assert_int_equal(fs_mkdirs(root, &err), 0);
	return package_unpack(path, root, &err);
}

static void refused(const char *const *names, const char *why)
{
	_cleanup_free_ char *path = deb(names);
	_cleanup_free_ char *root = at("root");

	assert_int_equal(unpack(path), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.msg, why))
		fail_msg("'%s' does not say '%s'", err.msg, why);
	assert_int_equal(fs_remove_tree(root, &err), 0);
}
#define REFUSED(why, ...) refused((const char *const[]){ __VA_ARGS__, NULL }, why)

static bool there(const char *name)
{
	_cleanup_free_ char *path = at(name);

	return fs_exists(path);
}

static void names_that_lead_elsewhere_are_refused(void **state)
{
	(void)state;
	REFUSED("leads elsewhere", "boot/vmlinuz-1/../../../evil");
	REFUSED("leads elsewhere", "./lib/modules/../../evil");
	REFUSED("leads elsewhere", "lib/modules/..");
	REFUSED("leads elsewhere", "lib/modules/a//b");
	REFUSED("leads elsewhere", "lib/modules/./b");
	REFUSED("leads elsewhere", "lib/modules/a\033[2Jb");
	assert_false(there("evil"));
}

static void absolute_names_land_below_the_root(void **state)
{
	const char *const names[] = { "//boot/vmlinuz-" RELEASE, "/etc/never", "../evil", NULL };
	_cleanup_free_ char *path = deb(names);

	(void)state;
	assert_int_equal(unpack(path), 0);
	assert_true(there("root/boot/vmlinuz-" RELEASE));
	assert_false(there("root/etc"));
	assert_false(there("evil"));
}

static void a_name_without_end_is_refused(void **state)
{
	_cleanup_buf_ struct buf name = { 0 };

	(void)state;
	buf_puts(&name, "lib/modules");
	while (name.len < 5000)
		buf_puts(&name, "/a");
	REFUSED("leads elsewhere", name.data);
}

static void a_file_twice_is_refused(void **state)
{
	(void)state;
	REFUSED("unpacked already", "boot/config-1", "./boot/config-1");
	REFUSED("both as a file and as a directory", "lib/modules/a", "lib/modules/a/b");
	REFUSED("unpacked already", "lib/modules/a/b", "lib/modules/a");
}

/* Neither links nor devices are made, so that nothing is written through them. */
static void only_files_are_unpacked(void **state)
{
	struct tar t = tar_begin(1 << 20);
	_cleanup_free_ char *away = at("away");
	_cleanup_free_ char *path = NULL;

	(void)state;
	assert_int_equal(fs_mkdirs(away, &err), 0);
	tar_open(&t);
	tar_add(&t, "lib/modules/link", AE_IFLNK, away, "");
	tar_add(&t, "lib/modules/link/evil", AE_IFREG, NULL, "x");
	tar_add(&t, "lib/modules/pipe", AE_IFIFO, NULL, "");
	tar_add(&t, "lib/modules/device", AE_IFCHR, NULL, "");
	path = tar_end(&t, "x.deb");
	assert_int_equal(unpack(path), 0);
	assert_true(there("root/lib/modules/link/evil"));
	assert_false(there("away/evil"));
	assert_false(there("root/lib/modules/pipe"));
	assert_false(there("root/lib/modules/device"));
}

static void files_without_end_are_refused(void **state)
{
	struct tar t = tar_begin(128 << 20);
	_cleanup_free_ char *path = NULL;

	(void)state;
	tar_open(&t);
	for (unsigned int i = 0; i < 200001; i++)
		tar_add(&t, "x", AE_IFDIR, NULL, "");
	path = tar_end(&t, "x.deb");
	assert_int_equal(unpack(path), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "more than 200000 files"));
}

/* The size in a header is believed only as far as a kernel's files go. */
static void a_huge_file_is_refused_before_it_is_written(void **state)
{
	struct tar t = tar_begin(1 << 20);
	_cleanup_free_ char *path = NULL;
	unsigned int sum = 0;

	(void)state;
	tar_open(&t);
	tar_add(&t, "boot/vmlinuz-1", AE_IFREG, NULL, "x");
	tar_close(&t);
	assert_memory_equal(t.data + 124, "00000000001", 11); /* ustar: size, then checksum */
	memcpy(t.data + 124, "17777777777", 11);
	memset(t.data + 148, ' ', 8);
	for (size_t i = 0; i < 512; i++)
		sum += (unsigned char)t.data[i];
	snprintf(t.data + 148, 7, "%06o", sum);
	path = tar_end(&t, "x.deb");
	assert_int_equal(unpack(path), -1);
	assert_non_null(strstr(err.msg, "is larger than any of a kernel"));
	assert_false(there("root/boot"));
}

/* All that a kernel needs, in packages of this directory. */
static void plant_kernel(void)
{
	struct tar t = tar_begin(8 << 20);

	tar_open(&t);
	for (unsigned int i = 0; i < MODULES; i++) {
		_cleanup_free_ char *name =
			str_printf("lib/modules/" RELEASE "/kernel/lib/m%u.txt", i);

		tar_add(&t, name, AE_IFREG, NULL, "x");
	}
	tar_add(&t, "lib/modules/" RELEASE "/modules.order", AE_IFREG, NULL, "");
	tar_add(&t, "boot/vmlinuz-" RELEASE, AE_IFREG, NULL, "image");
	tar_add(&t, "boot/config-" RELEASE, AE_IFREG, NULL,
		"CONFIG_64BIT=y\nCONFIG_X86_64=y\nCONFIG_DRM_AMDGPU=m\nCONFIG_HMM_MIRROR=y\n");
	free(tar_end(&t, "linux-image-" RELEASE "_6.1.9-1_amd64.deb"));
	t = tar_begin(1 << 20);
	tar_open(&t);
	tar_add(&t, "usr/src/linux-headers-" RELEASE "/Module.symvers", AE_IFREG, NULL, "x\n");
	free(tar_end(&t, "linux-headers-" RELEASE "_6.1.9-1_amd64.deb"));
	t = tar_begin(1 << 20);
	tar_open(&t);
	tar_add(&t, "usr/src/linux-source-6.1.tar.xz", AE_IFREG, NULL, "x");
	free(tar_end(&t, "linux-source-6.1_6.1.9-1_all.deb"));
}

static int open_kernel(uint64_t max_bytes, struct package_kernel *ret)
{
	_cleanup_free_ char *cache = at("cache");

	assert_int_equal(fs_mkdirs(cache, &err), 0);
	return package_open(dir, cache, max_bytes, NULL, ret, &err);
}

static unsigned int count(const char *name)
{
	_cleanup_free_ char *path = at(name);
	_cleanup_closedir_ DIR *d = opendir(path);
	unsigned int n = 0;

	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.';
	return n;
}

static bool can_depmod(void)
{
	return access("/usr/sbin/depmod", X_OK) == 0 || access("/sbin/depmod", X_OK) == 0;
}

/* Killed in the middle: what it left is no kernel, and is gone once the next one has its own. */
static void a_killed_unpacking_is_never_taken_for_whole(void **state)
{
	struct package_kernel k = { 0 };
	_cleanup_free_ char *modules = NULL;
	int64_t begun_ns = clock_now_ns();
	int status;
	pid_t pid;

	(void)state;
	if (!can_depmod())
		skip();
	plant_kernel();
	pid = fork();
	if (pid == 0)
		_exit(open_kernel(0, &k) < 0);
	while (!count("cache/packages") && clock_now_ns() - begun_ns < 20 * NS_PER_S)
		usleep(200);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(count("cache/packages"), 1);
	if (open_kernel(0, &k) < 0)
		fail_msg("%s", err.msg);
	modules = str_printf("%s/kernel/lib/m%u.txt", k.kernel.modules, MODULES - 1);
	assert_true(fs_exists(modules));
	assert_string_equal(k.version, "6.1.9-1");
	assert_int_equal(count("cache/packages"), 1);
	package_kernel_deinit(&k);
}

static void unpacked_kernels_make_room_but_for_those_in_use(void **state)
{
	_cleanup_free_ char *old = at("cache/packages/0123456789abcdef/lib/modules");
	_cleanup_free_ char *file = str_printf("%s/m.ko", old);
	_cleanup_free_ char *entry = at("cache/packages/0123456789abcdef");
	const struct timespec long_ago[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	struct package_kernel first = { 0 }, again = { 0 };

	(void)state;
	if (!can_depmod())
		skip();
	plant_kernel();
	assert_int_equal(fs_mkdirs(old, &err), 0);
	assert_int_equal(fs_write(file, dir, sizeof(dir), &err), 0);
	assert_int_equal(utimensat(AT_FDCWD, entry, long_ago, 0), 0);
	assert_int_equal(open_kernel(UINT64_C(1) << 32, &first), 0);
	assert_int_equal(count("cache/packages"), 2);
	/* 3000 files take more than a quarter of this; it is in use and stays, the other goes */
	assert_int_equal(open_kernel(1 << 20, &again), 0);
	assert_int_equal(count("cache/packages"), 1);
	assert_true(fs_exists(first.kernel.image));
	package_kernel_deinit(&first);
	package_kernel_deinit(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(names_that_lead_elsewhere_are_refused, setup,
						teardown),
		cmocka_unit_test_setup_teardown(absolute_names_land_below_the_root, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_name_without_end_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_file_twice_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(only_files_are_unpacked, setup, teardown),
		cmocka_unit_test_setup_teardown(files_without_end_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(a_huge_file_is_refused_before_it_is_written, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_killed_unpacking_is_never_taken_for_whole, setup,
						teardown),
		cmocka_unit_test_setup_teardown(unpacked_kernels_make_room_but_for_those_in_use,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
