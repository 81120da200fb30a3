// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop over histories of any shape, with planted answers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "controller/known.h"
#include "controller/replay.h"
#include "run.h"
#include "unit/controller/planted.h"
#include "unit/range/kit.h"

static unsigned int n_dirs;

/* One run and what it was asked; each gets a directory of its own. */
struct asked {
	char *repo;
	char *dir;
	const char *argv[24]; /* besides --repo and --path */
	struct {
		const char *name;
		enum verdict verdict;
	} told[4]; /* [n_told] verdicts of a replayed log */
	size_t n_told;
	struct run_result result;
	struct err err;
};

static void asked_deinit(struct asked *a)
{
	free(a->repo);
	free(a->dir);
}
#define _cleanup_asked_ __attribute__((cleanup(asked_deinit)))

static struct asked ask(const char *name, struct planted_commit *c, size_t n)
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

	for (size_t i = 0; command == CMD_RUN && a->argv[i]; i++)
		argv[argc++] = (char *)a->argv[i];
	if (options_parse(command, command == CMD_RUN ? argc : 0, argv, ret, &err) < 0)
		fail_msg("%s", err.msg);
}

static int start(struct asked *a)
{
	_cleanup_(options_deinit) struct options o = { 0 };

	parse(a, CMD_RUN, &o);
	if (replay_options(&o, &a->err) < 0)
		return -1;
	return run_start(&o, a->dir, NULL, &a->result, &a->err);
}

static int resume(struct asked *a)
{
	_cleanup_(options_deinit) struct options o = { 0 };

	parse(a, CMD_RESUME, &o);
	return run_resume(&o, a->dir, NULL, &a->result, &a->err);
}

static void must(int r, const struct asked *a)
{
	if (r < 0)
		fail_msg("%s", a->err.msg);
}

/* A stored fact, with ids as names; owned by the caller. NULL: there is none. */
static char *fact(const struct asked *a, const char *key)
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

static void expect_fact(const struct asked *a, const char *key, const char *want)
{
	_cleanup_free_ char *value = fact(a, key);

	if (!want != !value || (want && strcmp(want, value) != 0))
		fail_msg("%s is %s, want %s", key, value ? value : "not set", want ? want : "none");
}

static void expect_culprit(const struct asked *a, const char *name)
{
	if (a->result.outcome != RUN_PROVEN)
		fail_msg("ended with %d, want %s proven", (int)a->result.outcome, name);
	assert_string_equal(planted_name(a->result.culprit), name);
	expect_fact(a, "culprit.commit", name);
	expect_fact(a, "run.outcome", "proven");
}

/* A verdict that was not tried for, as a replayed log leaves it. */
static void tell(const struct asked *a, const char *name, enum verdict verdict)
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
static void begin(struct asked *a)
{
	planted_end_at(1, PLANTED_STOP);
	assert_int_equal(start(a), -1);
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

/* The same run in another directory, told the same. */
static struct asked again(const struct asked *a)
{
	struct asked b = *a;

	b.repo = xstrdup(a->repo);
	b.dir = kit_path("run-%u", n_dirs++);
	if (a->n_told) {
		begin(&b);
		for (size_t i = 0; i < a->n_told; i++)
			tell(&b, a->told[i].name, a->told[i].verdict);
	}
	return b;
}

static void will_tell(struct asked *a, const char *name, enum verdict verdict)
{
	assert_true(a->n_told < ARRAY_SIZE(a->told));
	a->told[a->n_told].name = name;
	a->told[a->n_told++].verdict = verdict;
}

static int start_told(struct asked *a)
{
	begin(a);
	for (size_t i = 0; i < a->n_told; i++)
		tell(a, a->told[i].name, a->told[i].verdict);
	return resume(a);
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
		r = first && !a->n_told ? start(a) : resume(a);
		_exit(r < 0 ? a->err.kind == ERR_STOPPED ? 0 : 2 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) > 1)
		fail_msg("trial %u: exit code %d", at, WEXITSTATUS(status));
	return WEXITSTATUS(status) == 1;
}

