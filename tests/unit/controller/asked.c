// SPDX-License-Identifier: GPL-2.0-or-later
/* See asked.h. */
#include "unit/controller/asked.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "controller/replay.h"
#include "unit/range/kit.h"

static unsigned int n_dirs;

void asked_deinit(struct asked *a)
{
	free(a->repo);
	free(a->dir);
}

struct asked asked_of(const char *name, struct planted_commit *c, size_t n)
{
	struct asked a = { .repo = planted_history(name, c, n) };

	a.dir = kit_path("run-%u", n_dirs++);
	return a;
}

static void parse(const struct asked *a, enum command command, struct options *ret)
{
	char *argv[32] = { (char *)"--repo", a->repo, (char *)"--path", (char *)"drv" };
	struct err err;
	int argc = 4;

	if (!a->prove)
		argv[argc++] = (char *)"--no-prove";

	for (size_t i = 0; command == CMD_RUN && a->argv[i]; i++)
		argv[argc++] = (char *)a->argv[i];
	if (command != CMD_RUN) {
		argv[0] = (char *)"--workers";
		argv[1] = (char *)a->workers;
		argc = a->workers ? 2 : 0;
	}
	if (options_parse(command, argc, argv, ret, &err) < 0)
		fail_msg("%s", err.msg);
}

int asked_start(struct asked *a)
{
	_cleanup_(options_deinit) struct options o = { 0 };

	parse(a, CMD_RUN, &o);
	if (replay_options(&o, &a->err) < 0)
		return -1;
	return run_start(&o, a->dir, NULL, &a->result, &a->err);
}

int asked_resume(struct asked *a)
{
	_cleanup_(options_deinit) struct options o = { 0 };

	parse(a, CMD_RESUME, &o);
	return run_resume(&o, a->dir, NULL, &a->result, &a->err);
}

void asked_must(int r, const struct asked *a)
{
	if (r < 0)
		fail_msg("%s", a->err.msg);
}

/* A stored fact, with ids as names; owned by the caller. NULL: there is none. */
char *asked_fact(const struct asked *a, const char *key)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	_cleanup_free_ char *value = NULL;
	struct err err;
	char *save = NULL;
	struct buf b = { 0 };

	assert_int_equal(store_open(a->dir, false, &s, &err), 0);
	assert_int_equal(store_get(s, key, &value, &err), 0);
	if (!value)
		return NULL;
	for (char *w = strtok_r(value, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		const char *name = planted_name(w);

		buf_printf(&b, "%s%s", b.len ? " " : "", name ? name : w);
	}
	return buf_take(&b);
}

void asked_expect_fact(const struct asked *a, const char *key, const char *want)
{
	_cleanup_free_ char *value = asked_fact(a, key);

	if (!want != !value || (want && strcmp(want, value) != 0))
		fail_msg("%s is %s, want %s", key, value ? value : "not set", want ? want : "none");
}

void asked_expect_culprit(const struct asked *a, const char *name)
{
	if (a->result.outcome != RUN_PROVEN)
		fail_msg("ended with %d, want %s proven", (int)a->result.outcome, name);
	assert_string_equal(planted_name(a->result.culprit), name);
	asked_expect_fact(a, "culprit.commit", name);
	asked_expect_fact(a, "run.outcome", "proven");
}

/* A verdict that was not tried for, as a replayed log leaves it. */
void asked_tell(const struct asked *a, const char *name, enum verdict verdict)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	const struct store_verdict v = { .verdict = verdict, .rule = "user", .reason = "said so" };
	struct err err;
	int64_t trial;

	assert_int_equal(store_open(a->dir, true, &s, &err), 0);
	assert_int_equal(store_begin(s, planted_id(name), ROLE_USER, &trial, &err), 0);
	assert_int_equal(store_end(s, trial, &v, &err), 0);
}

/* A run that has begun and tried nothing. */
void asked_begin(struct asked *a)
{
	planted_end_at(1, PLANTED_STOP);
	assert_int_equal(asked_start(a), -1);
	assert_int_equal(a->err.kind, ERR_STOPPED);
	planted_end_at(0, PLANTED_STOP);
}

