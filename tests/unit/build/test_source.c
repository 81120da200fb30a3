// SPDX-License-Identifier: GPL-2.0-or-later
/* A crash's leftovers, and a source's copy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/make/mend.h"
#include "build/mirror.h"
#include "build/kernel/source.h"

static char root[32];

static char *path_of(const char *name)
{
	return str_printf("%s/%s", root, name);
}

static void put(const char *name, size_t len, time_t when)
{
	_cleanup_free_ char *path = path_of(name);
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	_cleanup_free_ char *data = xcalloc(len + 1, 1);
	const struct timespec times[2] = { { .tv_sec = when }, { .tv_sec = when } };
	struct err err = { 0 };

	memset(data, 'x', len);
	assert_int_equal(fs_mkdirs(dir, &err), 0);
	assert_int_equal(fs_write(path, data, len, &err), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	if (strcmp(dir, root))
		assert_int_equal(utimensat(AT_FDCWD, dir, times, 0), 0);
}

static bool there(const char *name)
{
	_cleanup_free_ char *path = path_of(name);

	return fs_exists(path);
}

static int setup(void **state)
{
	(void)state;
	str_copy(root, sizeof(root), "/tmp/build-cache-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	struct err err = { 0 };

	(void)state;
	return fs_remove_tree(root, &err);
}

static void half_written_objects_are_thrown_away(void **state)
{
	struct err err = { 0 };

	(void)state;
	put("d/whole.o", 10, 1000);
	put("d/.whole.o.cmd", 10, 1000);
	put("d/half.o", 10, 2000);
	put("d/.half.o.cmd", 10, 1000);
	put("d/e/first.o", 10, 1000);
	put("d/source.c", 10, 1000);
	put("d/half.ko", 10, 2000);
	put("d/.half.ko.cmd", 10, 1000);
	put("d/half-offsets.s", 10, 2000);
	put("d/.half-offsets.s.cmd", 10, 1000);
	put("d/offsets.s", 10, 1000);
	put("d/.offsets.s.cmd", 10, 1000);
	assert_int_equal(mend_objects(root, &err), 0);
	assert_true(there("d/whole.o"));
	assert_false(there("d/half.o"));
	assert_false(there("d/half.ko"));
	assert_false(there("d/half-offsets.s"));
	assert_true(there("d/offsets.s"));
	assert_false(there("d/e/first.o"));
	assert_true(there("d/source.c"));
}

static void equal_files_keep_their_time(void **state)
{
	_cleanup_free_ char *from = path_of("from");
	_cleanup_free_ char *to = path_of("to");
	_cleanup_free_ char *a = path_of("to/a.c");
	_cleanup_free_ char *b = path_of("to/b.c");
	char first[65], second[65];
	struct err err = { 0 };
	struct stat st;

	(void)state;
	put("from/a.c", 10, 1000);
	put("from/b.c", 10, 1000);
	put("to/a.c", 10, 500);
	put("to/b.c", 11, 500);
	assert_int_equal(mirror_hash(from, first, &err), 0);
	assert_int_equal(mirror_copy(from, to, &err), 0);
	assert_int_equal(stat(a, &st), 0);
	assert_int_equal(st.st_mtime, 500);
	assert_int_equal(stat(b, &st), 0);
	assert_int_not_equal(st.st_mtime, 500);
	assert_int_equal(st.st_size, 10);
	put("from/b.c", 12, 1000);
	assert_int_equal(mirror_hash(from, second, &err), 0);
	assert_string_not_equal(first, second);
}

static void tree_is_copied_without_what_a_build_left(void **state)
{
	_cleanup_free_ char *from = path_of("linux/");
	_cleanup_free_ char *to = path_of("copy");
	_cleanup_free_ char *before = NULL;
	_cleanup_free_ char *same = NULL;
	_cleanup_free_ char *after = NULL;
	struct err err = { 0 };

	(void)state;
	put("linux/Makefile", 10, 1000);
	put("linux/kernel/a.c", 300000, 1000);
	assert_int_equal(source_identity(from, &before, &err), 0);
	put("linux/kernel/a.o", 10, 1000);
	put("linux/kernel/.a.o.cmd", 10, 1000);
	put("linux/.git/HEAD", 10, 1000);
	put("linux/.config", 10, 1000);
	put("linux/include/generated/autoconf.h", 10, 1000);
	put("linux/arch/x86/include/generated/asm/x.h", 10, 1000);
	assert_int_equal(source_identity(from, &same, &err), 0);
	assert_string_equal(before, same);
	assert_int_equal(source_unpack(from, to, NULL, &err), 0);
	assert_true(there("copy/Makefile"));
	assert_true(there("copy/kernel/a.c"));
	assert_false(there("copy/kernel/a.o"));
	assert_false(there("copy/kernel/.a.o.cmd"));
	assert_false(there("copy/.git"));
	assert_false(there("copy/.config"));
	assert_false(there("copy/include/generated"));
	assert_false(there("copy/arch/x86/include/generated"));
	put("linux/kernel/a.c", 300000, 2000);
	assert_int_equal(source_identity(from, &after, &err), 0);
	assert_string_not_equal(before, after);
}

static void damaged_tarball_is_said(void **state)
{
	_cleanup_free_ char *from = path_of("linux-source-6.1.tar.xz");
	_cleanup_free_ char *to = path_of("copy");
	struct err err = { 0 };

	(void)state;
	put("linux-source-6.1.tar.xz", 5000, 1000);
	assert_int_equal(source_unpack(from, to, NULL, &err), -1);
	assert_non_null(strstr(err.msg, "linux-source-6.1.tar.xz"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(half_written_objects_are_thrown_away, setup,
						teardown),
		cmocka_unit_test_setup_teardown(equal_files_keep_their_time, setup, teardown),
		cmocka_unit_test_setup_teardown(tree_is_copied_without_what_a_build_left, setup,
						teardown),
		cmocka_unit_test_setup_teardown(damaged_tarball_is_said, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
