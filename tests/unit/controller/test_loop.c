// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop over histories of any shape, with planted answers. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "controller/known.h"
#include "unit/controller/asked.h"
#include "unit/range/kit.h"

static void straight_history(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "good", "c"),  STRAND("e", "bad", "d"),  STRAND("f", "bad", "e"),
		STRAND("g", "bad", "f"),   STRAND("h", "bad", "g"),
	};
	_cleanup_asked_ struct asked a = ASK("straight", h);

	(void)state;
	asked_ends(&a, "a", "h");
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "e");
	asked_expect_fact(&a, "culprit.parents", "d");
	assert_int_equal(planted_trials(), 2 + 3 + 2);
	asked_kill_everywhere(&a);
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
		asked_ends(&a, "a", "i");
		asked_must(asked_start(&a), &a);
		f = planted_foresight();
		assert_true(f.n_new >= 3);
		assert_int_equal(f.n_foreseen, f.n_new);
	}
	{
		_cleanup_asked_ struct asked a = ASK("not-foreseen", h);

		asked_ends(&a, "a", "i");
		a.argv[4] = "--ahead";
		a.argv[5] = "off";
		asked_must(asked_start(&a), &a);
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
	asked_ends(&a, "e", "a");
	a.argv[4] = "--find";
	a.argv[5] = "fix";
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "d");
	asked_expect_fact(&a, "culprit.parents", "c");
	asked_kill_everywhere(&a);
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
	asked_ends(&a, "l1", "t");
	a.argv[4] = "--good";
	a.argv[5] = "r1";
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "r2");
	asked_kill_everywhere(&a);
}

static void end_that_is_not_what_was_claimed(void **state)
{
	struct planted_commit h[] = { STRAND("a", "good", NULL), STRAND("b", "good", "a"),
				      STRAND("c", "good", "b"), STRAND("d", "bad", "c") };
	_cleanup_asked_ struct asked a = ASK("wrong-end", h);

	(void)state;
	asked_ends(&a, "a", "c");
	asked_must(asked_start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_END_WRONG);
	asked_expect_fact(&a, "end.which", "bad");
	asked_expect_fact(&a, "end.commit", "c");
	asked_kill_everywhere(&a);
	/* Asked once more, the end is tried once more. */
	planted_lie("c", "bad", 9);
	planted_end_at(0, PLANTED_STOP);
	asked_must(asked_resume(&a), &a);
	assert_true(planted_trials() > 0);
	asked_expect_culprit(&a, "c");
	asked_expect_fact(&a, "end.which", NULL);
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
	asked_ends(&a, "g", "t");
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "c");
	asked_expect_fact(&a, "fork.base", "base");
	asked_expect_fact(&a, "fork.end", "g");
	asked_expect_fact(&a, "fork.state", "before");
	asked_kill_everywhere(&a);
}

static void end_that_was_mended_on_its_own_side(void **state)
{
	struct planted_commit h[] = FORKED("bad");
	_cleanup_asked_ struct asked a = ASK("fork-bad", h);
	_cleanup_free_ char *next = NULL, *want = NULL, *repo = NULL;
	/* The second is the default, and said. */
	static const char *const said[] = { "--append", "a b", "--repeats", "3" };

	(void)state;
	asked_ends(&a, "g", "t");
	for (size_t i = 0, at = 0; i < ARRAY_SIZE(a.argv) && at < ARRAY_SIZE(said); i++)
		if (!a.argv[i])
			a.argv[i] = said[at++];
	asked_must(asked_start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_END_WRONG);
	asked_expect_fact(&a, "culprit.commit", NULL);
	asked_expect_fact(&a, "options.said", "probe.repeats");
	asked_expect_fact(&a, "fork.base", "base");
	asked_expect_fact(&a, "fork.state", "mended");
	next = asked_fact(&a, "fork.next");
	repo = asked_fact(&a, "repo");
	want = str_printf("amdgpu-bisect run --repo %s --path drv --append 'a b' --repeats 3 "
			  "--find fix %.12s..%.12s",
			  repo, planted_id("base"), planted_id("g"));
	assert_string_equal(next, want);
	asked_kill_everywhere(&a);
}

