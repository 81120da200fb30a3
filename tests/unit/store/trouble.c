// SPDX-License-Identifier: GPL-2.0-or-later
/* What can be wrong with a run's file or its place: each is one line that says what to do. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/str.h"
#include "store/store.h"

#define NOBODY 65534

static char dir[64];
static char db[80];
static struct err err;

static int setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/test-store-trouble-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(db, sizeof(db), "%s/run.db", dir);
	memset(&err, 0, sizeof(err));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	chmod(dir, 0700);
	return fs_remove_tree(dir, &err);
}

static void make_run(void)
{
	struct store *s;

	assert_int_equal(store_create(dir, &s, &err), 0);
	for (int i = 0; i < 300; i++)
		assert_int_equal(store_event(s, "note", &err, "line %d", i), 0);
	store_close(s);
}

static void expect_open_fails(bool write, enum err_kind kind, const char *text)
{
	struct store *s = NULL;

	assert_int_equal(store_open(dir, write, &s, &err), -1);
	assert_null(s);
	if (err.kind != kind || !strstr(err.msg, text))
		print_error("%s: %s\n", err_kind_name(err.kind), err.msg);
	assert_int_equal(err.kind, kind);
	assert_non_null(strstr(err.msg, text));
}

static void no_run_says_how_to_start_one(void **state)
{
	(void)state;
	expect_open_fails(true, ERR_USAGE, "start one with `amdgpu-bisect run`");
	expect_open_fails(false, ERR_USAGE, "start one with `amdgpu-bisect run`");
	assert_int_equal(fs_write(db, "", 0, &err), 0);
	expect_open_fails(true, ERR_USAGE, "start one with `amdgpu-bisect run`");
	expect_open_fails(false, ERR_USAGE, "start one with `amdgpu-bisect run`");
}

static void a_run_that_is_there_says_resume(void **state)
{
	struct store *s = NULL;

	(void)state;
	make_run();
	assert_int_equal(store_create(dir, &s, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "amdgpu-bisect resume"));
}

static void a_second_writer_is_told_the_pid_of_the_first(void **state)
{
	struct store *s;
	char pid[32];

	(void)state;
	assert_int_equal(store_create(dir, &s, &err), 0);
	snprintf(pid, sizeof(pid), "process %d", (int)getpid());
	expect_open_fails(true, ERR_USAGE, pid);
	store_close(s);
	assert_int_equal(store_open(dir, true, &s, &err), 0);
	store_close(s);
}

static void what_is_no_database_is_said_to_be_damaged(void **state)
{
	static char junk[5000];

	(void)state;
	memset(junk, 'x', sizeof(junk));
	assert_int_equal(fs_write(db, junk, sizeof(junk), &err), 0);
	expect_open_fails(false, ERR_HOST, "damaged");
	expect_open_fails(true, ERR_HOST, "damaged");
}

/* Page 2 and later hold rows and indices: whatever is destroyed there must be noticed. */
static void a_destroyed_page_is_said_to_be_damaged(void **state)
{
	static char junk[4096];
	struct stat st;
	int noticed = 0;

	(void)state;
	memset(junk, 0xa5, sizeof(junk));
	make_run();
	assert_int_equal(stat(db, &st), 0);
	for (off_t page = 1; page < st.st_size / 4096; page++) {
		_cleanup_free_ char *whole = NULL;
		size_t len;
		int fd;

		assert_int_equal(fs_read(db, 1 << 24, &whole, &len, &err), 0);
		fd = open(db, O_WRONLY);
		assert_int_equal(pwrite(fd, junk, sizeof(junk), page * 4096), sizeof(junk));
		close(fd);
		expect_open_fails(page & 1, ERR_HOST, "damaged");
		noticed++;
		assert_int_equal(fs_write(db, whole, len, &err), 0);
	}
	assert_true(noticed > 8);
}

static void a_file_that_was_cut_is_said_to_be_damaged(void **state)
{
	struct stat st;

	(void)state;
	make_run();
	assert_int_equal(stat(db, &st), 0);
	assert_int_equal(truncate(db, st.st_size - 4096), 0);
	expect_open_fails(true, ERR_HOST, "damaged");
	assert_int_equal(truncate(db, 1000), 0);
	expect_open_fails(false, ERR_HOST, "damaged");
}

/* user_version and application_id: SQLite's file format, bytes 60 and 68 of the header. */
static void write_header(off_t at, unsigned char value)
{
	unsigned char bytes[4] = { 0, 0, 0, value };
	int fd = open(db, O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, 4, at), 4);
	close(fd);
}

static void a_newer_format_names_both(void **state)
{
	(void)state;
	make_run();
	write_header(60, 9);
	expect_open_fails(false, ERR_HOST, "is of format 9, this amdgpu-bisect reads up to 3");
	expect_open_fails(true, ERR_HOST, "use the newer one");
}

