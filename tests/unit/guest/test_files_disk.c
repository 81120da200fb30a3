// SPDX-License-Identifier: GPL-2.0-or-later
/* The disk guest's files: which base, and overlays that leave it as it is. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/spawn.h"
#include "guest/image/disk.h"
#include "guest/image/initramfs.h"

static char work[] = "/tmp/test-guest-disk.XXXXXX";

static char *put(const char *name, const char *text, time_t when)
{
	struct timespec t[2] = { { .tv_sec = when }, { .tv_sec = when } };
	char *path = str_printf("%s/%s", work, name);
	struct err err;

	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
	return path;
}

static char *output_of(const char *const *argv)
{
	struct buf text = { 0 };
	struct spawn spawn = { .argv = argv, .capture = &text };
	struct spawn_result result;
	struct err err;

	assert_int_equal(spawn_run(&spawn, &result, &err), 0);
	if (result.exit_code && !strstr(text.data ? text.data : "", "Pattern verification failed"))
		fail_msg("%s %s gave %d", argv[0], argv[1], result.exit_code);
	return buf_take(&text);
}

static void without_a_disk_the_recipe_is_named(void **state)
{
	char *base = NULL;
	struct err err;

	(void)state;
	assert_int_equal(disk_base(NULL, work, &base, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "amdgpu-bisect image build --disk"));
	assert_int_equal(disk_base("/nonexistent", work, &base, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "is gone"));
	assert_null(base);
}

static void the_disk_used_last_is_taken_and_neither_manifest_nor_half_an_image(void **state)
{
	_cleanup_free_ char *old = put("disk-0123456789abcdef", "x", 100),
			    *new = put("disk-fedcba9876543210", "x", 200),
			    *manifest = put("disk-fedcba9876543210.manifest", "x", 300),
			    *half = put("disk-fedcba9876543210.part.12", "x", 300);
	_cleanup_free_ char *base = NULL, *wanted = NULL;
	struct err err;

	(void)state;
	assert_true(fs_exists(manifest) && fs_exists(half));
	assert_int_equal(disk_base(NULL, work, &base, &err), 0);
	assert_string_equal(base, new);
	assert_int_equal(disk_base(old, work, &wanted, &err), 0);
	assert_string_equal(wanted, old);
}

#define DISK "disk-00112233445566ff"

static char *content_of(const char *base)
{
	struct buf b = { 0 };
	struct err err;

	assert_int_equal(disk_content(base, &b, &err), 0);
	return buf_take(&b);
}

static void a_disk_is_told_from_another_of_the_same_name(void **state)
{
	_cleanup_free_ char *base = put(DISK, "one", 100), *a = NULL, *b = NULL, *c = NULL,
			    *manifest = NULL, *text = NULL;
	char digest[65];
	struct err err;

	(void)state;
	a = content_of(base); /* a file of the user's */
	free(put(DISK, "two!", 100));
	b = content_of(base);
	assert_string_not_equal(a, b);
	fs_sha256_text("two!", 4, digest);
	text = str_printf("disk 1\nsuite trixie\nimage %s 4 bytes\npackage a 1\n", digest);
	manifest = put(DISK ".manifest", text, 100);
	c = content_of(base);
	assert_string_equal(c, digest);
	assert_int_equal(disk_check(base, &err), 0);
	free(put(DISK, "tw0!", 100));
	assert_int_equal(disk_check(base, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "is damaged"));
	assert_int_equal(unlink(manifest), 0);
	assert_int_equal(disk_check(base, &err), 0);
	assert_int_equal(unlink(base), 0);
	assert_int_equal(disk_content(base, &(struct buf){ 0 }, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
}

static void what_is_written_to_an_overlay_is_not_in_its_base(void **state)
{
	static const char *const forms[] = { "raw", "qcow2" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		_cleanup_free_ char *base = str_printf("%s/base.%s", work, forms[i]);
		_cleanup_free_ char *path = str_printf("%s/root.qcow2", work), *info = NULL;
		const char *const make[] = { "qemu-img", "create", "-q", "-f",
					     forms[i],	 base,	   "8M", NULL };
		const char *const write[] = { "qemu-io", "-c", "write -P 7 0 64k", path, NULL };
		const char *const look[] = { "qemu-img", "info", path, NULL };
		const char *const read[] = { "qemu-io", "-c", "read -P 7 0 64k", path, NULL };
		_cleanup_free_ char *format = str_printf("backing file format: %s\n", forms[i]);
		char before[65], after[65];

		free(output_of(make));
		assert_int_equal(chmod(base, 0444), 0);
		assert_int_equal(fs_sha256_file(base, before, &err), 0);
		assert_int_equal(disk_overlay(base, path, &err), 0);
		info = output_of(look);
		assert_non_null(strstr(info, format));
		free(info);
		free(output_of(write));
		info = output_of(read);
		assert_null(strstr(info, "Pattern verification failed"));
		assert_int_equal(fs_sha256_file(base, after, &err), 0);
		assert_string_equal(before, after);
		/* the next one is empty again */
		assert_int_equal(disk_overlay(base, path, &err), 0);
		free(info);
		info = output_of(read);
		assert_non_null(strstr(info, "Pattern verification failed"));
	}
}

static void an_overlay_that_cannot_be_made_says_why(void **state)
{
	_cleanup_free_ char *base = put("base", "x", 1), *path = xstrdup(getenv("PATH"));
	struct err err;

	(void)state;
	assert_int_equal(disk_overlay(base, "/nonexistent/root.qcow2", &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(disk_overlay(base, "/nonexistent/root.qcow2", &err), -1);
	setenv("PATH", path, 1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "qemu-utils"));
}

static void disks_bring_their_drivers_into_the_initramfs(void **state)
{
	struct guest_spec none = { 0 }, disk = { .has_disk = true },
			  runtime = { .runtime = { .dir = "/" } };
	_cleanup_strv_ struct strv a = { 0 }, b = { 0 }, c = { 0 };

	(void)state;
	initramfs_boot_names(&none, &a);
	initramfs_boot_names(&disk, &b);
	initramfs_boot_names(&runtime, &c);
	assert_false(strv_has(&a, "virtio_blk"));
	assert_true(strv_has(&b, "virtio_blk") && strv_has(&b, "ext4") &&
		    strv_has(&b, "-crc32c_generic"));
	assert_false(strv_has(&b, "squashfs"));
	assert_true(strv_has(&c, "virtio_blk") && strv_has(&c, "squashfs"));
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(work) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	return fs_remove_tree(work, &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_disk_the_recipe_is_named),
		cmocka_unit_test(
			the_disk_used_last_is_taken_and_neither_manifest_nor_half_an_image),
		cmocka_unit_test(a_disk_is_told_from_another_of_the_same_name),
		cmocka_unit_test(what_is_written_to_an_overlay_is_not_in_its_base),
		cmocka_unit_test(an_overlay_that_cannot_be_made_says_why),
		cmocka_unit_test(disks_bring_their_drivers_into_the_initramfs),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