/* Killed at any trial, and at every one, a run ends as it would have and says the same. */
static void kill_everywhere(const struct asked *a)
{
	_cleanup_free_ char *want = all_facts(a);
	enum planted_end how = PLANTED_STOP;
	bool over = false;

	for (unsigned int at = 1; !over; at++, how = (how + 1) % 3) {
		_cleanup_asked_ struct asked b = again(a);
		_cleanup_free_ char *got = NULL;

		over = in_child(&b, true, at, how);
		planted_end_at(0, PLANTED_STOP);
		must(resume(&b), &b);
		got = all_facts(&b);
		assert_int_equal(b.result.outcome, a->result.outcome);
		assert_string_equal(got, want);
	}
	for (how = PLANTED_STOP; how <= PLANTED_KILL; how++) {
		_cleanup_asked_ struct asked b = again(a);
		_cleanup_free_ char *got = NULL;
		unsigned int at = how == PLANTED_KILL ? 1 : 2; /* else none would ever end */

		for (over = in_child(&b, true, at, how); !over;)
			over = in_child(&b, false, at, how);
		got = all_facts(&b);
		assert_string_equal(got, want);
	}
}

#define ASK(name, history) ask(name, history, ARRAY_SIZE(history))
#define STRAND(name, state, parent)                \
	{                                          \
		name, state, { parent }, false, "" \
	}
#define MERGE(name, state, ...)                         \
	{                                               \
		name, state, { __VA_ARGS__ }, false, "" \
	}

static void ends(struct asked *a, const char *old, const char *new)
{
	a->argv[0] = "--good";
	a->argv[1] = old;
	a->argv[2] = "--bad";
	a->argv[3] = new;
}

static void straight_history(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "good", "c"),  STRAND("e", "bad", "d"),  STRAND("f", "bad", "e"),
		STRAND("g", "bad", "f"),   STRAND("h", "bad", "g"),
	};
	_cleanup_asked_ struct asked a = ASK("straight", h);

	(void)state;
	ends(&a, "a", "h");
	must(start(&a), &a);
	expect_culprit(&a, "e");
	expect_fact(&a, "culprit.parents", "d");
	assert_int_equal(planted_trials(), 2 + 3 + 2);
	kill_everywhere(&a);
}

/* While it tests, the run knows which two come next: so they can be built ahead. */
static void what_comes_next_is_foreseen(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "good", "c"),  STRAND("e", "good", "d"), STRAND("f", "bad", "e"),
		STRAND("g", "bad", "f"),   STRAND("h", "bad", "g"),  STRAND("i", "bad", "h"),
	};

	(void)state;
	for (size_t culprit = 1; culprit < ARRAY_SIZE(h); culprit++) {
		_cleanup_free_ char *name = str_printf("foreseen-%zu", culprit);
		_cleanup_asked_ struct asked a = { 0 };
		struct planted_foresight f;

		for (size_t i = 0; i < ARRAY_SIZE(h); i++)
			h[i].state = i < culprit ? "good" : "bad";
		a = ASK(name, h);
		ends(&a, "a", "i");
		must(start(&a), &a);
		f = planted_foresight();
		assert_true(f.n_new >= 3);
		assert_int_equal(f.n_foreseen, f.n_new);
	}
	{
		_cleanup_asked_ struct asked a = ASK("not-foreseen", h);

		ends(&a, "a", "i");
		a.argv[4] = "--ahead";
		a.argv[5] = "off";
		must(start(&a), &a);
		assert_int_equal(planted_foresight().n_foreseen, 0);
	}
}

static void fix_is_found_and_a_good_end_sets_the_band(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "bad", NULL), STRAND("b", "bad", "a"),  STRAND("c", "bad", "b"),
		STRAND("d", "good", "c"), STRAND("e", "good", "d"),
	};
	_cleanup_asked_ struct asked a = ASK("fix", h);

	(void)state;
	ends(&a, "e", "a");
	a.argv[4] = "--find";
	a.argv[5] = "fix";
	must(start(&a), &a);
	expect_culprit(&a, "d");
	expect_fact(&a, "culprit.parents", "c");
	kill_everywhere(&a);
}

static void several_goods_each_hold(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("l1", "good", "a"), STRAND("l2", "good", "l1"),
		STRAND("r1", "good", "a"), STRAND("r2", "bad", "r1"), MERGE("m", "bad", "l2", "r2"),
		STRAND("t", "bad", "m"),
	};
	_cleanup_asked_ struct asked a = ASK("goods", h);

	(void)state;
	ends(&a, "l1", "t");
	a.argv[4] = "--good";
	a.argv[5] = "r1";
	must(start(&a), &a);
	expect_culprit(&a, "r2");
	kill_everywhere(&a);
}

