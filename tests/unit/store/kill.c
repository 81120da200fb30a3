// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kill -9 at any moment: a child writes trials in a loop and counts, in shared memory, each call
 * that has returned. It is killed at a random moment, fifty times on the same file. What had
 * returned must be there, and nothing can be there twice or in halves.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "store/store.h"

#define KILLS	50
#define SAMPLES 7
#define ID	"3333333333333333333333333333333333333333"

/* Calls that had returned, over all lives of the child. */
struct returned {
	volatile int64_t begun, staged, sampled, ended, facts;
};

static struct err err;

static _Noreturn void write_for_ever(const char *dir, struct returned *done)
{
	struct store_verdict v = { .verdict = VERDICT_GOOD, .rule = "no-windows" };
	struct wire_sample w[SAMPLES] = { 0 };
	struct store *s;
	char text[32];

	if (store_open(dir, true, &s, &err))
		_exit(1);
	for (;;) {
		int64_t trial;

		if (store_begin(s, ID, ROLE_SEARCH, &trial, &err))
			_exit(2);
		done->begun = trial;
		if (store_stage(s, trial, "build", trial, NULL, &err))
			_exit(3);
		done->staged = trial;
		if (store_samples(s, trial, w, SAMPLES, &err))
			_exit(4);
		done->sampled = trial;
		if (store_end(s, trial, &v, &err))
			_exit(5);
		done->ended = trial;
		snprintf(text, sizeof(text), "%lld", (long long)trial);
		if (store_set(s, "last", text, &err))
			_exit(6);
		done->facts = trial;
	}
}

/* @wait: not before it has written a row in this life, so that a slow machine shows something too */
static void kill_at_a_random_moment(const char *dir, struct returned *done, bool wait)
{
	int64_t before = done->begun;
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0)
		write_for_ever(dir, done);
	for (int i = 0; wait && done->begun == before && i < 20000; i++)
		usleep(1000);
	usleep((useconds_t)(random() % 40000));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* It must not have ended by itself: then a write failed. */
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void check_trial(struct store *s, const struct store_trial *t, const struct returned *done)
{
	struct wire_sample *w;
	size_t n;

	assert_int_equal(store_trial_samples(s, t->trial, &w, &n, &err), 0);
	free(w);
	assert_true(n == 0 || n == SAMPLES);
	if (t->trial == done->staged || t->ended)
		assert_int_equal(t->n_stages, 1);
	if (t->trial == done->sampled || t->ended)
		assert_int_equal(n, SAMPLES);
	if (t->trial == done->ended)
		assert_true(t->ended);
}

/* @before: trials that were there before this life. Return: those that are there now. */
static size_t check_what_is_there(const char *dir, const struct returned *done, size_t before)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	_cleanup_free_ struct store_trial *t = NULL;
	_cleanup_free_ char *last = NULL;
	size_t n;

	assert_int_equal(store_open(dir, true, &s, &err), 0);
	assert_int_equal(store_trials(s, &t, &n, &err), 0);
	/* One more may have been written whose call had not returned, in this life and in earlier ones. */
	assert_true((int64_t)n >= done->begun);
	assert_true(n <= (before > (size_t)done->begun ? before : (size_t)done->begun) + 1);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(t[i].trial, i + 1);
		check_trial(s, &t[i], done);
	}
	assert_int_equal(store_get(s, "last", &last, &err), 0);
	if (done->facts)
		assert_true(atoll(last) >= done->facts);
	return n;
}

static void a_killed_writer_loses_nothing_that_had_returned(void **state)
{
	struct returned *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char dir[] = "/tmp/test-store-kill-XXXXXX";
	struct store *s;
	size_t rows = 0;

	(void)state;
	assert_true(done != MAP_FAILED);
	assert_non_null(mkdtemp(dir));
	assert_int_equal(store_create(dir, &s, &err), 0);
	store_close(s);
	srandom((unsigned int)clock_now_ns());
	for (int i = 0; i < KILLS; i++) {
		kill_at_a_random_moment(dir, done, i & 1);
		rows = check_what_is_there(dir, done, rows);
	}
	/* A child that never came to write would show nothing. */
	assert_true(rows >= KILLS / 2);
	munmap(done, sizeof(*done));
	fs_remove_tree(dir, &err);
}

static void a_create_that_was_killed_is_done_again(void **state)
{
	char dir[] = "/tmp/test-store-kill-XXXXXX";
	int whole = 0;

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < KILLS; i++) {
		_cleanup_free_ char *run = str_printf("%s/%d", dir, i);
		struct store *s = NULL;
		pid_t pid = fork();
		int r;

		assert_true(pid >= 0);
		if (pid == 0) {
			store_create(run, &s, &err);
			pause();
		}
		usleep((useconds_t)(random() % 60000));
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		/* Either the run is whole, or there is none and it can be created. */
		r = store_open(run, true, &s, &err);
		whole += r == 0;
		if (r) {
			assert_int_equal(err.kind, ERR_USAGE);
			assert_int_equal(store_create(run, &s, &err), 0);
		}
		store_close(s);
	}
	print_message("%d of %d were whole\n", whole, KILLS);
	fs_remove_tree(dir, &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_writer_loses_nothing_that_had_returned),
		cmocka_unit_test(a_create_that_was_killed_is_done_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
