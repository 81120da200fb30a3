// SPDX-License-Identifier: GPL-2.0-or-later
/* The corners that need a commit which nobody made, with planted answers: by what the code comes to. */
#include <stdlib.h>
#include <string.h>

#include "unit/controller/asked.h"
#include "unit/range/kit.h"

/* Ten lines, so that what is far apart can be taken away and laid on by itself. */
#define CODE(top, middle, end) top "\n2\n3\n4\n" middle "\n6\n7\n8\n" end

/* Bad with "slow" in it, unless "mended" is there too. */
static const char *by_words(const char *code)
{
	if (strstr(code, "broken"))
		return "does not compile: line 5";
	return strstr(code, "slow") && !strstr(code, "mended") ? "bad" : "good";
}

#define COMMIT(name, state, parent, text)                      \
	{                                                      \
		name, state, { parent }, false, "", NULL, text \
	}
#define NAMING(name, state, parent, body, text)                  \
	{                                                        \
		name, state, { parent }, false, body, NULL, text \
	}

/* a..d with the culprit c, and what follows it up on a side of its own. */
#define HISTORY(fix_code)                                                  \
	{                                                                  \
		COMMIT("a", "good", NULL, CODE("1", "5", "9")),            \
			COMMIT("b", "good", "a", CODE("1b", "5", "9")),    \
			COMMIT("c", "bad", "b", CODE("1b", "slow", "9")),  \
			COMMIT("d", "bad", "c", CODE("1b", "slow", "9d")), \
			COMMIT("fix", "good", "c", fix_code),              \
	}

static void ask(struct asked *a)
{
	planted_judge(by_words);
	a->prove = true;
	asked_ends(a, "a", "d");
}

static void expect_role(const struct asked *a, enum store_role role, const char *state)
{
	_cleanup_(store_close_p) struct store *s = NULL;
	_cleanup_free_ struct store_trial *t = NULL;
	const struct store_trial *last = NULL;
	struct err err;
	size_t n;

	assert_int_equal(store_open(a->dir, false, &s, &err), 0);
	assert_int_equal(store_trials(s, &t, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		if (t[i].role == role)
			last = &t[i];
	if (!last != !state || (state && strcmp(last->v.reason, state) != 0))
		fail_msg("%s: found %s, want %s", store_role_name(role),
			 last ? last->v.reason : "no trial", state ? state : "none");
}

static void both_ways_are_tried_where_no_follow_up_is_known(void **state)
{
	struct planted_commit h[] = HISTORY(CODE("1b", "slow mended", "9"));
	_cleanup_asked_ struct asked a = ASK("no-follow-up", h);

	(void)state;
	ask(&a);
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "c");
	expect_role(&a, ROLE_TIP_WITHOUT, "good");
	expect_role(&a, ROLE_OLD_END_WITH, "bad");
	expect_role(&a, ROLE_TIP_WITH_FOLLOWUP, NULL);
	asked_expect_fact(&a, "proof.tip_with_followup.why",
			  "no commit that follows it up is known; name one with --follow-up");
	asked_expect_fact(&a, "proof.tip", "d");
}

static void a_follow_up_can_be_named(void **state)
{
	struct planted_commit h[] = HISTORY(CODE("1b", "slow mended", "9"));
	_cleanup_asked_ struct asked a = ASK("named", h);

	(void)state;
	ask(&a);
	a.argv[4] = "--follow-up";
	a.argv[5] = "fix";
	asked_must(asked_start(&a), &a);
	expect_role(&a, ROLE_TIP_WITH_FOLLOWUP, "good");
	asked_expect_fact(&a, "proof.tip_with_followup.followup", "fix");
	asked_expect_fact(&a, "proof.tip_with_followup.how", "named by --follow-up");
}

/* Its message names the culprit by the id that it has in this history: so it is written after that. */
static void commit_fix(const char *repo, const char *code, const char *body)
{
	_cleanup_free_ char *file = kit_path("code");

	kit_write(repo, "../code", code);
	free(kit_sh("cd '%s' && b=$(git hash-object -w '%s') && d=$(printf '100644 blob "
		    "%%s\\tcode\\n' $b | git "
		    "mktree) && t=$(printf '040000 tree %%s\\tdrv\\n' $d | git mktree) && i=$(git "
		    "commit-tree $t -p "
		    "refs/tags/c -m 'mend' -m '%s') && git update-ref refs/heads/next $i",
		    repo, file, body));
}

static void what_names_the_culprit_in_another_branch_is_found(void **state)
{
	struct planted_commit h[] = HISTORY(CODE("1b", "x", "9"));
	_cleanup_asked_ struct asked a = ASK("found", h);
	_cleanup_free_ char *body = str_printf("Fixes: %.12s (\"c\")", planted_id("c"));
	_cleanup_free_ char *next = NULL;

	(void)state;
	commit_fix(a.repo, CODE("1b", "slow mended", "9\n"), body);
	ask(&a);
	asked_must(asked_start(&a), &a);
	next = kit_git(a.repo, "rev-parse next");
	asked_expect_fact(&a, "proof.tip_with_followup.followup", next);
	expect_role(&a, ROLE_TIP_WITH_FOLLOWUP, "good");
	asked_kill_everywhere(&a);
}

static void a_follow_up_that_collides_is_missing_with_its_files(void **state)
{
	struct planted_commit h[] = HISTORY(CODE("1b", "slow mended", "another end"));
	_cleanup_asked_ struct asked a = ASK("collides", h);

	(void)state;
	ask(&a);
	a.argv[4] = "--follow-up";
	a.argv[5] = "fix";
	asked_must(asked_start(&a), &a);
	expect_role(&a, ROLE_TIP_WITH_FOLLOWUP, NULL);
	asked_expect_fact(&a, "proof.tip_with_followup.files", "drv/code");
	asked_expect_fact(&a, "proof.tip_with_followup.why",
			  "the follow-up does not apply: it collides in drv/code");
	expect_role(&a, ROLE_TIP_WITHOUT, "good");
}

static void a_revert_that_does_not_compile_says_so(void **state)
{
	struct planted_commit h[] = {
		COMMIT("a", "good", NULL, CODE("1", "5", "9")),
		COMMIT("c", "bad", "a", CODE("1", "slow", "9")),
		COMMIT("d", "bad", "c", CODE("1", "slow", "needs it, or is broken")),
	};
	_cleanup_asked_ struct asked a = ASK("broken", h);

	(void)state;
	ask(&a);
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "c");
	expect_role(&a, ROLE_TIP_WITHOUT, "does not compile: line 5");
	expect_role(&a, ROLE_OLD_END_WITH, "bad");
}

