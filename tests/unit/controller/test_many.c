// SPDX-License-Identifier: GPL-2.0-or-later
/* Several trials at once: real worker processes and a real store, with planted answers. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/stop.h"
#include "controller/team/size.h"
#include "controller/team/team.h"
#include "run_facts.h"
#include "unit/controller/asked.h"
#include "unit/range/kit.h"

static const struct planted_commit straight[] = {
	STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
	STRAND("d", "good", "c"),  STRAND("e", "good", "d"), STRAND("f", "good", "e"),
	STRAND("g", "bad", "f"),   STRAND("h", "bad", "g"),  STRAND("i", "bad", "h"),
	STRAND("j", "bad", "i"),
};

#define ASK_MANY(name, n)                              \
	struct planted_commit h[ARRAY_SIZE(straight)]; \
	_cleanup_asked_ struct asked a = { 0 };        \
	memcpy(h, straight, sizeof(h));                \
	a = ASK(name, h);                              \
	asked_ends(&a, "a", "j");                      \
	a.argv[4] = "--workers";                       \
	a.argv[5] = n;

static struct store_trial *trials_of(const struct asked *a, size_t *n)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	struct store_trial *t;
	struct err err;

	assert_int_equal(store_open(a->dir, false, &s, &err), 0);
	assert_int_equal(store_trials(s, &t, n, &err), 0);
	return t;
}

/* Workers of a run that has ended; each names its directory. */
static void expect_no_worker(const struct asked *a)
{
	_cleanup_free_ char *got =
		kit_sh("pgrep -fc '[w]orker --config %s/worker.conf' || true", a->dir);

	assert_string_equal(got, "0");
}

static int count_round(int64_t date_s, const char *kind, const char *text, void *arg)
{
	unsigned int *n = arg;

	(void)date_s;
	(void)text;
	*n += strcmp(kind, "round") == 0;
	return 0;
}

static unsigned int rounds_of(const struct asked *a)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	unsigned int n = 0;
	struct err err;

	assert_int_equal(store_open(a->dir, false, &s, &err), 0);
	assert_int_equal(store_each_event(s, count_round, &n, &err), 0);
	return n;
}

/* 9 candidates: as many rounds as the logarithm says; ends and what confirms at once. */
static void rounds_name_the_same_commit(void **state)
{
	static const char *const at_once[] = { "2", "3", "8" };
	static const unsigned int rounds[] = { 2, 2, 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(at_once); i++) {
		_cleanup_free_ char *name = str_printf("many-%s", at_once[i]);
		_cleanup_free_ struct store_trial *t = NULL;
		_cleanup_strv_ struct strv who = { 0 };
		size_t n;
		ASK_MANY(name, at_once[i]);

		asked_must(asked_start(&a), &a);
		asked_expect_culprit(&a, "g");
		asked_expect_fact(&a, "culprit.parents", "f");
		asked_expect_fact(&a, "run.workers", at_once[i]);
		assert_int_equal(planted_trials(), 0); /* none was made here */
		t = trials_of(&a, &n);
		for (size_t j = 0; j < n; j++) {
			assert_true(t[j].ended);
			assert_true(str_starts(t[j].where, "worker "));
			if (!strv_has(&who, t[j].where))
				strv_add(&who, t[j].where);
		}
		assert_true(who.n >= 2);
		assert_int_equal(rounds_of(&a), rounds[i]);
		expect_no_worker(&a);
	}
}

static void expect_as_if_nothing_was(struct asked *a)
{
	asked_must(asked_start(a), a);
	asked_expect_culprit(a, "g");
	expect_no_worker(a);
}

static void killed_worker_costs_its_trial_only(void **state)
{
	_cleanup_free_ struct store_trial *t = NULL;
	unsigned int ended_by_it = 0;
	size_t n;
	ASK_MANY("many-killed", "2");

	(void)state;
	planted_fault("a", "kill");
	planted_fault("d", "kill");
	planted_fault("g", "kill");
	expect_as_if_nothing_was(&a);
	t = trials_of(&a, &n);
	for (size_t i = 0; i < n; i++) {
		assert_true(t[i].ended);
		if (strcmp(t[i].v.rule, "worker") == 0) {
			assert_int_equal(t[i].v.verdict, VERDICT_HOST);
			assert_non_null(strstr(t[i].v.reason, "signal 9"));
			ended_by_it++;
		}
	}
	assert_in_range(ended_by_it, 2, 3);
}

static void failing_machine_is_tried_by_another_worker(void **state)
{
	ASK_MANY("many-failing", "2");

	(void)state;
	planted_fault("g", "fail");
	expect_as_if_nothing_was(&a);
}

/* What kills whoever tries it is no verdict: the run ends, and can be gone on with. */
static void trial_that_kills_each_worker_ends_the_run(void **state)
{
	_cleanup_free_ char *path = NULL;
	ASK_MANY("many-each", "3");

	(void)state;
	planted_fault("g", "each");
	assert_int_equal(asked_start(&a), -1);
	assert_int_equal(a.err.kind, ERR_HOST);
	asked_expect_fact(&a, "run.outcome", "host");
	expect_no_worker(&a);
	path = str_printf("%s.%s.each", getenv("PLANTED_ANSWERS"), planted_id("g"));
	unlink(path);
	asked_must(asked_resume(&a), &a);
	asked_expect_culprit(&a, "g");
}

static struct options *some_options(void)
{
	static struct options o;
	char *argv[] = { (char *)"--repo", (char *)"/nowhere" };
	struct err err;

	options_deinit(&o);
	if (options_parse(CMD_RUN, 2, argv, &o, &err) < 0)
		fail_msg("%s", err.msg);
	return &o;
}