static void fork_that_cannot_be_tested_is_gone_over(void **state)
{
	struct planted_commit h[] = FORKED("good");
	_cleanup_asked_ struct asked a = { 0 };

	(void)state;
	h[1].state = "a.c:1: error: no";
	a = ASK("fork-skip", h);
	asked_ends(&a, "g", "t");
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "c");
	asked_expect_fact(&a, "fork.state", "untested");
	asked_kill_everywhere(&a);
}

static void verdict_that_does_not_repeat_is_settled_by_a_third(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "bad", "c"),   STRAND("e", "bad", "d"),
	};
	_cleanup_asked_ struct asked a = ASK("settled", h);

	(void)state;
	asked_ends(&a, "a", "e");
	planted_lie("c", "bad", 1);
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "d");
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
	asked_ends(&a, "a", "j");
	asked_will_tell(&a, "d", VERDICT_BAD);
	asked_will_tell(&a, "g", VERDICT_GOOD);
	asked_must(asked_start_told(&a), &a);
	asked_expect_culprit(&a, "i");
	asked_expect_fact(&a, "turn.0.kind", "again");
	asked_expect_fact(&a, "turn.0.introducer", "c");
	asked_expect_fact(&a, "turn.0.introducer.proven", "yes");
	asked_expect_fact(&a, "turn.0.repairer", "f");
	asked_expect_fact(&a, "turn.0.repairer.proven", "yes");
	asked_expect_fact(&a, "turn.1.kind", NULL);
	asked_kill_everywhere(&a);
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
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "d");
	assert_int_equal(planted_trials(), 2 + 1 + 2);
	asked_kill_everywhere(&a);
}

static void contradiction_that_was_a_wrong_verdict(void **state)
{
	struct planted_commit h[] = {
		STRAND("a", "good", NULL), STRAND("b", "good", "a"), STRAND("c", "good", "b"),
		STRAND("d", "good", "c"),  STRAND("e", "bad", "d"),  STRAND("f", "bad", "e"),
	};
	_cleanup_asked_ struct asked a = ASK("no-turn", h);

	(void)state;
	asked_ends(&a, "a", "f");
	asked_will_tell(&a, "b", VERDICT_BAD);
	asked_will_tell(&a, "c", VERDICT_GOOD);
	asked_must(asked_start_told(&a), &a);
	asked_expect_culprit(&a, "e");
	asked_expect_fact(&a, "turn.0.kind", NULL);
	asked_kill_everywhere(&a);
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
	asked_ends(&a, "a", "t");
	asked_will_tell(&a, "l2", VERDICT_BAD);
	asked_will_tell(&a, "r2", VERDICT_BAD);
	asked_must(asked_start_told(&a), &a);
	assert_int_equal(a.result.outcome, RUN_PROVEN);
	asked_expect_fact(&a, "turn.0.kind", "twice");
	asked_expect_fact(&a, "turn.0.other.proven", "yes");
	one = asked_fact(&a, "culprit.commit");
	other = asked_fact(&a, "turn.0.other");
	assert_string_equal(strcmp(one, "l1") == 0 ? other : one, "r1");
	assert_string_equal(strcmp(one, "l1") == 0 ? one : other, "l1");
	asked_kill_everywhere(&a);
}