/* Neither side is bad, and what they come to is. */
static void a_merge_is_taken_away_as_one_change(void **state)
{
	struct planted_commit h[] = {
		COMMIT("a", "good", NULL, CODE("1", "5", "9")),
		COMMIT("l", "good", "a", CODE("1l", "5", "9")),
		COMMIT("s", "good", "a", CODE("1", "s", "9")),
		{ "m", "bad", { "l", "s" }, false, "", NULL, CODE("1l", "s slow", "9") },
		COMMIT("d", "bad", "m", CODE("1l", "s slow", "9d")),
	};
	_cleanup_asked_ struct asked a = ASK("merge", h);

	(void)state;
	ask(&a);
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "m");
	expect_role(&a, ROLE_TIP_WITHOUT, "good");
	expect_role(&a, ROLE_OLD_END_WITH, "bad");
}

static void a_tip_of_ones_own_is_tried_first(void **state)
{
	struct planted_commit h[] = {
		COMMIT("a", "good", NULL, CODE("1", "5", "9")),
		COMMIT("c", "bad", "a", CODE("1", "slow", "9")),
		COMMIT("d", "bad", "c", CODE("1", "slow", "9d")),
		COMMIT("later", "bad", "d", CODE("later", "slow", "9d")),
		COMMIT("mended", "good", "later", CODE("later", "slow mended", "9d")),
	};
	_cleanup_asked_ struct asked a = ASK("tip", h), b = { 0 };

	(void)state;
	ask(&a);
	a.argv[4] = "--tip";
	a.argv[5] = "later";
	asked_must(asked_start(&a), &a);
	expect_role(&a, ROLE_TIP, "bad");
	expect_role(&a, ROLE_TIP_WITHOUT, "good");
	b = asked_again(&a);
	b.argv[5] = "mended";
	asked_must(asked_start(&b), &b);
	expect_role(&b, ROLE_TIP, "good");
	expect_role(&b, ROLE_TIP_WITHOUT, NULL);
	expect_role(&b, ROLE_OLD_END_WITH, "bad");
	{
		_cleanup_free_ char *why = asked_fact(&b, "proof.tip_without.why");

		assert_non_null(strstr(why, "itself is good"));
	}
	a.argv[5] = "nowhere";
	{
		_cleanup_asked_ struct asked c = asked_again(&a);

		assert_int_equal(asked_start(&c), -1);
		assert_int_equal(c.err.kind, ERR_USAGE);
	}
}

