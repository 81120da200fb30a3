// SPDX-License-Identifier: GPL-2.0-or-later
/* Files: whole or not at all, nothing outside is touched, locks name their holder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/fs.h"
#include "base/str.h"

static char dir[] = "/tmp/test-fs-XXXXXX";
static struct err err;

static int setup(void **state)
{
	(void)state;
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") || fs_remove_tree(dir, &err);
}

static void put(const char *path, const char *text)
{
	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
}

static void parents_are_made_and_existing_ones_are_fine(void **state)
{
	(void)state;
	assert_int_equal(fs_mkdirs("a//b/c/", &err), 0);
	assert_int_equal(fs_mkdirs("a/b/c", &err), 0);
	assert_true(fs_is_dir("a/b/c"));
	assert_int_equal(fs_mkdirs("/", &err), 0);
}

static void a_file_in_the_way_is_named(void **state)
{
	(void)state;
	put("file", "x");
	assert_int_equal(fs_mkdirs("file/b/c", &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "file"));
	assert_int_equal(fs_mkdirs("", &err), -1);
}

static void a_directory_that_cannot_be_made_says_why_and_what_to_do(void **state)
{
	(void)state;
	assert_int_equal(fs_mkdirs("/proc/nothing/below", &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "/proc/nothing"));
	assert_non_null(strstr(err.msg, "XDG_CACHE_HOME"));
	if (geteuid() == 0)
		return; /* root may write anywhere */
	assert_int_equal(fs_mkdirs("closed", &err), 0);
	assert_int_equal(chmod("closed", 0500), 0);
	assert_int_equal(fs_mkdirs("closed/inner", &err), -1);
	assert_non_null(strstr(err.msg, "Permission denied"));
}

static void a_tree_goes_but_what_its_links_point_to_stays(void **state)
{
	(void)state;
	assert_int_equal(fs_mkdirs("keep/deep", &err), 0);
	put("keep/deep/file", "kept");
	assert_int_equal(fs_mkdirs("gone/x/y/z", &err), 0);
	put("gone/x/file", "lost");
	assert_int_equal(symlink("../../keep", "gone/x/link"), 0);
	assert_int_equal(symlink("../nowhere", "gone/dangling"), 0);
	assert_int_equal(fs_remove_tree("gone", &err), 0);
	assert_false(fs_exists("gone"));
	assert_true(fs_exists("keep/deep/file"));
}

static void removing_a_link_keeps_its_target(void **state)
{
	(void)state;
	assert_int_equal(fs_mkdirs("target/inner", &err), 0);
	assert_int_equal(symlink("target", "alias"), 0);
	assert_int_equal(fs_remove_tree("alias", &err), 0);
	assert_false(fs_exists("alias"));
	assert_true(fs_is_dir("target/inner"));
}

static void removing_nothing_is_success(void **state)
{
	(void)state;
	assert_int_equal(fs_remove_tree("never/was/there", &err), 0);
}

static void reading_gives_all_bytes_and_refuses_more_than_allowed(void **state)
{
	_cleanup_free_ char *text = NULL;
	char *untouched = NULL;
	size_t len;

	(void)state;
	assert_int_equal(fs_write("bytes", "a\0b\n", 4, &err), 0);
	assert_int_equal(fs_read("bytes", 4, &text, &len, &err), 0);
	assert_int_equal(len, 4);
	assert_memory_equal(text, "a\0b\n", 5);
	assert_int_equal(fs_read("bytes", 3, &untouched, NULL, &err), -1);
	assert_null(untouched);
	assert_non_null(strstr(err.msg, "larger"));
}

static void files_of_unknown_size_are_read_whole(void **state)
{
	_cleanup_free_ char *text = NULL;
	size_t len;

	(void)state;
	assert_int_equal(fs_read("/proc/self/status", 1 << 20, &text, &len, &err), 0);
	assert_true(len > 100 && strlen(text) == len);
}