/* Everything of a run that must not depend on where it was broken off. */
static int add_fact(const char *key, const char *value, void *arg)
{
	static const char *const varies[] = { "run.started", "run.ended", "search.left",
					      "search.steps", "search.confidence" };

	for (size_t i = 0; i < ARRAY_SIZE(varies); i++)
		if (strcmp(key, varies[i]) == 0)
			return 0;
	buf_printf(arg, "%s = %s\n", key, value);
	return 0;
}

static char *all_facts(const struct asked *a)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	struct buf b = { 0 };
	struct err err;

	assert_int_equal(store_open(a->dir, false, &s, &err), 0);
	assert_int_equal(store_each_fact(s, add_fact, &b, &err), 0);
	return buf_take(&b);
}

struct asked asked_again(const struct asked *a)
{
	struct asked b = *a;

	b.repo = xstrdup(a->repo);
	b.dir = kit_path("run-%u", n_dirs++);
	if (a->n_told) {
		asked_begin(&b);
		for (size_t i = 0; i < a->n_told; i++)
			asked_tell(&b, a->told[i].name, a->told[i].verdict);
	}
	return b;
}

void asked_will_tell(struct asked *a, const char *name, enum verdict verdict)
{
	assert_true(a->n_told < ARRAY_SIZE(a->told));
	a->told[a->n_told].name = name;
	a->told[a->n_told++].verdict = verdict;
}

int asked_start_told(struct asked *a)
{
	asked_begin(a);
	for (size_t i = 0; i < a->n_told; i++)
		asked_tell(a, a->told[i].name, a->told[i].verdict);
	return asked_resume(a);
}

/* In a child, which may be killed; true if the run came to its end there. */
static bool in_child(struct asked *a, bool first, unsigned int at, enum planted_end how)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		int r;

		planted_end_at(at, how);
		r = first && !a->n_told ? asked_start(a) : asked_resume(a);
		_exit(r < 0 ? a->err.kind == ERR_STOPPED ? 0 : 2 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) > 1)
		fail_msg("trial %u: exit code %d", at, WEXITSTATUS(status));
	return WEXITSTATUS(status) == 1;
}

/* Killed at any trial, and at every one, a run ends as it would have and says the same. */
void asked_kill_everywhere(const struct asked *a)
{
	_cleanup_free_ char *want = all_facts(a);
	/* Each end at each trial takes minutes: a third of them here, all with TEST_ROUNDS. */
	static unsigned int calls;
	unsigned int step = kit_rounds(1) > 1 ? 1 : 3, turn = calls++ % 3;
	enum planted_end how = PLANTED_STOP;
	bool over = false;

	for (unsigned int at = 1 + (step > 1 ? turn : 0); !over; at += step, how = (how + 1) % 3) {
		_cleanup_asked_ struct asked b = asked_again(a);
		_cleanup_free_ char *got = NULL;

		over = in_child(&b, true, at, how);
		planted_end_at(0, PLANTED_STOP);
		asked_must(asked_resume(&b), &b);
		got = all_facts(&b);
		assert_int_equal(b.result.outcome, a->result.outcome);
		assert_string_equal(got, want);
	}
	for (how = PLANTED_STOP; how <= PLANTED_KILL; how++) {
		_cleanup_asked_ struct asked b = asked_again(a);
		_cleanup_free_ char *got = NULL;
		unsigned int at = how == PLANTED_KILL ? 1 : 2; /* else none would ever end */

		if (step > 1 && how != (enum planted_end)turn)
			continue;
		for (over = in_child(&b, true, at, how); !over;)
			over = in_child(&b, false, at, how);
		got = all_facts(&b);
		assert_string_equal(got, want);
	}
}

void asked_ends(struct asked *a, const char *old, const char *new)
{
	a->argv[0] = "--good";
	a->argv[1] = old;
	a->argv[2] = "--bad";
	a->argv[3] = new;
}

int asked_run(const struct CMUnitTest *tests, size_t n)
{
	int failed;

	if (access("/dev/shm", W_OK) == 0)
		setenv("TMPDIR", "/dev/shm", 0); /* thousands of rows, each synced */
	kit_start();
	{
		_cleanup_free_ char *state = kit_path("state");
		_cleanup_free_ char *cache = kit_path("cache");

		setenv("XDG_STATE_HOME", state, 1);
		setenv("XDG_CACHE_HOME", cache, 1);
	}
	failed = _cmocka_run_group_tests("tests", tests, n, NULL, NULL);
	kit_end();
	return failed;
}