static void a_fix_is_asked_the_other_way_round(void **state)
{
	struct planted_commit h[] = {
		COMMIT("a", "bad", NULL, CODE("1", "slow", "9")),
		COMMIT("b", "bad", "a", CODE("1b", "slow", "9")),
		COMMIT("c", "good", "b", CODE("1b", "slow mended", "9")),
		COMMIT("d", "good", "c", CODE("1b", "slow mended", "9d")),
	};
	_cleanup_asked_ struct asked a = ASK("fix-proof", h);

	(void)state;
	planted_judge(by_words);
	a.prove = true;
	asked_ends(&a, "d", "a");
	a.argv[4] = "--find";
	a.argv[5] = "fix";
	asked_must(asked_start(&a), &a);
	asked_expect_culprit(&a, "c");
	expect_role(&a, ROLE_TIP_WITHOUT, "bad");
	expect_role(&a, ROLE_OLD_END_WITH, "good");
	expect_role(&a, ROLE_TIP_WITH_FOLLOWUP, NULL);
}

/* It came, was taken back, and came again: who took it back may do so once more. */
static void who_took_it_back_before_is_a_follow_up(void **state)
{
	struct planted_commit h[] = {
		COMMIT("a", "good", NULL, CODE("1", "5", "9")),
		COMMIT("b", "bad", "a", CODE("1", "slow", "9")),
		COMMIT("c", "bad", "b", CODE("1c", "slow", "9")),
		COMMIT("r", "good", "c", CODE("1c", "5", "9")),
		COMMIT("s", "good", "r", CODE("1s", "5", "9")),
		COMMIT("x", "bad", "s", CODE("1s", "slow", "9")),
		COMMIT("d", "bad", "x", CODE("1s", "slow", "9d")),
	};
	_cleanup_asked_ struct asked a = ASK("turns", h);

	(void)state;
	ask(&a);
	asked_must(asked_start(&a), &a);
	assert_int_equal(a.result.outcome, RUN_PROVEN);
	expect_role(&a, ROLE_TIP_WITHOUT, "good");
}

static void where_trials_miss_a_good_corner_is_tried_again(void **state)
{
	struct planted_commit h[] = HISTORY(CODE("1b", "slow mended", "9"));
	_cleanup_asked_ struct asked a = ASK("flaky", h);
	_cleanup_(store_close_p) struct store *s = NULL;
	_cleanup_free_ struct store_trial *t = NULL;
	struct err err;
	size_t n, without = 0;

	(void)state;
	ask(&a);
	a.argv[4] = "--flaky";
	a.argv[5] = "0.1";
	asked_must(asked_start(&a), &a);
	assert_int_equal(store_open(a.dir, false, &s, &err), 0);
	assert_int_equal(store_trials(s, &t, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		without += t[i].role == ROLE_TIP_WITHOUT;
	assert_int_equal(without, 2); /* 0.1 * 0.1: no more doubt than 1 in 100 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways_are_tried_where_no_follow_up_is_known),
		cmocka_unit_test(a_follow_up_can_be_named),
		cmocka_unit_test(a_follow_up_that_collides_is_missing_with_its_files),
		cmocka_unit_test(a_revert_that_does_not_compile_says_so),
		cmocka_unit_test(a_merge_is_taken_away_as_one_change),
		cmocka_unit_test(a_tip_of_ones_own_is_tried_first),
		cmocka_unit_test(a_fix_is_asked_the_other_way_round),
		cmocka_unit_test(who_took_it_back_before_is_a_follow_up),
		cmocka_unit_test(where_trials_miss_a_good_corner_is_tried_again),
		cmocka_unit_test(what_names_the_culprit_in_another_branch_is_found),
	};

	return asked_run(tests, ARRAY_SIZE(tests));
}
