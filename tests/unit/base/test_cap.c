// SPDX-License-Identifier: GPL-2.0-or-later
/* A cache's size, with several processes at it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cap/cap.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"

static char root[32];
static struct err err;

static char *path_of(const char *name)
{
	return str_printf("%s/%s", root, name);
}

/* Not synced, as ten thousand of them are made. */
static void put(const char *name, size_t len, time_t when)
{
	_cleanup_free_ char *path = path_of(name);
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	_cleanup_free_ char *data = xcalloc(len + 1, 1);
	const struct timespec times[2] = { { .tv_sec = when }, { .tv_sec = when } };
	_cleanup_close_ int fd = -1;

	assert_int_equal(fs_mkdirs(dir, &err), 0);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	assert_int_equal(write(fd, data, len), len);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
	if (strcmp(dir, root))
		assert_int_equal(utimensat(AT_FDCWD, dir, times, 0), 0);
}

static bool there(const char *name)
{
	_cleanup_free_ char *path = path_of(name);

	return fs_exists(path);
}

static unsigned int entries(void)
{
	_cleanup_closedir_ DIR *d = opendir(root);
	unsigned int n = 0;
	struct dirent *e;

	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	return n;
}

static int setup(void **state)
{
	/* in memory if possible: a slow disk takes a minute for ten thousand entries */
	bool shm = access("/dev/shm", W_OK) == 0;

	(void)state;
	str_copy(root, sizeof(root), shm ? "/dev/shm/base-cap-XXXXXX" : "/tmp/base-cap-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	return fs_remove_tree(root, &err);
}

static void oldest_goes_first_and_the_newest_stays(void **state)
{
	(void)state;
	put("old/mirror.ko", 100000, 1000);
	put("middle/mirror.ko", 100000, 2000);
	put("new/mirror.ko", 100000, 3000);
	put("just-made/mirror.ko", 100000, 500);
	put("file", 10, 1500);
	assert_int_equal(cap_trim(root, UINT64_C(1) << 20, NULL, &err), 0);
	assert_true(there("old"));
	assert_int_equal(cap_trim(root, 250000, "just-made", &err), 0);
	assert_false(there("old"));
	assert_false(there("file"));
	assert_false(there("middle"));
	assert_true(there("new"));
	assert_true(there("just-made"));
	assert_int_equal(entries(), 2);
}

/* Another process that holds an entry, or has a draft, until it is killed. */
static pid_t holder(const char *name)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		_cleanup_free_ char *path = name ? path_of(name) : NULL;
		struct cap_hold *hold;

		if (name ? cap_hold(path, &hold, &err) != 1
			 : cap_draft(root, &path, &hold, &err) != 0)
			_exit(1);
		if (write(ready[1], "x", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void what_another_process_holds_stays_until_it_is_killed(void **state)
{
	_cleanup_free_ char *used = path_of("used");
	_cleanup_free_ char *file = path_of("file");
	pid_t pid, other;

	(void)state;
	put("used/mirror.ko", 100000, 1000);
	put("file", 100000, 1500);
	put("new/mirror.ko", 100000, 2000);
	pid = holder("used");
	other = holder("file");
	assert_int_equal(cap_trim(root, 0, NULL, &err), 0);
	assert_true(there("used/mirror.ko"));
	assert_true(there("file"));
	assert_false(there("new"));
	assert_int_equal(cap_discard(used, NULL, &err), 0);
	assert_true(there("used/mirror.ko"));
	end(pid);
	end(other);
	assert_int_equal(cap_discard(file, NULL, &err), 1);
	assert_int_equal(cap_trim(root, 0, NULL, &err), 0);
	assert_int_equal(entries(), 0);
}

static void what_this_process_holds_stays_as_well(void **state)
{
	_cleanup_free_ char *used = path_of("used");
	struct cap_hold *first, *second;

	(void)state;
	put("used/mirror.ko", 100000, 1000);
	assert_int_equal(cap_hold(used, &first, &err), 1);
	assert_int_equal(cap_hold(used, &second, &err), 1);
	assert_int_equal(cap_trim(root, 0, NULL, &err), 0);
	cap_release(first);
	assert_int_equal(cap_trim(root, 0, NULL, &err), 0);
	assert_true(there("used/mirror.ko"));
	cap_release(second);
	assert_int_equal(cap_trim(root, 0, NULL, &err), 0);
	assert_false(there("used"));
	assert_int_equal(cap_hold(used, &first, &err), 0);
}

static void drafts_of_the_killed_are_swept_and_no_others(void **state)
{
	pid_t alive = holder(NULL), killed = holder(NULL);

	(void)state;
	put("artifact/mirror.ko", 10, 1000);
	end(killed);
	assert_int_equal(entries(), 3);
	assert_int_equal(cap_sweep(root, &err), 0);
	assert_int_equal(entries(), 2);
	assert_true(there("artifact"));
	end(alive);
	assert_int_equal(cap_sweep(root, &err), 0);
	assert_int_equal(entries(), 1);
}

static void a_draft_is_held_under_its_later_name(void **state)
{
	_cleanup_free_ char *name = path_of("artifact");
	_cleanup_free_ char *draft = NULL;
	struct cap_hold *hold;

	(void)state;
	assert_int_equal(cap_draft(root, &draft, &hold, &err), 0);
	assert_int_equal(rename(draft, name), 0);
	put("artifact/mirror.ko", 10000, 1000);
	assert_int_equal(cap_trim(root, 0, NULL, &err), 0);
	assert_true(there("artifact"));
	cap_release(hold);
	assert_int_equal(cap_trim(root, 0, NULL, &err), 0);
	assert_false(there("artifact"));
}

static void a_discarded_hold_is_of_the_entry_it_was_taken_of(void **state)
{
	_cleanup_free_ char *name = path_of("artifact");
	_cleanup_free_ char *away = path_of("away");
	struct cap_hold *hold;

	(void)state;
	put("artifact/mirror.ko", 10, 1000);
	assert_int_equal(cap_hold(name, &hold, &err), 1);
	assert_int_equal(rename(name, away), 0);
	put("artifact/mirror.ko", 10, 1000);
	assert_int_equal(cap_discard(name, hold, &err), 1);
	assert_true(there("artifact/mirror.ko"));
}

static void links_are_removed_and_not_followed(void **state)
{
	const struct timespec times[2] = { { .tv_sec = 500 }, { .tv_sec = 500 } };
	_cleanup_free_ char *link = path_of("link");
	_cleanup_free_ char *target = path_of(".elsewhere/file");

	(void)state;
	put(".elsewhere/file", 10, 3000);
	put("old/file", 10000, 1000);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(utimensat(AT_FDCWD, link, times, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(cap_trim(root, 9000, NULL, &err), 0);
	assert_int_equal(entries(), 0);
	assert_true(there(".elsewhere/file"));
}

static void ten_thousand_entries_take_little_time(void **state)
{
	int64_t begun_ns;

	(void)state;
	for (int i = 0; i < 10000; i++) {
		_cleanup_free_ char *name = str_printf("%d/mirror.ko", i);

		put(name, 4096, 1000 + i);
	}
	begun_ns = clock_now_ns();
	/* each takes 4 KiB and its directory: one is too much */
	assert_int_equal(cap_trim(root, UINT64_C(1) << 40, NULL, &err), 0);
	print_message("10000 entries: %lld ms\n",
		      (long long)((clock_now_ns() - begun_ns) / 1000000));
	assert_true(clock_now_ns() - begun_ns < INT64_C(10000000000));
	assert_int_equal(entries(), 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(oldest_goes_first_and_the_newest_stays, setup,
						teardown),
		cmocka_unit_test_setup_teardown(what_another_process_holds_stays_until_it_is_killed,
						setup, teardown),
		cmocka_unit_test_setup_teardown(what_this_process_holds_stays_as_well, setup,
						teardown),
		cmocka_unit_test_setup_teardown(drafts_of_the_killed_are_swept_and_no_others, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_draft_is_held_under_its_later_name, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_discarded_hold_is_of_the_entry_it_was_taken_of,
						setup, teardown),
		cmocka_unit_test_setup_teardown(links_are_removed_and_not_followed, setup,
						teardown),
		cmocka_unit_test_setup_teardown(ten_thousand_entries_take_little_time, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