static void end_that_is_not_what_was_claimed(void **state)
{
	struct planted_commit h[] = { STRAND("a", "good", NULL), STRAND("b", "good", "a"),
				      STRAND("c", "good", "b"), STRAND("d", "bad", "c") };
	_cleanup_asked_ struct asked a = ASK("wrong-end", h);

	(void)state;
	ends(&a, "a", "c");
	must(start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_END_WRONG);
	expect_fact(&a, "end.which", "bad");
	expect_fact(&a, "end.commit", "c");
	kill_everywhere(&a);
	/* Asked once more, the end is tried once more. */
	planted_lie("c", "bad", 9);
	planted_end_at(0, PLANTED_STOP);
	must(resume(&a), &a);
	assert_true(planted_trials() > 0);
	expect_culprit(&a, "c");
	expect_fact(&a, "end.which", NULL);
}

/* fork has the good end on a side of its own: g; the tip t is bad since c. */
#define FORKED(base)                                                             \
	{                                                                        \
		STRAND("root", base, NULL), STRAND("base", base, "root"),        \
			STRAND("g1", "good", "base"), STRAND("g", "good", "g1"), \
			STRAND("b", base, "base"), STRAND("c", "bad", "b"),      \
			STRAND("t", "bad", "c"),                                 \
	}

static void end_that_forked_off_before_the_change(void **state)
{
	struct planted_commit h[] = FORKED("good");
	_cleanup_asked_ struct asked a = ASK("fork-good", h);

	(void)state;
	ends(&a, "g", "t");
	must(start(&a), &a);
	expect_culprit(&a, "c");
	expect_fact(&a, "fork.base", "base");
	expect_fact(&a, "fork.end", "g");
	expect_fact(&a, "fork.state", "before");
	kill_everywhere(&a);
}

static void end_that_was_mended_on_its_own_side(void **state)
{
	struct planted_commit h[] = FORKED("bad");
	_cleanup_asked_ struct asked a = ASK("fork-bad", h);
	_cleanup_free_ char *next = NULL, *want = NULL, *repo = NULL;

	(void)state;
	ends(&a, "g", "t");
	must(start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_END_WRONG);
	expect_fact(&a, "culprit.commit", NULL);
	expect_fact(&a, "fork.base", "base");
	expect_fact(&a, "fork.state", "mended");
	next = fact(&a, "fork.next");
	repo = fact(&a, "repo");
	want = str_printf("amdgpu-bisect run --repo %s --path drv --find fix %.12s..%.12s", repo,
			  planted_id("base"), planted_id("g"));
	assert_string_equal(next, want);
	kill_everywhere(&a);
}

static void fork_that_cannot_be_tested_is_gone_over(void **state)
{
	struct planted_commit h[] = FORKED("good");
	_cleanup_asked_ struct asked a = { 0 };

	(void)state;
	h[1].state = "a.c:1: error: no";
	a = ASK("fork-skip", h);
	ends(&a, "g", "t");
	must(start(&a), &a);
	expect_culprit(&a, "c");
	expect_fact(&a, "fork.state", "untested");
	kill_everywhere(&a);
}

static void verdict_that_does_not_repeat_is_settled_by_a_third(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "bad", "c"),   STRAND("e", "bad", "d"),
	};
	_cleanup_asked_ struct asked a = ASK("settled", h);

	(void)state;
	ends(&a, "a", "e");
	planted_lie("c", "bad", 1);
	must(start(&a), &a);
	expect_culprit(&a, "d");
}

/* The log that was replayed knows of a bad commit below a good one, and both are what it says. */
static void came_went_and_came_again(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "bad", "b"),
		STRAND("d", "bad", "c"),   STRAND("e", "bad", "d"),  STRAND("f", "good", "e"),
		STRAND("g", "good", "f"),  STRAND("h", "good", "g"), STRAND("i", "bad", "h"),
		STRAND("j", "bad", "i"),
	};
	_cleanup_asked_ struct asked a = ASK("turns", h);

	(void)state;
	ends(&a, "a", "j");
	will_tell(&a, "d", VERDICT_BAD);
	will_tell(&a, "g", VERDICT_GOOD);
	must(start_told(&a), &a);
	expect_culprit(&a, "i");
	expect_fact(&a, "turn.0.kind", "again");
	expect_fact(&a, "turn.0.introducer", "c");
	expect_fact(&a, "turn.0.introducer.proven", "yes");
	expect_fact(&a, "turn.0.repairer", "f");
	expect_fact(&a, "turn.0.repairer.proven", "yes");
	expect_fact(&a, "turn.1.kind", NULL);
	kill_everywhere(&a);
}

