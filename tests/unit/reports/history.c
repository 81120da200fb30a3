// SPDX-License-Identifier: GPL-2.0-or-later
/* What is told beside an answer, in each form. */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

static void set(const char *key, const char *value)
{
	assert_int_equal(store_set(s, key, value, &err), 0);
}

static void set_id(const char *key, int node)
{
	char id[COMMIT_ID_SIZE];

	fixture_id(node, id);
	set(key, id);
}

static void expect_html(const char *want)
{
	if (!strstr(html(), want))
		fail_msg("no \"%s\" in:\n%s", want, out.data);
}

static void expect_str(const struct json *obj, const char *name, const char *want)
{
	const char *got = json_get_str(obj, name);

	assert_non_null(got);
	assert_string_equal(got, want);
}

/* The first good commit: the culprit is good, its parent bad, and so are the words. */
static void a_fix_is_called_one(void **state)
{
	struct json *j;

	(void)state;
	fixture_facts(s);
	set("option.bisect.find", "fix");
	fixture_trial(s, -1, ROLE_BAD_END, VERDICT_BAD);
	fixture_trial(s, FIXTURE_CANDIDATES - 1, ROLE_GOOD_END, VERDICT_GOOD);
	fixture_trial(s, FIXTURE_CULPRIT, ROLE_CONFIRM, VERDICT_GOOD);
	fixture_trial(s, FIXTURE_CULPRIT - 1, ROLE_CONFIRM_PARENT, VERDICT_BAD);
	set_id("culprit.commit", FIXTURE_CULPRIT);
	set_id("culprit.parents", FIXTURE_CULPRIT - 1);
	set("run.outcome", "proven");
	expect_text("First good commit");
	expect_text("1  shown    its parents are bad ");
	expect_text("2  shown    it is good itself ");
	expect_html("<h1>First good commit</h1>");
	j = json();
	expect_str(json_get(j, "run"), "find", "fix");
	expect_str(json_get(json_get(j, "run"), "terms"), "new", "good");
	expect_str(json_get(json_get(json_get(j, "culprit"), "proof"), "parents_good"), "state",
		   "shown");
	json_destroy(j);
	all_forms_are_sound();
}

static void a_fix_whose_parent_was_good_is_not_proven(void **state)
{
	(void)state;
	fixture_facts(s);
	set("option.bisect.find", "fix");
	fixture_trial(s, FIXTURE_CULPRIT - 1, ROLE_CONFIRM_PARENT, VERDICT_GOOD);
	set_id("culprit.commit", FIXTURE_CULPRIT);
	set_id("culprit.parents", FIXTURE_CULPRIT - 1);
	expect_text("1  failed   its parents are bad ");
}

static void states_are_called_what_the_user_calls_them(void **state)
{
	(void)state;
	fixture_proven(s);
	set("option.bisect.termold", "fast");
	set("option.bisect.termnew", "sluggish");
	expect_text("First sluggish commit");
	expect_text("its parents are fast");
	expect_text("fast       0 of 6");
	expect_text("  sluggish   6 of 6");
	expect_html("<span class=\"v bad\">sluggish</span>");
	all_forms_are_sound();
}

static void an_end_mended_on_its_own_side_says_what_finds_the_mending(void **state)
{
	static const char next[] = "amdgpu-bisect run --repo /r --find fix 111111111111..2222";
	struct json *fork, *j;

	(void)state;
	fixture_facts(s);
	set_id("fork.base", 3);
	set_id("fork.end", -1);
	set("fork.state", "mended");
	set("fork.story", "it is good, but forked off at a commit that is bad already");
	set("fork.next", next);
	set("run.outcome", "end");
	expect_text("No commit is named: the good end lost the change on its own side");
	expect_text("forked off at a commit that is bad already");
	expect_text(next);
	expect_html(next);
	j = json();
	fork = (struct json *)json_get(j, "fork");
	expect_str(fork, "state", "mended");
	expect_str(fork, "next", next);
	json_destroy(j);
	all_forms_are_sound();
}

static void a_history_that_turned_names_who_came_and_went(void **state)
{
	const struct json *turn;
	struct json *j;

	(void)state;
	fixture_proven(s);
	set("turn.0.kind", "again");
	set_id("turn.0.fresh", 8);
	set_id("turn.0.stale", 20);
	set_id("turn.0.introducer", 5);
	set("turn.0.introducer.subject", "drm/amdgpu: the first time");
	set("turn.0.introducer.proven", "yes");
	set_id("turn.0.repairer.set", 11);
	expect_text("it came, went and came again");
	expect_text("came with   ");
	expect_text("drm/amdgpu: the first time\n");
	expect_text("went with   one of ");
	expect_text("again with  e289ce12e3b5 drm/amdgpu: fix amdgpu_hmm_range_get_pages");
	expect_html("<dt>came with</dt>");
	j = json();
	turn = json_at(json_get(j, "turns"), 0);
	expect_str(turn, "kind", "again");
	expect_str(json_get(turn, "introducer"), "subject", "drm/amdgpu: the first time");
	assert_int_equal(json_len(json_get(json_get(turn, "repairer"), "set")), 1);
	json_destroy(j);
	all_forms_are_sound();
}