/* An older program must not read a run that may have rows it does not know. */
static void a_run_gone_on_with_is_of_this_format(void **state)
{
	unsigned char format[4];
	struct store *s;
	int fd;

	(void)state;
	make_run();
	write_header(60, 1);
	assert_int_equal(store_open(dir, false, &s, &err), 0);
	store_close(s);
	assert_int_equal(store_open(dir, true, &s, &err), 0);
	store_close(s);
	fd = open(db, O_RDONLY);
	assert_int_equal(pread(fd, format, 4, 60), 4);
	close(fd);
	assert_int_equal(format[3], 3);
}

static void a_foreign_database_is_refused(void **state)
{
	struct store *s;

	(void)state;
	make_run();
	write_header(68, 1);
	expect_open_fails(true, ERR_HOST, "no run of amdgpu-bisect");
	assert_int_equal(store_create(dir, &s, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
}

/* Runs @fn in a child without root's rights; its return is the exit code. */
static int as_nobody(int (*fn)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		if (getuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
			_exit(99);
		_exit(fn());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int try_to_write(void)
{
	struct store *s;

	if (store_open(dir, true, &s, &err) != -1 || err.kind != ERR_HOST ||
	    !strstr(err.msg, "cannot be written") || !strstr(err.msg, "Permission denied"))
		return 1;
	return store_create(dir, &s, &err) == -1 && err.kind == ERR_HOST ? 0 : 2;
}

static int count_event(int64_t date_s, const char *kind, const char *text, void *arg)
{
	(void)date_s;
	(void)kind;
	(void)text;
	++*(int *)arg;
	return 0;
}

static int try_to_read(void)
{
	struct store *s;
	int n = 0;

	if (store_open(dir, false, &s, &err))
		return 1;
	if (store_each_event(s, count_event, &n, &err))
		return 2;
	store_close(s);
	return n == 300 ? 0 : 3;
}

static void a_read_only_directory_can_be_read_and_says_why_not_written(void **state)
{
	(void)state;
	make_run();
	chmod(dir, 0555);
	chmod(db, 0444);
	assert_int_equal(as_nobody(try_to_write), 0);
	assert_int_equal(as_nobody(try_to_read), 0);
}

static bool fill_until_it_fails(void)
{
	static char text[4000];
	struct store *s;

	memset(text, 'x', sizeof(text) - 1);
	if (store_create(dir, &s, &err))
		return false;
	for (int i = 0; i < 10000; i++)
		if (store_event(s, "fill", &err, "%s", text)) {
			store_close(s);
			return true;
		}
	store_close(s);
	return false;
}

static int fill_with_a_limit(void)
{
	struct rlimit limit = { 300000, 300000 };

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	if (!fill_until_it_fails() || err.kind != ERR_HOST)
		return 1;
	return strstr(err.msg, "ulimit -f") ? 0 : 2;
}

static void a_write_that_fails_names_the_limits(void **state)
{
	struct store *s;
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0)
		_exit(fill_with_a_limit());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* What was written before is whole. */
	assert_int_equal(store_open(dir, true, &s, &err), 0);
	store_close(s);
}

static void a_full_file_system_says_so_and_goes_on_once_there_is_room(void **state)
{
	struct store *s;

	(void)state;
	if (mount("tmpfs", dir, "tmpfs", 0, "size=400k") < 0)
		skip();
	bool failed = fill_until_it_fails();
	bool remounted = mount("tmpfs", dir, "tmpfs", MS_REMOUNT, "size=4m") == 0;
	struct err full = err;
	int opened = store_open(dir, true, &s, &err);
	int written = opened ? -1 : store_event(s, "note", &err, "there is room again");

	if (!opened)
		store_close(s);
	umount(dir);
	assert_true(failed && remounted);
	assert_int_equal(full.kind, ERR_HOST);
	assert_non_null(strstr(full.msg, "the disk is full; free some space there"));
	assert_int_equal(opened, 0);
	assert_int_equal(written, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_run_says_how_to_start_one),
		TEST(a_run_that_is_there_says_resume),
		TEST(a_second_writer_is_told_the_pid_of_the_first),
		TEST(what_is_no_database_is_said_to_be_damaged),
		TEST(a_destroyed_page_is_said_to_be_damaged),
		TEST(a_file_that_was_cut_is_said_to_be_damaged),
		TEST(a_newer_format_names_both),
		TEST(a_run_gone_on_with_is_of_this_format),
		TEST(a_foreign_database_is_refused),
		TEST(a_read_only_directory_can_be_read_and_says_why_not_written),
		TEST(a_write_that_fails_names_the_limits),
		TEST(a_full_file_system_says_so_and_goes_on_once_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