static void log_is_begun_with(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "bad", "c"),   STRAND("e", "bad", "d"),  STRAND("f", "bad", "e"),
	};
	_cleanup_asked_ struct asked a = ASK("log", h);
	_cleanup_free_ char *log = kit_path("log.txt");
	_cleanup_free_ char *text = str_printf("git bisect start '%s' '%s'\ngit bisect good %s\n",
					       planted_id("f"), planted_id("a"), planted_id("c"));

	(void)state;
	assert_int_equal(fs_write(log, text, strlen(text), &a.err), 0);
	a.argv[0] = "--replay";
	a.argv[1] = log;
	must(start(&a), &a);
	expect_culprit(&a, "d");
	assert_int_equal(planted_trials(), 2 + 1 + 2);
	kill_everywhere(&a);
}

static void contradiction_that_was_a_wrong_verdict(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "good", "c"),  STRAND("e", "bad", "d"),  STRAND("f", "bad", "e"),
	};
	_cleanup_asked_ struct asked a = ASK("no-turn", h);

	(void)state;
	ends(&a, "a", "f");
	will_tell(&a, "b", VERDICT_BAD);
	will_tell(&a, "c", VERDICT_GOOD);
	must(start_told(&a), &a);
	expect_culprit(&a, "e");
	expect_fact(&a, "turn.0.kind", NULL);
	kill_everywhere(&a);
}

/* Two branches got it, each by a commit of its own, and the log knows of both. */
static void came_in_on_two_ways(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("l0", "good", "a"),	  STRAND("l1", "bad", "l0"),
		STRAND("l2", "bad", "l1"), STRAND("r0", "good", "a"),	  STRAND("r1", "bad", "r0"),
		STRAND("r2", "bad", "r1"), MERGE("m", "bad", "l2", "r2"), STRAND("t", "bad", "m"),
	};
	_cleanup_asked_ struct asked a = ASK("two-ways", h);
	_cleanup_free_ char *one = NULL, *other = NULL;

	(void)state;
	ends(&a, "a", "t");
	will_tell(&a, "l2", VERDICT_BAD);
	will_tell(&a, "r2", VERDICT_BAD);
	must(start_told(&a), &a);
	assert_int_equal(a.result.outcome, RUN_PROVEN);
	expect_fact(&a, "turn.0.kind", "twice");
	expect_fact(&a, "turn.0.other.proven", "yes");
	one = fact(&a, "culprit.commit");
	other = fact(&a, "turn.0.other");
	assert_string_equal(strcmp(one, "l1") == 0 ? other : one, "r1");
	assert_string_equal(strcmp(one, "l1") == 0 ? one : other, "l1");
	kill_everywhere(&a);
}

/* What an end was mended of on its own side is found as a fix, as the run says. */
static void fix_between_a_fork_and_an_end(void **state)
{
	struct planted_commit h[] = FORKED("bad");
	_cleanup_asked_ struct asked a = ASK("fork-fix", h);

	(void)state;
	ends(&a, "g", "base");
	a.argv[4] = "--find=fix";
	must(start(&a), &a);
	expect_culprit(&a, "g1");
}

/*
 * p is bad and older than the ends; fix mends it before g, the good end; s1 and s2 are a side that left
 * at p, and m brings the bad state back.
 */
static struct planted_commit carried_back[] = {
	STRAND("root", "good", NULL), STRAND("p", "bad", "root"), STRAND("fix", "good", "p"),
	STRAND("g", "good", "fix"),   STRAND("n1", "good", "g"),  STRAND("s1", "bad", "p"),
	STRAND("s2", "bad", "s1"),    STRAND("n2", "good", "n1"), MERGE("m", "bad", "n2", "s2"),
	STRAND("n3", "bad", "m"),     STRAND("t", "bad", "n3"),
};

