// SPDX-License-Identifier: GPL-2.0-or-later
/* Which kernel trees make room for others, and which never do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/tree/trim.h"

#define MIB UINT64_C(1048576)

static char dir[32];

static int setup(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/build-trim-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	struct err err = { 0 };

	(void)state;
	return fs_remove_tree(dir, &err);
}

static char *at(const char *name, const char *end)
{
	return str_printf("%s/%s%s", dir, name, end);
}

/* Last used that many seconds after the epoch. */
static void used(const char *name, time_t when)
{
	_cleanup_free_ char *lock = at(name, ".lock");
	const struct timespec times[] = { { .tv_sec = when }, { .tv_sec = when } };

	assert_int_equal(utimensat(AT_FDCWD, lock, times, 0), 0);
}

static void plant(const char *name, unsigned int mib, time_t when)
{
	_cleanup_free_ char *sub = at(name, "/linux/mm");
	_cleanup_free_ char *file = at(name, "/linux/mm/hmm.c");
	_cleanup_free_ char *lock = at(name, ".lock");
	_cleanup_free_ char *data = xcalloc(mib, MIB);
	struct err err = { 0 };

	assert_int_equal(fs_mkdirs(sub, &err), 0);
	memset(data, 'x', mib * MIB);
	assert_int_equal(fs_write(file, data, mib * MIB, &err), 0);
	assert_int_equal(fs_write(lock, "1\n", 2, &err), 0);
	used(name, when);
}

static bool is_there(const char *name)
{
	_cleanup_free_ char *file = at(name, "/linux/mm/hmm.c");

	return fs_exists(file);
}

static void trim(uint64_t own_mib, uint64_t max_mib)
{
	struct err err = { 0 };

	if (tree_trim(dir, "own", own_mib * MIB, max_mib * MIB, &err) < 0)
		fail_msg("%s", err.msg);
}

static void longest_unused_goes_first_and_no_more_than_needed(void **state)
{
	_cleanup_free_ char *lock = at("b", ".lock");
	_cleanup_free_ char *size = at("b", ".size");

	(void)state;
	plant("a", 4, 300);
	plant("b", 4, 100);
	plant("c", 4, 200);
	trim(4, 17); /* 12 and what directories take */
	assert_true(is_there("a") && is_there("b") && is_there("c"));
	trim(4, 13);
	assert_true(is_there("a") && is_there("c"));
	assert_false(is_there("b"));
	assert_false(fs_exists(lock) || fs_exists(size));
	trim(4, 5);
	assert_false(is_there("a") || is_there("c"));
}

static void own_tree_stays_even_alone_too_large(void **state)
{
	(void)state;
	plant("own", 4, 1);
	plant("a", 1, 2);
	trim(4, 1);
	assert_true(is_there("own"));
	assert_false(is_there("a"));
}

static void tree_that_grew_is_measured_again(void **state)
{
	_cleanup_free_ char *object = at("a", "/linux/vmlinux.o");
	_cleanup_free_ char *data = xcalloc(8, MIB);
	struct err err = { 0 };

	(void)state;
	plant("a", 4, 100);
	trim(4, 10);
	memset(data, 'x', 8 * MIB);
	assert_int_equal(fs_write(object, data, 8 * MIB, &err), 0);
	/* nobody used it as far as is known: its size is the one noted */
	trim(4, 10);
	assert_true(is_there("a"));
	used("a", 4102444800); /* in 2100, after the note */
	trim(4, 10);
	assert_false(is_there("a"));
}

static void leftover_of_a_killed_removal_goes(void **state)
{
	_cleanup_free_ char *gone = at("a", ".gone");
	_cleanup_free_ char *tree = at("a", "");

	(void)state;
	plant("a", 1, 1);
	assert_int_equal(rename(tree, gone), 0);
	plant("b", 1, 1);
	trim(1, 100);
	assert_false(fs_exists(gone));
	assert_true(is_there("b"));
}

static void nothing_is_there_yet(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(tree_trim("/nowhere/trees", "own", MIB, 0, &err), 0);
}

/* Another process that holds a tree's lock until it is told to end. */
static pid_t hold(const char *name, int *stop)
{
	_cleanup_free_ char *lock = at(name, ".lock");
	struct err err = { 0 };
	int ready[2], go[2], fd;
	pid_t pid;
	char c;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		if (fs_lock(lock, false, &fd, &err) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		_exit(read(go[0], &c, 1) == 0 ? 0 : 1);
	}
	close(go[0]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	*stop = go[1];
	return pid;
}

static void tree_in_use_by_another_stays(void **state)
{
	int stop, status;
	pid_t other;

	(void)state;
	plant("a", 4, 100);
	plant("b", 4, 200);
	other = hold("a", &stop);
	used("a", 100); /* the oldest all the same */
	trim(4, 9);
	assert_true(is_there("a"));
	assert_false(is_there("b"));
	close(stop);
	assert_int_equal(waitpid(other, &status, 0), other);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	used("a", 100);
	trim(4, 5);
	assert_false(is_there("a"));
}

static void two_controllers_trim_at_once(void **state)
{
	pid_t pids[2];

	(void)state;
	for (int i = 0; i < 8; i++) {
		_cleanup_free_ char *name = str_printf("t%d", i);

		plant(name, 1, 100 + i);
	}
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct err err = { 0 };

			_exit(tree_trim(dir, i ? "t7" : "t6", MIB, 0, &err) < 0);
		}
	}
	for (int i = 0; i < 2; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	assert_false(is_there("t0") || is_there("t5"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(longest_unused_goes_first_and_no_more_than_needed,
						setup, teardown),
		cmocka_unit_test_setup_teardown(own_tree_stays_even_alone_too_large, setup,
						teardown),
		cmocka_unit_test_setup_teardown(tree_that_grew_is_measured_again, setup, teardown),
		cmocka_unit_test_setup_teardown(leftover_of_a_killed_removal_goes, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_is_there_yet, setup, teardown),
		cmocka_unit_test_setup_teardown(tree_in_use_by_another_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(two_controllers_trim_at_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