static void a_merge_that_carried_it_back_is_told_with_its_story(void **state)
{
	char a[COMMIT_ID_SIZE], b[COMMIT_ID_SIZE];
	_cleanup_free_ char *both = NULL;
	struct json *j;

	(void)state;
	fixture_proven(s);
	fixture_id(FIXTURE_CULPRIT - 1, a);
	fixture_id(7, b);
	fixture_trial(s, 7, ROLE_CONFIRM_PARENT, VERDICT_BAD);
	both = str_printf("%s %s", a, b);
	set("culprit.parents", both);
	set("culprit.carried", b);
	set_id("inherit.0.commit", 7);
	set_id("inherit.0.parent", -1);
	set("inherit.0.parent_subject", "drm/amdgpu: older than the ends");
	set_id("inherit.0.end", -1);
	set("inherit.0.story", "it was bad already, and was taken back");
	expect_text("(had it before)");
	expect_text("it was bad already, and was taken back");
	expect_text("the merge that is named brought it back");
	/* The carried parent is no failure of the proof. */
	expect_text("1  shown    its parents are good");
	j = json();
	assert_int_equal(json_len(json_get(json_get(j, "culprit"), "carried")), 1);
	assert_int_equal(json_len(json_get(j, "inherited")), 1);
	json_destroy(j);
	all_forms_are_sound();
}

static void what_hides_the_answer_is_counted(void **state)
{
	const struct json *blockers;
	struct json *j;
	int64_t n;

	(void)state;
	fixture_facts(s);
	set_id("set", 40);
	set("set.why", "the commits between cannot be tested");
	set("set.blocker.0", "build: hmm.c: error: no");
	set("set.blocker.0.hides", "12");
	set("set.blocker.1", "panic: at boot");
	set("set.blocker.1.hides", "1");
	set("run.outcome", "set");
	expect_text("hidden by   build: hmm.c: error: no (12 of them)");
	expect_text("panic: at boot (1 of them)");
	j = json();
	blockers = json_get(json_get(j, "set"), "blockers");
	assert_int_equal(json_len(blockers), 2);
	assert_true(json_get_int(json_at(blockers, 0), "hides", &n));
	assert_int_equal(n, 12);
	json_destroy(j);
	all_forms_are_sound();
}

static void the_same_change_upstream_is_named(void **state)
{
	struct json *j;

	(void)state;
	fixture_proven(s);
	set("culprit.patch_id", "0123456789abcdef0123456789abcdef01234567");
	set_id("culprit.upstream", 2);
	set("culprit.upstream.how", "cherry-pick");
	set("culprit.upstream.subject", "drm/amdgpu: as it was upstream");
	set("search.confidence", "0.9931");
	expect_text("drm/amdgpu: as it was upstream (known by: cherry-pick)");
	expect_text("confidence  0.9931");
	expect_html("known by: cherry-pick");
	j = json();
	expect_str(json_get(json_get(j, "culprit"), "upstream"), "how", "cherry-pick");
	json_destroy(j);
	all_forms_are_sound();
}

static void what_a_log_told_is_no_trial(void **state)
{
	(void)state;
	fixture_proven(s);
	fixture_trial(s, 12, ROLE_USER, VERDICT_GOOD);
	expect_text("found among 64 candidates in 12 trials");
	all_forms_are_sound();
}

static void hostile_words_and_stories_stay_text(void **state)
{
	static const char *const keys[] = {
		"option.bisect.termold",
		"option.bisect.termnew",
		"fork.story",
		"fork.next",
		"turn.0.introducer",
		"turn.0.introducer.set",
		"turn.0.introducer.subject",
		"turn.0.repairer.set",
		"inherit.0.story",
		"culprit.upstream",
		"culprit.upstream.how",
		"set.blocker.0",
		"set.blocker.0.hides",
		"search.confidence",
		"search.left",
		"end.which",
	};
	static const char *const states[] = { "set", "end", "running", "proven" };

	(void)state;
	fixture_proven(s);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		set(keys[i], HOSTILE);
	set("turn.0.kind", "again");
	set("fork.state", "mended");
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		set("run.outcome", states[i]);
		for (const char *p = text(); *p; p++)
			assert_true(*p == '\n' || (unsigned char)*p >= ' ');
		assert_null(strstr(out.data, "\xe2\x80\xae"));
		assert_null(strstr(html(), "<script"));
		assert_null(strchr(out.data, '\x1b'));
		json_destroy(json());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_fix_is_called_one),
		TEST(a_fix_whose_parent_was_good_is_not_proven),
		TEST(states_are_called_what_the_user_calls_them),
		TEST(an_end_mended_on_its_own_side_says_what_finds_the_mending),
		TEST(a_history_that_turned_names_who_came_and_went),
		TEST(a_merge_that_carried_it_back_is_told_with_its_story),
		TEST(what_hides_the_answer_is_counted),
		TEST(the_same_change_upstream_is_named),
		TEST(what_a_log_told_is_no_trial),
		TEST(hostile_words_and_stories_stay_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