static void side_that_was_never_mended_is_no_culprit(void **state)
{
	_cleanup_asked_ struct asked a = ASK("carried", carried_back);

	(void)state;
	ends(&a, "g", "t");
	will_tell(&a, "s2", VERDICT_BAD);
	must(start_told(&a), &a);
	expect_culprit(&a, "m");
	expect_fact(&a, "culprit.parents", "n2 s2");
	expect_fact(&a, "culprit.carried", "s2");
	expect_fact(&a, "inherit.0.commit", "s1");
	expect_fact(&a, "inherit.0.parent", "p");
	expect_fact(&a, "inherit.0.end", "g");
	kill_everywhere(&a);
}

static void side_is_met_by_the_search_itself(void **state)
{
	_cleanup_asked_ struct asked a = ASK("carried-met", carried_back);

	(void)state;
	ends(&a, "g", "t");
	must(start(&a), &a);
	expect_culprit(&a, "m");
	kill_everywhere(&a);
}

static void merge_of_an_excluded_commit_carries(void **state)
{
	struct planted_commit h[] = {
		STRAND("root", "good", NULL), STRAND("p", "bad", "root"),
		STRAND("g", "good", "p"),     STRAND("n1", "good", "g"),
		MERGE("m", "bad", "n1", "p"), STRAND("t", "bad", "m"),
	};
	_cleanup_asked_ struct asked a = ASK("carries", h);

	(void)state;
	ends(&a, "g", "t");
	must(start(&a), &a);
	expect_culprit(&a, "m");
	expect_fact(&a, "culprit.carried", "p");
	expect_fact(&a, "inherit.0.parent", "p");
	kill_everywhere(&a);
}

static void blockers_that_hide_the_answer_are_named(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL),
		STRAND("b", "good", "a"),
		STRAND("c", "hmm.c:1:2: error: implicit declaration of function 'x'", "b"),
		STRAND("d", "hmm.c:1:2: error: implicit declaration of function 'x'", "c"),
		STRAND("e", "mn.c:9:9: error: expected ';'", "d"),
		STRAND("f", "bad", "e"),
		STRAND("g", "bad", "f"),
	};
	_cleanup_asked_ struct asked a = ASK("blockers", h);
	_cleanup_free_ char *one = NULL, *two = NULL;

	(void)state;
	ends(&a, "a", "g");
	must(start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	expect_fact(&a, "set", "c d e f");
	one = fact(&a, "set.blocker.0");
	two = fact(&a, "set.blocker.1");
	assert_non_null(one);
	assert_non_null(two);
	assert_true(strstr(one, "implicit") || strstr(two, "implicit"));
	assert_true(strstr(one, "expected") || strstr(two, "expected"));
	expect_fact(&a, strstr(one, "implicit") ? "set.blocker.0.hides" : "set.blocker.1.hides",
		    "2");
	kill_everywhere(&a);
}

/* That p is good follows from w; it does not build, so no round of proof can show it. */
static void parent_that_cannot_be_tested_halves_the_proof(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL),
		STRAND("p", "hmm.c:1:2: error: implicit declaration of function 'x'", "a"),
		STRAND("w", "good", "p"),
		STRAND("c", "bad", "p"),
		{ .name = "m", .state = "bad", .parents = { "c", "w" } },
	};
	_cleanup_asked_ struct asked a = ASK("halfproof", h);
	_cleanup_free_ char *why = NULL;

	(void)state;
	ends(&a, "a", "m");
	must(start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	expect_fact(&a, "set", "c");
	why = fact(&a, "set.why");
	assert_non_null(strstr(why, "cannot be tested"));
	assert_in_range(planted_trials(), 1, 12);
	kill_everywhere(&a);
}

static void parent_outside_of_the_paths_that_is_bad(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL),
		STRAND("b", "good", "a"),
		{ .name = "x", .state = "bad", .parents = { "b" }, .outside = true },
		STRAND("c", "bad", "x"),
		STRAND("d", "bad", "c"),
	};
	_cleanup_asked_ struct asked a = ASK("outside", h);
	_cleanup_free_ char *why = NULL;

	(void)state;
	ends(&a, "a", "d");
	must(start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	why = fact(&a, "set.why");
	assert_non_null(strstr(why, "--path"));
}

#define UPSTREAM "0123456789abcdef0123456789abcdef01234567"