/* What an end was mended of on its own side is found as a fix, as the run says. */
static void fix_between_a_fork_and_an_end(void **state)
{
	struct planted_commit h[] = FORKED("bad");
	_cleanup_asked_ struct asked a = ASK("fork-fix", h);

	(void)state;
	asked_ends(&a, "g", "base");
	a.argv[4] = "--find=fix";
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "g1");
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
	asked_ends(&a, "g", "t");
	asked_will_tell(&a, "s2", VERDICT_BAD);
	asked_must(asked_start_told(&a), &a);
	asked_expect_culprit(&a, "m");
	asked_expect_fact(&a, "culprit.parents", "n2 s2");
	asked_expect_fact(&a, "culprit.carried", "s2");
	asked_expect_fact(&a, "inherit.0.commit", "s1");
	asked_expect_fact(&a, "inherit.0.parent", "p");
	asked_expect_fact(&a, "inherit.0.end", "g");
	asked_kill_everywhere(&a);
}

static void side_is_met_by_the_search_itself(void **state)
{
	_cleanup_asked_ struct asked a = ASK("carried-met", carried_back);

	(void)state;
	asked_ends(&a, "g", "t");
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "m");
	asked_kill_everywhere(&a);
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
	asked_ends(&a, "g", "t");
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "m");
	asked_expect_fact(&a, "culprit.carried", "p");
	asked_expect_fact(&a, "inherit.0.parent", "p");
	asked_kill_everywhere(&a);
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
	asked_ends(&a, "a", "g");
	asked_must(asked_start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	asked_expect_fact(&a, "set", "c d e f");
	one = asked_fact(&a, "set.blocker.0");
	two = asked_fact(&a, "set.blocker.1");
	assert_non_null(one);
	assert_non_null(two);
	assert_true(strstr(one, "implicit") || strstr(two, "implicit"));
	assert_true(strstr(one, "expected") || strstr(two, "expected"));
	asked_expect_fact(
		&a, strstr(one, "implicit") ? "set.blocker.0.hides" : "set.blocker.1.hides", "2");
	asked_kill_everywhere(&a);
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
	asked_ends(&a, "a", "m");
	asked_must(asked_start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	asked_expect_fact(&a, "set", "c");
	why = asked_fact(&a, "set.why");
	assert_non_null(strstr(why, "cannot be tested"));
	assert_in_range(planted_trials(), 1, 12);
	asked_kill_everywhere(&a);
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
	asked_ends(&a, "a", "d");
	asked_must(asked_start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	why = asked_fact(&a, "set.why");
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
	asked_ends(&a, "a", "d");
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "c");
	asked_expect_fact(&a, "culprit.upstream", UPSTREAM);
	asked_expect_fact(&a, "culprit.upstream.how", "upstream");
	patch = asked_fact(&a, "culprit.patch_id");
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
	asked_ends(&a, "a", "d");
	a.argv[4] = "--upstream=tip";
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "c");
	asked_expect_fact(&a, "culprit.upstream", "u");
	asked_expect_fact(&a, "culprit.upstream.how", "patch-id");
	asked_expect_fact(&a, "culprit.upstream.subject", "u");
	asked_kill_everywhere(&a);
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
	asked_ends(&a, "c0", "c23");
	a.argv[4] = "--flaky=0.3";
	for (uint64_t seed = 1; seed <= 5; seed++) {
		_cleanup_asked_ struct asked b = asked_again(&a);

		planted_miss(0.3, seed);
		asked_must(asked_start(&b), &b);
		asked_expect_culprit(&b, "c9");
		if (seed == 1)
			asked_kill_everywhere(&b);
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
	asked_ends(&a, "a", "e");
	asked_must(asked_start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	asked_expect_fact(&a, "set", "d");
	asked_expect_fact(&a, "set.why", noop_why);
	asked_expect_fact(&a, "culprit.commit", NULL);
	asked_kill_everywhere(&a);
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
	asked_ends(&a, "a", "t");
	asked_must(asked_start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_SET);
	asked_expect_fact(&a, "set", "m");
	asked_expect_fact(&a, "set.why", noop_why);
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
	asked_ends(&a, "g", "t");
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "m");
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
	asked_ends(&a, "a", "e");
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "d");
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
		cmocka_unit_test(trials_that_miss_cost_steps_and_not_the_answer),
	};

	return asked_run(tests, ARRAY_SIZE(tests));
}
