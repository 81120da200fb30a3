// SPDX-License-Identifier: GPL-2.0-or-later
/* Other programs: bounded, ended whole, with the signals and descriptors a shell would give. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "base/stop.h"
#include "base/str.h"

static char dir[] = "/tmp/test-spawn-XXXXXX";
static struct err err;
static struct spawn_result result;

static int setup(void **state)
{
	(void)state;
	stop_install();
	return mkdtemp(dir) ? chdir(dir) : -1;
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") || fs_remove_tree(dir, &err);
}

static int shell(struct spawn s, const char *script)
{
	const char *argv[] = { "sh", "-c", script, NULL };

	s.argv = argv;
	return spawn_run(&s, &result, &err);
}

/* In a child of its own: a stop that was asked for stays so. */
static int stopped_by_hangup(bool nohup)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		signal(SIGHUP, nohup ? SIG_IGN : SIG_DFL);
		stop_install();
		raise(SIGHUP);
		_exit(stop_requested());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* In a child as well. Return: 1 if the time was what asked for the stop, 2 if something else was. */
static int stopped_in_time(bool terminated)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		stop_install();
		stop_after(50);
		if (terminated)
			raise(SIGTERM);
		if (shell((struct spawn){ 0 }, "sleep 60") == 0 || err.kind != ERR_STOPPED)
			_exit(3);
		clock_sleep_ms(100);
		_exit(stop_was_due() ? 1 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void a_time_that_is_up_stops_what_runs_and_is_told_apart(void **state)
{
	(void)state;
	assert_int_equal(stopped_in_time(false), 1);
	assert_int_equal(stopped_in_time(true), 2);
}

static void under_nohup_a_lost_terminal_stops_nothing(void **state)
{
	(void)state;
	assert_int_equal(stopped_by_hangup(false), 1);
	assert_int_equal(stopped_by_hangup(true), 0);
}

static void a_stop_ends_the_removal_of_a_large_tree_but_not_cleaning_up(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(fs_mkdirs("large/a/b", &err), 0);
	pid = fork();
	if (pid == 0) {
		raise(SIGTERM);
		if (fs_remove_large_tree("large", &err) == 0 || err.kind != ERR_STOPPED)
			_exit(1);
		_exit(fs_exists("large/a") ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(fs_remove_large_tree("large", &err), 0);
	assert_false(fs_exists("large"));
	assert_int_equal(fs_mkdirs("rest/a/b", &err), 0);
	pid = fork();
	if (pid == 0) {
		raise(SIGTERM);
		_exit(fs_remove_tree("rest", &err) == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_false(fs_exists("rest"));
}

static char *captured(const char *script)
{
	_cleanup_buf_ struct buf out = { 0 };

	assert_int_equal(shell((struct spawn){ .capture = &out }, script), 0);
	return buf_take(&out);
}

static void expect_file(const char *path, const char *want)
{
	_cleanup_free_ char *text = NULL;

	assert_int_equal(fs_read(path, 1 << 20, &text, NULL, &err), 0);
	assert_string_equal(text, want);
}

static pid_t pid_in(const char *path)
{
	_cleanup_free_ char *text = NULL;

	if (fs_read(path, 64, &text, NULL, &err) < 0)
		return 0;
	return atoi(text);
}

static bool gone_soon(pid_t pid)
{
	for (int i = 0; i < 300; i++) {
		_cleanup_free_ char *stat = NULL, *path = str_printf("/proc/%d/stat", (int)pid);

		/* A zombie that init has not taken yet is gone as well. */
		if (fs_read(path, 4096, &stat, NULL, &err) < 0 || strstr(stat, ") Z "))
			return true;
		clock_sleep_ms(10);
	}
	return false;
}

static void exit_codes_and_signals_are_data(void **state)
{
	(void)state;
	assert_int_equal(shell((struct spawn){ 0 }, "exit 7"), 0);
	assert_int_equal(result.exit_code, 7);
	assert_int_equal(result.signal, 0);
	assert_false(result.timed_out);
	assert_int_equal(shell((struct spawn){ 0 }, "kill -ABRT $$"), 0);
	assert_int_equal(result.exit_code, -1);
	assert_int_equal(result.signal, SIGABRT);
	assert_true(result.elapsed_ns > 0 && result.max_rss_kib > 0);
}

static void a_program_that_is_not_there_is_named(void **state)
{
	const char *argv[] = { "no-such-program-here", NULL };
	const char *data[] = { "./data", NULL };

	(void)state;
	assert_int_equal(spawn_run(&(struct spawn){ .argv = argv }, &result, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "no-such-program-here"));
	assert_int_equal(fs_write("data",
				  "\x7f"
				  "nonsense",
				  9, &err),
			 0);
	assert_int_equal(chmod("data", 0755), 0);
	assert_int_equal(spawn_run(&(struct spawn){ .argv = data }, &result, &err), -1);
	assert_non_null(strstr(err.msg, "Exec format error"));
}

static void a_directory_that_is_not_there_is_named(void **state)
{
	(void)state;
	assert_int_equal(shell((struct spawn){ .cwd = "no/such/dir" }, "true"), -1);
	assert_non_null(strstr(err.msg, "no/such/dir"));
}

static void cwd_env_and_niceness_arrive(void **state)
{
	const char *env[] = { "HOME=elsewhere", "NEW=a=b", NULL };
	_cleanup_buf_ struct buf out = { 0 };
	_cleanup_free_ char *want = NULL;
	int was = nice(0);

	(void)state;
	assert_int_equal(
		shell((struct spawn){ .capture = &out, .env = env, .cwd = "/usr", .nice = 3 },
		      "pwd; echo $HOME $NEW; nice; env | grep -c ^HOME="),
		0);
	want = str_printf("/usr\nelsewhere a=b\n%d\n1\n", was + 3 > 19 ? 19 : was + 3);
	assert_string_equal(out.data, want);
}

static void capture_takes_stdout_only_and_is_cut(void **state)
{
	_cleanup_free_ char *text = captured("echo out; echo err >&2");
	_cleanup_buf_ struct buf out = { 0 };

	(void)state;
	assert_string_equal(text, "out\n");
	assert_int_equal(shell((struct spawn){ .capture = &out, .capture_max = 1000 },
			       "head -c 1000000 /dev/zero | tr '\\0' x"),
			 0);
	assert_int_equal(result.exit_code, 0);
	assert_int_equal(out.len, 1000);
}

static void output_is_appended_in_order(void **state)
{
	(void)state;
	assert_int_equal(shell((struct spawn){ .output = "log" }, "echo 1; echo 2 >&2"), 0);
	assert_int_equal(shell((struct spawn){ .output = "log" }, "echo 3"), 0);
	expect_file("log", "1\n2\n3\n");
}

static void keep_line(const char *line, void *arg)
{
	strv_add(arg, line);
}

static void lines_are_seen_and_kept(void **state)
{
	_cleanup_strv_ struct strv lines = { 0 };

	(void)state;
	assert_int_equal(
		shell((struct spawn){ .output = "lines", .on_line = keep_line, .arg = &lines },
		      "echo a; echo b >&2; echo; printf 'c\\r\\nlast'"),
		0);
	assert_int_equal(lines.n, 5);
	assert_string_equal(lines.items[0], "a");
	assert_string_equal(lines.items[1], "b");
	assert_string_equal(lines.items[2], "");
	assert_string_equal(lines.items[3], "c");
	assert_string_equal(lines.items[4], "last");
	expect_file("lines", "a\nb\n\nc\r\nlast");
}

static void captured_lines_are_seen_too(void **state)
{
	_cleanup_strv_ struct strv lines = { 0 };
	_cleanup_buf_ struct buf out = { 0 };

	(void)state;
	assert_int_equal(shell((struct spawn){ .capture = &out,
					       .output = "err-only",
					       .on_line = keep_line,
					       .arg = &lines },
			       "echo out; echo err >&2"),
			 0);
	assert_int_equal(lines.n, 2);
	assert_string_equal(out.data, "out\n");
	expect_file("err-only", "err\n");
}

static void an_endless_line_is_bounded(void **state)
{
	_cleanup_strv_ struct strv lines = { 0 };

	(void)state;
	assert_int_equal(shell((struct spawn){ .on_line = keep_line, .arg = &lines },
			       "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo next"),
			 0);
	assert_int_equal(lines.n, 2);
	assert_int_equal(strlen(lines.items[0]), 65536);
	assert_string_equal(lines.items[1], "next");
}

static void a_full_disk_ends_the_program(void **state)
{
	_cleanup_strv_ struct strv lines = { 0 };
	int64_t t = clock_now_ns();

	(void)state;
	assert_int_equal(
		shell((struct spawn){ .output = "/dev/full", .on_line = keep_line, .arg = &lines },
		      "echo x; sleep 60"),
		-1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "free some space"));
	assert_true(clock_now_ns() - t < 10 * NS_PER_S);
}

static void *cancel_soon(void *fd)
{
	for (int i = 0; i < 500 && !fs_exists("half2"); i++)
		clock_sleep_ms(10);
	eventfd_write(*(const int *)fd, 1);
	return NULL;
}

static void the_limit_ends_the_whole_group(void **state)
{
	int64_t t = clock_now_ns();

	(void)state;
	assert_int_equal(shell((struct spawn){ .limit_ms = 300, .output = "limit-log" },
			       "sleep 60 & echo $! > bg; sleep 60; echo not reached"),
			 0);
	assert_true(result.timed_out);
	assert_int_equal(result.exit_code, -1);
	assert_true(clock_now_ns() - t < 5 * NS_PER_S);
	assert_true(pid_in("bg") > 0);
	assert_true(gone_soon(pid_in("bg")));
	expect_file("limit-log", "");
}

static void the_limit_ends_what_ignores_sigterm(void **state)
{
	(void)state;
	assert_int_equal(
		shell((struct spawn){ .limit_ms = 100 }, "trap '' TERM; while :; do sleep 1; done"),
		0);
	assert_true(result.timed_out);
	assert_int_equal(result.signal, SIGKILL);
	assert_true(result.elapsed_ns < 10 * NS_PER_S);
}

static void the_limit_gives_time_to_clean_up(void **state)
{
	(void)state;
	assert_int_equal(shell((struct spawn){ .limit_ms = 200 },
			       "touch half; trap 'rm half; exit 1' TERM; sleep 60 & wait"),
			 0);
	assert_true(result.timed_out);
	assert_false(fs_exists("half"));
}

static void a_cancel_ends_the_group_at_once_and_is_no_stop(void **state)
{
	_cleanup_close_ int ready = eventfd(1, EFD_CLOEXEC);
	_cleanup_close_ int later = eventfd(0, EFD_CLOEXEC);
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &later), 0);
	assert_int_equal(shell((struct spawn){ .cancel_fd = later },
			       "trap 'rm half2; exit 1' TERM; sleep 60 &"
			       "echo $! > cancelled; touch half2; wait"),
			 0);
	pthread_join(thread, NULL);
	assert_true(result.cancelled && !result.timed_out);
	assert_true(result.elapsed_ns < NS_PER_S);
	assert_true(gone_soon(pid_in("cancelled")));
	assert_false(fs_exists("half2"));

	/* One that was given before ends what has hardly begun; none at all ends nothing. */
	assert_int_equal(shell((struct spawn){ .cancel_fd = ready }, "sleep 60"), 0);
	assert_true(result.cancelled);
	assert_int_equal(shell((struct spawn){ 0 }, "exit 3"), 0);
	assert_true(!result.cancelled && result.exit_code == 3);
}

static void what_is_left_in_the_background_is_ended(void **state)
{
	int64_t t = clock_now_ns();

	(void)state;
	assert_int_equal(shell((struct spawn){ .output = "x" }, "sleep 60 & echo $! > left"), 0);
	assert_true(clock_now_ns() - t < 5 * NS_PER_S);
	assert_int_equal(result.exit_code, 0);
	assert_true(gone_soon(pid_in("left")));
}

static void signals_have_their_default_actions_and_none_is_blocked(void **state)
{
	_cleanup_free_ char *text = captured("grep -E 'Sig(Blk|Ign|Cgt)' /proc/self/status");

	(void)state;
	assert_non_null(strstr(text, "SigBlk:\t0000000000000000"));
	assert_non_null(strstr(text, "SigIgn:\t0000000000000000"));
}

static void no_descriptor_leaks_into_the_program(void **state)
{
	_cleanup_close_ int leak = open("/dev/zero", O_RDONLY);
	_cleanup_free_ char *text = captured("ls -l /proc/self/fd | grep -c -e zero -e pipe");
	_cleanup_free_ char *in = captured("cat; readlink /proc/self/fd/0");

	(void)state;
	assert_true(leak >= 0);
	assert_string_equal(text, "1\n"); /* the pipe to grep */
	assert_string_equal(in, "/dev/null\n");
}

static void it_has_a_group_of_its_own(void **state)
{
	_cleanup_free_ char *text = captured("cut -d' ' -f5 /proc/self/stat");

	(void)state;
	assert_int_not_equal(atoi(text), getpgrp());
}

/* Else it would share the processor evenly with a guest, whatever its priority. */
static void what_runs_apart_has_a_session_that_comes_last(void **state)
{
	static const char show[] = "cut -d' ' -f6 /proc/self/stat; cat /proc/self/autogroup";
	_cleanup_buf_ struct buf text = { 0 };

	(void)state;
	assert_int_equal(shell((struct spawn){ .apart = true, .capture = &text }, show), 0);
	assert_int_not_equal(atoi(text.data), getsid(0));
	if (fs_exists("/proc/self/autogroup"))
		assert_non_null(strstr(text.data, " nice 19\n"));
}

static void a_killed_controller_leaves_nothing_running(void **state)
{
	pid_t pid = fork(), main_pid, bg_pid;

	(void)state;
	if (pid == 0) {
		shell((struct spawn){ 0 }, "sleep 60 & echo $! > bg.1; mv bg.1 bg2;"
					   "echo $$ > main.1; mv main.1 main2; sleep 60");
		_exit(0);
	}
	for (int i = 0; i < 500 && !fs_exists("main2"); i++)
		clock_sleep_ms(10);
	main_pid = pid_in("main2");
	bg_pid = pid_in("bg2");
	assert_true(main_pid > 0 && bg_pid > 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_true(gone_soon(main_pid));
	assert_true(gone_soon(bg_pid));
}

/* Or the next controller would work in a tree that a compiler of the last one still writes into. */
static void a_killed_controllers_lock_is_held_until_its_program_has_ended(void **state)
{
	_cleanup_close_ int lock = -1;
	pid_t pid = fork(), main_pid;

	(void)state;
	if (pid == 0) {
		if (fs_lock("held", false, &lock, &err) == 0)
			shell((struct spawn){ .hold_fd = lock },
			      "trap '' TERM; ls -l /proc/self/fd >fds; echo $$ >stub.1;"
			      "mv stub.1 stub2; while :; do sleep 1; done");
		_exit(0);
	}
	for (int i = 0; i < 500 && !fs_exists("stub2"); i++)
		clock_sleep_ms(10);
	main_pid = pid_in("stub2");
	assert_true(main_pid > 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(kill(main_pid, 0), 0);
	assert_int_equal(fs_lock("held", true, &lock, &err), 0);
	assert_true(kill(main_pid, 0) < 0 && errno == ESRCH);
	assert_int_equal(shell((struct spawn){ 0 }, "grep -q held fds"), 0);
	assert_int_equal(result.exit_code, 1); /* the program itself has not got it */
}

static void no_child_is_left_behind(void **state)
{
	(void)state;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

static void programs_are_found_in_path(void **state)
{
	_cleanup_free_ char *sh = spawn_find("sh"), *direct = spawn_find("/bin/sh");

	(void)state;
	assert_true(str_ends(sh, "/sh"));
	assert_string_equal(direct, "/bin/sh");
	assert_null(spawn_find("no-such-program-here"));
	assert_null(spawn_find("/tmp"));
}

/* In a child: a stop request cannot be taken back. */
static void a_stop_request_ends_the_program(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		int64_t t = clock_now_ns();
		pid_t killer = fork();

		if (killer == 0) {
			clock_sleep_ms(300);
			kill(getppid(), SIGINT);
			_exit(0);
		}
		if (shell((struct spawn){ 0 }, "echo $$ > stopped; exec sleep 60") != -1 ||
		    err.kind != ERR_STOPPED || clock_now_ns() - t > 5 * NS_PER_S)
			_exit(1);
		_exit(shell((struct spawn){ 0 }, "true") == -1 && err.kind == ERR_STOPPED ? 0 : 2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_true(gone_soon(pid_in("stopped")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_codes_and_signals_are_data),
		cmocka_unit_test(a_program_that_is_not_there_is_named),
		cmocka_unit_test(a_directory_that_is_not_there_is_named),
		cmocka_unit_test(cwd_env_and_niceness_arrive),
		cmocka_unit_test(capture_takes_stdout_only_and_is_cut),
		cmocka_unit_test(output_is_appended_in_order),
		cmocka_unit_test(lines_are_seen_and_kept),
		cmocka_unit_test(captured_lines_are_seen_too),
		cmocka_unit_test(an_endless_line_is_bounded),
		cmocka_unit_test(a_full_disk_ends_the_program),
		cmocka_unit_test(the_limit_ends_the_whole_group),
		cmocka_unit_test(the_limit_ends_what_ignores_sigterm),
		cmocka_unit_test(the_limit_gives_time_to_clean_up),
		cmocka_unit_test(a_cancel_ends_the_group_at_once_and_is_no_stop),
		cmocka_unit_test(what_is_left_in_the_background_is_ended),
		cmocka_unit_test(signals_have_their_default_actions_and_none_is_blocked),
		cmocka_unit_test(no_descriptor_leaks_into_the_program),
		cmocka_unit_test(it_has_a_group_of_its_own),
		cmocka_unit_test(what_runs_apart_has_a_session_that_comes_last),
		cmocka_unit_test(a_killed_controller_leaves_nothing_running),
		cmocka_unit_test(a_killed_controllers_lock_is_held_until_its_program_has_ended),
		cmocka_unit_test(programs_are_found_in_path),
		cmocka_unit_test(a_time_that_is_up_stops_what_runs_and_is_told_apart),
		cmocka_unit_test(under_nohup_a_lost_terminal_stops_nothing),
		cmocka_unit_test(a_stop_ends_the_removal_of_a_large_tree_but_not_cleaning_up),
		cmocka_unit_test(a_stop_request_ends_the_program),
		cmocka_unit_test(no_child_is_left_behind),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