static void culprit_is_called_what_its_message_says(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL),
		STRAND("b", "good", "a"),
		STRAND("c", "bad", "b"),
		STRAND("d", "bad", "c"),
	};
	_cleanup_asked_ struct asked a = { 0 };
	_cleanup_free_ char *patch = NULL;
	struct identity *known;
	size_t n;

	(void)state;
	h[2].body = "commit " UPSTREAM " upstream.";
	a = ASK("picked", h);
	free(a.dir);
	a.dir = kit_path("state/amdgpu-bisect/20260101-000000-run");
	ends(&a, "a", "d");
	must(start(&a), &a);
	expect_culprit(&a, "c");
	expect_fact(&a, "culprit.upstream", UPSTREAM);
	expect_fact(&a, "culprit.upstream.how", "upstream");
	patch = fact(&a, "culprit.patch_id");
	assert_true(str_is_commit_id(patch));
	/* A run in another tree can ask for it. */
	n = known_culprits(&known);
	assert_int_equal(n, 1);
	assert_string_equal(known[0].id, planted_id("c"));
	assert_string_equal(known[0].upstream, UPSTREAM);
	assert_string_equal(known[0].patch_id, patch);
	known_free(known, n);
}

static void same_patch_is_found_upstream(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("c", "bad", "a"),  STRAND("d", "bad", "c"),
		STRAND("u0", "good", "a"), STRAND("u", "bad", "u0"), STRAND("tip", "bad", "u"),
	};
	_cleanup_asked_ struct asked a = { 0 };

	(void)state;
	h[3].outside = true;
	h[1].code = h[4].code = "the same";
	a = ASK("upstream", h);
	ends(&a, "a", "d");
	a.argv[4] = "--upstream=tip";
	must(start(&a), &a);
	expect_culprit(&a, "c");
	expect_fact(&a, "culprit.upstream", "u");
	expect_fact(&a, "culprit.upstream.how", "patch-id");
	expect_fact(&a, "culprit.upstream.subject", "u");
	kill_everywhere(&a);
}

/* Every third trial of a bad commit finds nothing. */
static void trials_that_miss_cost_steps_and_not_the_answer(void **state)
{
	struct planted_commit h[24];
	char names[24][8];
	_cleanup_asked_ struct asked a = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(h); i++) {
		snprintf(names[i], sizeof(names[i]), "c%zu", i);
		h[i] = (struct planted_commit)STRAND(names[i], i < 9 ? "good" : "bad",
						     i ? names[i - 1] : NULL);
	}
	a = ASK("flaky", h);
	ends(&a, "c0", "c23");
	a.argv[4] = "--flaky=0.3";
	for (uint64_t seed = 1; seed <= 5; seed++) {
		_cleanup_asked_ struct asked b = again(&a);

		planted_miss(0.3, seed);
		must(start(&b), &b);
		expect_culprit(&b, "c9");
		if (seed == 1)
			kill_everywhere(&b);
	}
}

static const char noop_why[] = "its artifact is the same as its parent's, so it changes nothing "
			       "that was tested: the verdicts contradict each other";

/* Only a comment, and yet good and bad: one of the two verdicts is wrong, and nobody is blamed. */
static void culprit_that_changes_nothing_is_refused(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "bad", "c"),   STRAND("e", "bad", "d"),
	};
	_cleanup_asked_ struct asked a = { 0 };

	(void)state;
	h[2].signature = h[3].signature = "one";
	a = ASK("noop", h);
	ends(&a, "a", "e");
	must(start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	expect_fact(&a, "set", "d");
	expect_fact(&a, "set.why", noop_why);
	expect_fact(&a, "culprit.commit", NULL);
	kill_everywhere(&a);
}

static void merge_that_is_its_old_parent_is_refused(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL),   STRAND("l", "good", "a"), STRAND("r", "good", "a"),
		MERGE("m", "bad", "l", "r"), STRAND("t", "bad", "m"),
	};
	_cleanup_asked_ struct asked a = { 0 };

	(void)state;
	h[2].signature = h[3].signature = "one";
	a = ASK("noop-merge", h);
	ends(&a, "a", "t");
	must(start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	expect_fact(&a, "set", "m");
	expect_fact(&a, "set.why", noop_why);
}

/* The merge is what its side was already, which is bad as well: that is no contradiction. */
static void merge_that_is_its_carried_parent_is_named(void **state)
{
	struct planted_commit h[ARRAY_SIZE(carried_back)];
	_cleanup_asked_ struct asked a = { 0 };

	(void)state;
	memcpy(h, carried_back, sizeof(h));
	h[6].signature = h[8].signature = "s2 and m";
	a = ASK("carried-same", h);
	ends(&a, "g", "t");
	must(start(&a), &a);
	expect_culprit(&a, "m");
}