static void writing_leaves_one_file_with_usual_rights(void **state)
{
	struct stat st;
	mode_t mask = umask(022);

	(void)state;
	assert_int_equal(fs_mkdirs("w", &err), 0);
	put("w/file", "one");
	put("w/file", "two");
	umask(mask);
	assert_int_equal(stat("w/file", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_int_equal(unlink("w/file"), 0);
	/* No draft is left behind. */
	assert_int_equal(rmdir("w"), 0);
}

static void a_failed_write_leaves_the_old_file_and_no_draft(void **state)
{
	(void)state;
	assert_int_equal(fs_mkdirs("d/file/in-the-way", &err), 0);
	assert_int_equal(fs_write("d/file", "x", 1, &err), -1);
	assert_int_equal(rmdir("d/file/in-the-way") || rmdir("d/file") || rmdir("d"), 0);
	assert_int_equal(fs_write("no/such/dir", "x", 1, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
}

static void a_link_stays_a_link_and_its_file_is_written(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct stat st;

	(void)state;
	assert_int_equal(fs_mkdirs("elsewhere", &err), 0);
	put("elsewhere/file", "old");
	assert_int_equal(symlink("elsewhere/file", "to-file"), 0);
	put("to-file", "new");
	assert_int_equal(lstat("to-file", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(fs_read("elsewhere/file", 99, &text, NULL, &err), 0);
	assert_string_equal(text, "new");
}

/* `report -o /dev/full` of root once put a file in the device's place. */
static void a_pipe_or_a_device_is_written_and_never_replaced(void **state)
{
	char text[8] = "";
	struct stat st;
	int fd;

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	put("pipe", "through");
	assert_int_equal(read(fd, text, sizeof(text)), 7);
	assert_string_equal(text, "through");
	close(fd);
	assert_int_equal(lstat("pipe", &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	assert_int_equal(symlink("/dev/full", "to-full"), 0);
	assert_int_equal(fs_write("to-full", "x", 1, &err), -1);
	assert_non_null(strstr(err.msg, "to-full"));
	assert_int_equal(lstat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void a_full_disk_says_how_to_go_on(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "x", 1), -1);
	err_errno(&err, ERR_HOST, "cannot write x");
	close(fd);
	assert_non_null(strstr(err.msg, "free some space"));
}

static void copies_are_equal_with_their_rights(void **state)
{
	_cleanup_free_ char *data = xmalloc(3000001);
	char a[65], b[65];
	struct stat st;

	(void)state;
	for (size_t i = 0; i < 3000001; i++)
		data[i] = (char)(i * 2654435761U >> 13);
	assert_int_equal(fs_write("from", data, 3000001, &err), 0);
	assert_int_equal(chmod("from", 0750), 0);
	assert_int_equal(fs_copy("from", "to", &err), 0);
	assert_int_equal(fs_sha256_file("from", a, &err), 0);
	assert_int_equal(fs_sha256_file("to", b, &err), 0);
	assert_string_equal(a, b);
	assert_int_equal(stat("to", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0750);
	/* Another file system, one that gives no size. */
	assert_int_equal(fs_copy("/proc/self/status", "status", &err), 0);
	assert_int_equal(stat("status", &st), 0);
	assert_true(st.st_size > 100);
}

static void only_regular_files_are_copied(void **state)
{
	(void)state;
	assert_int_equal(fs_mkdirs("somedir", &err), 0);
	assert_int_equal(fs_copy("somedir", "x", &err), -1);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(fs_copy("fifo", "x", &err), -1);
	assert_int_equal(fs_copy("missing", "x", &err), -1);
	assert_false(fs_exists("x"));
}

static void sha256_in_parts_is_that_of_the_whole(void **state)
{
	_cleanup_(digest_destroy_p) struct digest *d = digest_create();
	char whole[65], parts[65];

	(void)state;
	digest_add(d, "a", 1);
	digest_add(d, "", 0);
	digest_add(d, "bc", 2);
	digest_hex(d, parts);
	fs_sha256_text("abc", 3, whole);
	assert_string_equal(parts, whole);
	digest_hex(d, parts);
	fs_sha256_text("", 0, whole);
	assert_string_equal(parts, whole);
}

static void sha256_is_the_published_one(void **state)
{
	char text[65], file[65];

	(void)state;
	/* FIPS 180-4 examples. */
	fs_sha256_text("abc", 3, text);
	assert_string_equal(text,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	put("abc", "abc");
	assert_int_equal(fs_sha256_file("abc", file, &err), 0);
	assert_string_equal(text, file);
	fs_sha256_text("", 0, text);
	assert_string_equal(text,
			    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void free_space_is_told_for_paths_not_yet_made(void **state)
{
	uint64_t here, there;

	(void)state;
	assert_int_equal(fs_free_bytes(".", &here, &err), 0);
	assert_int_equal(fs_free_bytes("not/yet/made", &there, &err), 0);
	assert_true(here > 0 && there > 0);
	assert_int_equal(fs_free_bytes("/not-yet/made", &there, &err), 0);
}

static void a_held_lock_names_its_holder(void **state)
{
	char pid[16];
	int held = -1, again = -1;

	(void)state;
	assert_int_equal(fs_lock("lock", false, &held, &err), 0);
	assert_int_equal(fs_lock("lock", false, &again, &err), -1);
	assert_int_equal(again, -1);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, pid));
	close(held);
	assert_int_equal(fs_lock("lock", false, &again, &err), 0);
	close(again);
}

/* A killed controller leaves children that hold its descriptors for a moment. */
static void remains_of_a_dead_holder_are_waited_for(void **state)
{
	char c;
	int p[2];
	int fd = -1;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (pid == 0) {
		if (fs_lock("lock3", false, &fd, &err) < 0)
			_exit(1);
		if (fork() == 0) {
			usleep(700 * 1000);
			_exit(0);
		}
		_exit(write(p[1], "x", 1) == 1 ? 0 : 1);
	}
	assert_int_equal(read(p[0], &c, 1), 1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(fs_lock("lock3", false, &fd, &err), 0);
	close(fd);
	close(p[0]);
	close(p[1]);
}

static void a_waiter_gets_the_lock_of_a_dead_holder(void **state)
{
	int p[2], fd = -1;
	pid_t pid;
	char c;

	(void)state;
	assert_int_equal(pipe(p), 0);
	pid = fork();
	if (pid == 0) {
		if (fs_lock("lock2", false, &fd, &err) == 0 && write(p[1], "x", 1) == 1)
			usleep(300000);
		_exit(0);
	}
	assert_int_equal(read(p[0], &c, 1), 1);
	assert_int_equal(fs_lock("lock2", true, &fd, &err), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(fd);
	close(p[0]);
	close(p[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parents_are_made_and_existing_ones_are_fine),
		cmocka_unit_test(a_file_in_the_way_is_named),
		cmocka_unit_test(a_directory_that_cannot_be_made_says_why_and_what_to_do),
		cmocka_unit_test(a_tree_goes_but_what_its_links_point_to_stays),
		cmocka_unit_test(removing_a_link_keeps_its_target),
		cmocka_unit_test(removing_nothing_is_success),
		cmocka_unit_test(reading_gives_all_bytes_and_refuses_more_than_allowed),
		cmocka_unit_test(files_of_unknown_size_are_read_whole),
		cmocka_unit_test(writing_leaves_one_file_with_usual_rights),
		cmocka_unit_test(a_failed_write_leaves_the_old_file_and_no_draft),
		cmocka_unit_test(a_link_stays_a_link_and_its_file_is_written),
		cmocka_unit_test(a_pipe_or_a_device_is_written_and_never_replaced),
		cmocka_unit_test(a_full_disk_says_how_to_go_on),
		cmocka_unit_test(copies_are_equal_with_their_rights),
		cmocka_unit_test(only_regular_files_are_copied),
		cmocka_unit_test(sha256_in_parts_is_that_of_the_whole),
		cmocka_unit_test(sha256_is_the_published_one),
		cmocka_unit_test(free_space_is_told_for_paths_not_yet_made),
		cmocka_unit_test(a_held_lock_names_its_holder),
		cmocka_unit_test(remains_of_a_dead_holder_are_waited_for),
		cmocka_unit_test(a_waiter_gets_the_lock_of_a_dead_holder),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