/* A team alone: its worker is stopped in mid-trial and says nothing any more. */
static void hanging_worker_is_ended(void **state)
{
	struct planted_commit h[ARRAY_SIZE(straight)];
	_cleanup_free_ char *repo = NULL, *dir = kit_path("hanging");
	_cleanup_(store_close_p) struct store *s = NULL;
	_cleanup_(team_close_p) struct team *t = NULL;
	struct build_kernel kernel = { 0 };
	struct team_task task = { .role = ROLE_GOOD_END };
	struct team_spec spec = { .kernel = &kernel, .dir = dir, .n = 2, .silent_ms = 4000 };
	struct team_done done;
	struct err err;

	(void)state;
	memcpy(h, straight, sizeof(h));
	spec.repo = repo = planted_history("hanging-repo", h, ARRAY_SIZE(h));
	spec.o = some_options();
	assert_int_equal(store_create(dir, &s, &err), 0);
	spec.store = s;
	planted_fault("b", "stop");
	assert_int_equal(team_open(&spec, &t, &err), 0);
	assert_int_equal(team_free(t), 2);
	str_copy(task.id, sizeof(task.id), planted_id("b"));
	team_want(t, &task);
	team_want(t, &task); /* the same, once */
	assert_int_equal(team_free(t), 1);
	assert_true(team_has(t, task.id, ROLE_GOOD_END));
	assert_false(team_has(t, task.id, ROLE_SEARCH));
	assert_int_equal(team_wait(t, &done, &err), 1);
	assert_false(done.failed);
	assert_string_equal(done.task.id, task.id);
	assert_int_equal(team_wait(t, &done, &err), 0);
	team_want(t, &task);
	team_drop(t);
	assert_int_equal(team_wait(t, &done, &err), 0);
}

/* In a child, which is asked to stop or killed in the middle; then the run is gone on with. */
static void end_in_the_middle(struct asked *a, int sig, int64_t after_ms)
{
	int64_t begun;
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		stop_install();
		_exit(asked_start(a) < 0 ? 130 : 0);
	}
	clock_sleep_ms(after_ms);
	begun = clock_now_ns();
	kill(pid, sig);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(clock_now_ns() - begun < 30 * NS_PER_S);
	if (sig == SIGINT && WIFEXITED(status) && WEXITSTATUS(status))
		expect_no_worker(a);
	/* Who goes on waits for the workers of the one that was killed. */
	if (facts_begun(a->dir))
		asked_must(asked_resume(a), a);
	else
		asked_must((fs_remove_tree(a->dir, &a->err), asked_start(a)), a);
	asked_expect_culprit(a, "g");
	expect_no_worker(a);
}

static void stopped_or_killed_it_goes_on(void **state)
{
	static const int64_t after_ms[] = { 300, 900, 1500 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(after_ms); i++) {
		_cleanup_free_ char *name = str_printf("many-stop-%zu", i);
		_cleanup_free_ char *other = str_printf("many-shot-%zu", i);
		{
			ASK_MANY(name, "2");
			end_in_the_middle(&a, SIGINT, after_ms[i]);
		}
		{
			ASK_MANY(other, "2");
			end_in_the_middle(&a, SIGKILL, after_ms[i]);
		}
	}
}

/* Begun with several, a run can be gone on with alone, and the other way round. */
static void number_may_change_on_the_way(void **state)
{
	ASK_MANY("many-fewer", "3");

	(void)state;
	planted_fault("g", "each");
	assert_int_equal(asked_start(&a), -1);
	a.workers = "1";
	asked_must(asked_resume(&a), &a);
	asked_expect_culprit(&a, "g");
	assert_true(planted_trials() > 0);
}

static void machine_bears_what_it_has_room_for(void **state)
{
	struct team_host h = {
		.cores = 2, .memory_mib = 24000, .guest_cores = 1, .guest_mib = 512
	};

	(void)state;
	assert_int_equal(team_bears(&h), 1);
	h.cores = 16;
	assert_int_equal(team_bears(&h), 8);
	h.memory_mib = 3100;
	assert_int_equal(team_bears(&h), 3);
	h.memory_mib = 300;
	assert_int_equal(team_bears(&h), 1);
	h.memory_mib = 1 << 20;
	h.cores = 256;
	assert_int_equal(team_bears(&h), TEAM_MAX);
}

/* Two builds instead of one make a round longer; whether it pays depends on what a guest takes. */
static void more_at_once_than_pay_are_not_taken(void **state)
{
	(void)state;
	assert_int_equal(team_pays(1000, 1, 1, 100), 1);
	assert_int_equal(team_pays(1000, 8, 100, 1), 1);
	assert_int_equal(team_pays(1000, 8, 1, 100),
			 5); /* 6 to the 4th is enough, 9 cubed is not */
	assert_in_range(team_pays(64, 8, 3, 10), 2, 3);
	assert_int_equal(team_pays(2, 8, 1, 100), 1); /* one trial tells the two apart */
	assert_int_equal(team_pays(3, 8, 1, 100), 2);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_name_the_same_commit),
		cmocka_unit_test(killed_worker_costs_its_trial_only),
		cmocka_unit_test(failing_machine_is_tried_by_another_worker),
		cmocka_unit_test(trial_that_kills_each_worker_ends_the_run),
		cmocka_unit_test(hanging_worker_is_ended),
		cmocka_unit_test(stopped_or_killed_it_goes_on),
		cmocka_unit_test(number_may_change_on_the_way),
		cmocka_unit_test(machine_bears_what_it_has_room_for),
		cmocka_unit_test(more_at_once_than_pay_are_not_taken),
	};

	if (argc > 1 && strcmp(argv[1], "worker") == 0)
		return planted_worker(argc - 2, argv + 2);
	return asked_run(tests, ARRAY_SIZE(tests));
}