/* What does not build has no artifact that could be another's. */
static void one_that_was_never_built_is_like_no_other(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "bad", "c"),   STRAND("e", "bad", "d"),
	};
	_cleanup_asked_ struct asked a = { 0 };

	(void)state;
	h[2].signature = h[3].signature = "";
	a = ASK("unsigned", h);
	ends(&a, "a", "e");
	must(start(&a), &a);
	expect_culprit(&a, "d");
}

#define RANDOM_COMMITS 22
#ifndef N_HISTORIES
#define N_HISTORIES 60
#endif

/* Commits that bring the defect and that mend it; a commit has it if one is below and none of the others. */
static void random_states(struct planted_commit *h, uint64_t *seed)
{
	uint32_t brings[RANDOM_COMMITS] = { 0 }, mends[RANDOM_COMMITS] = { 0 };
	uint32_t n = 1 + kit_rand(seed, 2);

	for (uint32_t i = 0; i < RANDOM_COMMITS; i++) {
		for (size_t p = 0; p < PLANTED_PARENTS && h[i].parents[p]; p++) {
			size_t parent = strtoul(h[i].parents[p] + 1, NULL, 10);

			brings[i] |= brings[parent];
			mends[i] |= mends[parent];
		}
		if (!h[i].outside && brings[i] & ~mends[i] && kit_rand(seed, 12) == 0)
			mends[i] |= brings[i];
		else if (!h[i].outside && n && i > 2 && kit_rand(seed, 8) == 0)
			brings[i] |= 1U << n--;
		h[i].state = brings[i] & ~mends[i]     ? "bad"
			     : kit_rand(seed, 12) == 0 ? "a.c:1: error: no"
						       : "good";
	}
}

static void random_shape(struct planted_commit *h, char names[][8], uint64_t *seed)
{
	for (uint32_t i = 0; i < RANDOM_COMMITS; i++) {
		uint32_t last = i;

		snprintf(names[i], sizeof(names[i]), "c%u", i);
		h[i] = (struct planted_commit){ .name = names[i],
						.outside = kit_rand(seed, 6) == 0 };
		for (uint32_t p = 0; i && p < 1 + (kit_rand(seed, 10) < 4); p++) {
			uint32_t back = i < 5 ? i : 5;
			uint32_t parent = i - 1 - kit_rand(seed, back);

			if (parent != last)
				h[i].parents[h[i].parents[0] != NULL] = names[parent];
			last = parent;
		}
		h[i].outside &= !h[i].parents[1]; /* a merge's content is of all its parents */
	}
}

