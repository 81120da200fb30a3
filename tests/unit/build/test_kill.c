// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kill -9 at any moment: a child stores, loads and gives up artifacts and failures in a loop, and is
 * killed a hundred times on the same cache. What is there afterwards is whole; what is half is a draft,
 * which the next start removes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/cache/cache.h"
#include "compile.h"

#define KILLS 100
#define KEYS  4
#define KEY   "key-%u-9abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char root[] = "/tmp/build-kill-XXXXXX";
static char *artifacts, *module, *run_log;
static struct err err;

static int store(unsigned int n)
{
	_cleanup_(cache_draft_deinit) struct cache_draft d = { 0 };
	_cleanup_(artifact_deinit) struct artifact a = { .n_modules = 1,
							 .modules = { { .name = "mirror" } } };
	_cleanup_free_ char *to = NULL;

	snprintf(a.key, sizeof(a.key), KEY, n);
	if (cache_draft(artifacts, run_log, &d, &err) < 0)
		return -1;
	to = str_printf("%s/mirror.ko", d.path);
	return fs_copy(module, to, &err) < 0 ? -1 : cache_store(artifacts, &d, &a, &err);
}

static int store_failure(unsigned int n)
{
	const struct err why = { .kind = ERR_BUILD, .msg = "x.c: no" };
	_cleanup_(cache_draft_deinit) struct cache_draft d = { 0 };
	char key[65];

	snprintf(key, sizeof(key), KEY, n);
	if (cache_draft(artifacts, run_log, &d, &err) < 0)
		return -1;
	return cache_store_failure(artifacts, &d, key, &why, &err);
}

/* 1 an artifact, -1 a failure, 0 nothing */
static int load(unsigned int n)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	char key[65];

	snprintf(key, sizeof(key), KEY, n);
	return cache_load(artifacts, key, NULL, NULL, &a, &err);
}

static _Noreturn void work_for_ever(volatile unsigned int *rounds)
{
	for (unsigned int n = 0;; n = (n + 1) % KEYS) {
		if (cache_open(artifacts, &err) < 0 || store(n) < 0)
			_exit(1);
		if (load(n) != 1 && n != 0)
			_exit(2);
		if (store_failure(n + KEYS) < 0 || load(n + KEYS) != -1)
			_exit(3);
		if (n == KEYS - 1 && cache_trim(artifacts, 4, "", &err) < 0)
			_exit(4);
		++*rounds;
	}
}

static unsigned int drafts(void)
{
	_cleanup_closedir_ DIR *d = opendir(artifacts);
	unsigned int n = 0;
	struct dirent *e;

	while (d && (e = readdir(d)))
		n += str_starts(e->d_name, "draft-");
	return n;
}

static void check_what_is_there(void)
{
	for (unsigned int n = 0; n < 2 * KEYS; n++) {
		_cleanup_free_ char *own =
			str_printf("%s/" KEY "%s", artifacts, n, n < KEYS ? "" : ".failed");

		if (fs_exists(own))
			assert_int_equal(load(n), n < KEYS ? 1 : -1);
	}
}

static void a_killed_controller_leaves_nothing_half(void **state)
{
	volatile unsigned int *rounds = mmap(NULL, sizeof(*rounds), PROT_READ | PROT_WRITE,
					     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int left = 0;

	(void)state;
	assert_non_null(mkdtemp(root));
	artifacts = str_printf("%s/artifacts", root);
	module = str_printf("%s/module.ko", root);
	run_log = str_printf("%s/build.log", root);
	compile(module, compile_modinfo, "");
	assert_int_equal(fs_write(run_log, "log\n", 4, &err), 0);
	srandom((unsigned int)clock_now_ns());
	for (int i = 0; i < KILLS; i++) {
		unsigned int before = *rounds;
		pid_t pid = fork();
		int status;

		if (pid == 0)
			work_for_ever(rounds);
		for (int ms = 0; (i & 1) && *rounds == before && ms < 20000; ms++)
			usleep(1000);
		usleep((useconds_t)(random() % 30000));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		/* It must not have ended by itself: then a call failed. */
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		/* one that is made, and one on its way out */
		assert_true(drafts() <= 2);
		left += drafts();
		assert_int_equal(cache_open(artifacts, &err), 0);
		assert_int_equal(drafts(), 0);
		check_what_is_there();
	}
	print_message("%u rounds, %u drafts left by %d kills\n", *rounds, left, KILLS);
	/* Kills that never met anything would show nothing. */
	assert_true(*rounds >= KILLS / 2 && left > 0);
	munmap((void *)rounds, sizeof(*rounds));
	assert_int_equal(fs_remove_tree(root, &err), 0);
	free(artifacts);
	free(module);
	free(run_log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_controller_leaves_nothing_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