/* What is proven is true, whatever the history: it is bad, and its parents are good or had it before. */
static void expect_truth(const struct asked *a)
{
	_cleanup_free_ char *parents = fact(a, "culprit.parents");
	_cleanup_free_ char *carried = fact(a, "culprit.carried");
	char *save = NULL;

	assert_string_equal(planted_state(planted_name(a->result.culprit)), "bad");
	for (char *p = strtok_r(parents, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		_cleanup_free_ char *word = str_printf(" %s ", p);
		_cleanup_free_ char *all = str_printf(" %s ", carried ? carried : "");
		bool had_it = strstr(all, word);

		assert_string_equal(planted_state(p), had_it ? "bad" : "good");
	}
}

/* The @nth of those in a state, counted from the first or from the last; NULL: there are not so many. */
static const char *pick(const struct planted_commit *h, const char *state, uint32_t nth, bool last)
{
	for (uint32_t k = 0; k < RANDOM_COMMITS; k++) {
		const struct planted_commit *c = &h[last ? RANDOM_COMMITS - 1 - k : k];

		if (strcmp(c->state, state) == 0 && nth-- == 0)
			return c->name;
	}
	return NULL;
}

/* Who introduced and who repaired is true as well. */
static bool has_turned(const struct asked *a)
{
	_cleanup_free_ char *kind = fact(a, "turn.0.kind");
	_cleanup_free_ char *came = fact(a, "turn.0.introducer");
	_cleanup_free_ char *came_proven = fact(a, "turn.0.introducer.proven");
	_cleanup_free_ char *went = fact(a, "turn.0.repairer");
	_cleanup_free_ char *went_proven = fact(a, "turn.0.repairer.proven");

	if (came && strcmp(came_proven, "yes") == 0)
		assert_string_equal(planted_state(came), "bad");
	if (went && strcmp(went_proven, "yes") == 0)
		assert_string_equal(planted_state(went), "good");
	return kind;
}

static void tell_truth(const struct asked *a, const struct planted_commit *c)
{
	enum verdict v;

	if (verdict_parse(c->state, &v))
		tell(a, c->name, v);
}

static void whatever_the_history_what_is_proven_is_true(void **state)
{
	unsigned int proven = 0, sets = 0, ends_wrong = 0, turns = 0;

	(void)state;
	for (uint64_t n = 1; n <= N_HISTORIES; n++) {
		struct planted_commit h[RANDOM_COMMITS];
		char names[RANDOM_COMMITS][8];
		_cleanup_free_ char *name = str_printf("any-%u", (unsigned int)n);
		_cleanup_asked_ struct asked a = { 0 };
		const char *old, *new;
		uint64_t seed = n;

		random_shape(h, names, &seed);
		random_states(h, &seed);
		a = ASK(name, h);
		old = pick(h, "good", kit_rand(&seed, 8), false);
		new = pick(h, "bad", kit_rand(&seed, 3), true);
		if (!old || !new)
			continue;
		ends(&a, old, new);
		planted_end_at(1, PLANTED_STOP);
		assert_int_equal(start(&a), -1);
		if (a.err.kind == ERR_USAGE) /* ends that no range lies between */
			continue;
		planted_end_at(0, PLANTED_STOP);
		for (uint32_t k = kit_rand(&seed, 4); k; k--)
			tell_truth(&a, &h[kit_rand(&seed, RANDOM_COMMITS)]);
		must(resume(&a), &a);
		proven += a.result.outcome == RUN_PROVEN;
		sets += a.result.outcome == RUN_SET;
		ends_wrong += a.result.outcome == RUN_END_WRONG;
		turns += has_turned(&a);
		if (a.result.outcome == RUN_PROVEN)
			expect_truth(&a);
	}
	print_message("%u proven, %u sets, %u ends wrong; %u turned\n", proven, sets, ends_wrong,
		      turns);
	assert_true(proven > 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(straight_history),
		cmocka_unit_test(what_comes_next_is_foreseen),
		cmocka_unit_test(fix_is_found_and_a_good_end_sets_the_band),
		cmocka_unit_test(several_goods_each_hold),
		cmocka_unit_test(end_that_is_not_what_was_claimed),
		cmocka_unit_test(end_that_forked_off_before_the_change),
		cmocka_unit_test(end_that_was_mended_on_its_own_side),
		cmocka_unit_test(fork_that_cannot_be_tested_is_gone_over),
		cmocka_unit_test(verdict_that_does_not_repeat_is_settled_by_a_third),
		cmocka_unit_test(came_went_and_came_again),
		cmocka_unit_test(came_in_on_two_ways),
		cmocka_unit_test(fix_between_a_fork_and_an_end),
		cmocka_unit_test(log_is_begun_with),
		cmocka_unit_test(contradiction_that_was_a_wrong_verdict),
		cmocka_unit_test(side_that_was_never_mended_is_no_culprit),
		cmocka_unit_test(side_is_met_by_the_search_itself),
		cmocka_unit_test(merge_of_an_excluded_commit_carries),
		cmocka_unit_test(blockers_that_hide_the_answer_are_named),
		cmocka_unit_test(parent_that_cannot_be_tested_halves_the_proof),
		cmocka_unit_test(parent_outside_of_the_paths_that_is_bad),
		cmocka_unit_test(culprit_is_called_what_its_message_says),
		cmocka_unit_test(same_patch_is_found_upstream),
		cmocka_unit_test(culprit_that_changes_nothing_is_refused),
		cmocka_unit_test(merge_that_is_its_old_parent_is_refused),
		cmocka_unit_test(merge_that_is_its_carried_parent_is_named),
		cmocka_unit_test(one_that_was_never_built_is_like_no_other),
		cmocka_unit_test(whatever_the_history_what_is_proven_is_true),
		cmocka_unit_test(trials_that_miss_cost_steps_and_not_the_answer),
	};
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
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kit_end();
	return failed;
}
