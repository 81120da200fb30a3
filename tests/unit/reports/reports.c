// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs in the real store, reported in each form and looked at as a reader would. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/str.h"
#include "fixture.h"
#include "forms.h"
#include "reports/report.h"
#include "wire/json.h"

static void a_proven_run_reads_as_the_stored_text(void **state)
{
	_cleanup_free_ char *want = NULL;

	(void)state;
	fixture_proven(s);
	assert_int_equal(fs_read(HERE "/proven.txt", 1 << 20, &want, NULL, &err), 0);
	if (strcmp(text(), want) != 0)
		print_error("%s", out.data);
	assert_string_equal(out.data, want);
	all_forms_are_sound();
}

static const char *corner_state(const struct json *root, const char *corner)
{
	const struct json *proof = json_get(json_get(root, "culprit"), "proof");

	return json_get_str(json_get(proof, corner), "state");
}

static void json_names_the_culprit_and_its_proof(void **state)
{
	char id[COMMIT_ID_SIZE];
	const struct json *rows;
	struct json *j;
	int64_t n;

	(void)state;
	fixture_proven(s);
	j = json();
	fixture_id(FIXTURE_CULPRIT, id);
	assert_string_equal(json_get_str(json_get(j, "culprit"), "commit"), id);
	assert_string_equal(corner_state(j, "parents_good"), "shown");
	assert_string_equal(corner_state(j, "itself_bad"), "shown");
	assert_string_equal(corner_state(j, "tip_without"), "missing");
	assert_string_equal(corner_state(j, "tip_with_followup"), "missing");
	assert_string_equal(corner_state(j, "good_end_with"), "missing");
	assert_int_equal(json_len(json_get(j, "candidates")), FIXTURE_CANDIDATES);
	assert_int_equal(json_len(json_get(j, "others")), 1);
	assert_int_equal(json_len(json_get(j, "measurements")), 2);
	rows = json_get(json_at(json_get(j, "measurements"), 0), "rows");
	assert_int_equal(json_len(rows), 6);
	assert_true(json_get_int(json_at(rows, 5), "windows", &n));
	assert_int_equal(n, 4);
	assert_true(json_get_int(json_at(rows, 5), "predicted", &n));
	assert_int_equal(n, 4);
	json_destroy(j);
}

static void a_corner_is_shown_only_by_a_trial_made_for_it(void **state)
{
	char id[COMMIT_ID_SIZE];
	struct json *j;

	(void)state;
	fixture_facts(s);
	fixture_ends(s);
	fixture_search(s);
	fixture_id(FIXTURE_CULPRIT, id);
	store_set(s, "culprit.commit", id, &err);
	fixture_id(FIXTURE_CULPRIT - 1, id);
	store_set(s, "culprit.parents", id, &err);
	j = json();
	assert_string_equal(corner_state(j, "parents_good"), "missing");
	assert_string_equal(corner_state(j, "itself_bad"), "missing");
	json_destroy(j);
	fixture_trial(s, FIXTURE_CULPRIT - 1, ROLE_CONFIRM_PARENT, VERDICT_BAD);
	fixture_trial(s, FIXTURE_CULPRIT, ROLE_CONFIRM, VERDICT_SKIP);
	j = json();
	assert_string_equal(corner_state(j, "parents_good"), "failed");
	assert_string_equal(corner_state(j, "itself_bad"), "missing");
	json_destroy(j);
	all_forms_are_sound();
}

static void one_parent_that_fails_fails_the_corner(void **state)
{
	char a[COMMIT_ID_SIZE], b[COMMIT_ID_SIZE];
	_cleanup_free_ char *both = NULL;
	struct json *j;

	(void)state;
	fixture_proven(s);
	fixture_id(FIXTURE_CULPRIT - 1, a);
	fixture_id(-1, b);
	both = str_printf("%s %s", a, b);
	store_set(s, "culprit.parents", both, &err);
	j = json();
	/* The second parent is the good end, which was tried as that. */
	assert_string_equal(corner_state(j, "parents_good"), "shown");
	json_destroy(j);
	fixture_trial(s, -1, ROLE_CONFIRM_PARENT, VERDICT_BAD);
	j = json();
	assert_string_equal(corner_state(j, "parents_good"), "failed");
	json_destroy(j);
	all_forms_are_sound();
}

static void an_empty_run_is_reported_as_one_that_has_not_ended(void **state)
{
	(void)state;
	expect_text("The run has not ended");
	expect_text("amdgpu-bisect resume");
	all_forms_are_sound();
}

static void a_run_under_way_says_so_and_what_is_left(void **state)
{
	int64_t trial;
	char id[COMMIT_ID_SIZE];

	(void)state;
	fixture_facts(s);
	fixture_ends(s);
	fixture_id(20, id);
	store_begin(s, id, ROLE_SEARCH, &trial, &err);
	store_set(s, "search.left", "63", &err);
	store_set(s, "run.outcome", "running", &err);
	expect_text("The run has not ended");
	expect_text("63 of 64 candidates could still be the first bad one");
	/* The ends are what there is to see. */
	expect_text("bad-end");
	assert_non_null(strstr(html(), "not ended"));
	all_forms_are_sound();
}

static void a_stopped_run_says_resume_and_one_that_broke_off_blames_no_commit(void **state)
{
	(void)state;
	fixture_facts(s);
	store_set(s, "run.outcome", "stopped", &err);
	expect_text("The run was stopped before its end");
	expect_text("amdgpu-bisect resume");
	all_forms_are_sound();
	store_set(s, "run.outcome", "host", &err);
	expect_text("this machine failed, no commit did");
	all_forms_are_sound();
}

static void a_set_is_listed_with_its_reason(void **state)
{
	char a[COMMIT_ID_SIZE], b[COMMIT_ID_SIZE];
	_cleanup_free_ char *both = NULL;

	(void)state;
	fixture_facts(s);
	fixture_id(40, a);
	fixture_id(41, b);
	both = str_printf("%s %s", a, b);
	store_set(s, "set", both, &err);
	store_set(s, "set.why", "the commits between cannot be tested", &err);
	store_set(s, "run.outcome", "set", &err);
	expect_text("The first bad commit is one of 2");
	expect_text("the commits between cannot be tested");
	assert_null(strstr(out.data, "resume"));
	all_forms_are_sound();
}

static void an_end_that_is_not_what_was_claimed_names_it(void **state)
{
	char id[COMMIT_ID_SIZE];

	(void)state;
	fixture_facts(s);
	fixture_id(-1, id);
	store_set(s, "end.which", "good", &err);
	store_set(s, "end.commit", id, &err);
	store_set(s, "end.why", "it is bad", &err);
	store_set(s, "run.outcome", "end", &err);
	expect_text("the good end is not what was claimed");
	expect_text("it is bad");
	all_forms_are_sound();
}

static void hostile_text_stays_text_in_every_form(void **state)
{
	char id[COMMIT_ID_SIZE], subject[] = HOSTILE;
	struct store_verdict v = { .verdict = VERDICT_SKIP, .rule = "panic", .reason = HOSTILE };
	struct store_candidate c = { .subject = subject };
	int64_t trial;

	(void)state;
	fixture_id(1, c.id);
	fixture_id(1, id);
	assert_int_equal(store_add_candidates(s, &c, 1, &err), 0);
	store_begin(s, id, ROLE_SEARCH, &trial, &err);
	store_end(s, trial, &v, &err);
	store_set(s, "culprit.commit", id, &err);
	store_set(s, "culprit.subject", HOSTILE, &err);
	store_set(s, "repo", HOSTILE, &err);
	store_set(s, "set.why", HOSTILE, &err);
	store_set(s, "option.x", HOSTILE, &err);
	store_event(s, HOSTILE, &err, "%s", HOSTILE);
	for (const char *p = text(); *p; p++)
		assert_true(*p == '\n' || (unsigned char)*p >= ' ');
	assert_null(strstr(out.data, "\xe2\x80\xae"));
	assert_null(strchr(out.data, '\x7f'));
	assert_null(strstr(html(), "<script"));
	assert_null(strchr(out.data, '\x1b'));
	assert_non_null(
		strstr(out.data, "&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;q&quot;"));
	all_forms_are_sound();
}

static void an_id_that_is_none_is_damage_and_not_printed(void **state)
{
	int64_t trial;

	(void)state;
	store_begin(s, "<script>", ROLE_SEARCH, &trial, &err);
	assert_int_equal(report_html(s, &asked, &out, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_int_equal(out.len, 0);
}

static void fifty_thousand_candidates_make_a_page_that_opens(void **state)
{
	enum { MANY = 50000 };
	struct store_candidate *c = xcalloc(MANY, sizeof(*c));
	char subject[] = "drm/amdgpu: one of very many";

	(void)state;
	for (int i = 0; i < MANY; i++) {
		fixture_id(1000 + i, c[i].id);
		snprintf(c[i].id, 9, "%08x", i);
		c[i].id[8] = 'a';
		c[i].subject = subject;
		c[i].node = (uint32_t)i;
	}
	assert_int_equal(store_add_candidates(s, c, MANY, &err), 0);
	free(c);
	html();
	assert_true(out.len < 100000);
	text();
	assert_true(out.len < 10000);
}

/* The trial that a report shows of the culprit. */
static int64_t confirmed(void)
{
	_cleanup_free_ struct store_trial *t = NULL;
	int64_t ret = 0;
	size_t n;

	assert_int_equal(store_trials(s, &t, &n, &err), 0);
	for (size_t i = 0; i < n; i++)
		if (t[i].role == ROLE_CONFIRM)
			ret = t[i].trial;
	return ret;
}

static void what_the_kernels_probes_saw_is_told_in_every_form(void **state)
{
	struct wire_sample w[2] = { { .regime = REGIME_RW_RESIDENT,
				      .bytes = 8 << 20,
				      .extents = 4,
				      .resident = 4,
				      .present[0] = 15,
				      .pages_present = 2048,
				      .elapsed_ns = INT64_C(4060000000),
				      .evidence = true,
				      .hmm_calls = 4021,
				      .hmm_busy = 4017,
				      .driver_calls = 1,
				      .driver_ns = INT64_C(4007220000) } };
	const struct json *row;
	struct json *j;
	int64_t n;

	(void)state;
	fixture_proven(s);
	assert_null(strstr(text(), "kernel's probes"));
	assert_null(strstr(html(), "What the kernel saw"));
	w[1] = w[0];
	w[1].regime = REGIME_RW_ABSENT;
	w[1].resident = 0;
	w[1].present[0] = w[1].pages_present = 0;
	w[1].hmm_calls = 1;
	w[1].hmm_busy = w[1].driver_calls = 0;
	w[1].driver_ns = 0;
	w[1].profile_samples = 200;
	w[1].profile_inside = 3;
	assert_int_equal(store_kernel(s, confirmed(), w, 2, &err), 0);
	expect_text("  culprit ");
	expect_text("    rw-p resident     8 MiB          98.7 % inside, 4021 calls, 4017 of them "
		    "-EBUSY\n");
	expect_text("    rw-p not resident 8 MiB          1.5 % of 200 sampled stacks inside, 1 "
		    "call, 0 of them -EBUSY\n");
	assert_non_null(strstr(html(), "98.7 % inside, 4021 calls, 4017 of them -EBUSY"));
	j = json();
	row = json_at(json_get(json_at(json_get(j, "measurements"), 0), "kernel"), 0);
	assert_true(json_get_int(row, "hmm_calls", &n));
	assert_int_equal(n, 4021);
	assert_true(json_get_int(row, "hmm_busy", &n));
	assert_int_equal(n, 4017);
	assert_int_equal(json_len(json_get(json_at(json_get(j, "measurements"), 1), "kernel")), 0);
	json_destroy(j);
	all_forms_are_sound();
}

/* A trial that the user's rule judged: no copies, so no windows. */
static void own_trial(const char *id, enum store_role role, enum verdict v, const char *rule,
		      const char *reason)
{
	struct store_verdict e = { .verdict = v };
	int64_t trial;

	str_copy(e.rule, sizeof(e.rule), rule);
	str_copy(e.reason, sizeof(e.reason), reason);
	assert_int_equal(store_begin(s, id, role, &trial, &err), 0);
	assert_int_equal(store_end(s, trial, &e, &err), 0);
}

static void own_run_says(const char *rule, const char *by, const char *again, const char *bad,
			 const char *good)
{
	char culprit[COMMIT_ID_SIZE], parent[COMMIT_ID_SIZE];

	fixture_facts(s);
	fixture_id(FIXTURE_CULPRIT, culprit);
	fixture_id(FIXTURE_CULPRIT - 1, parent);
	assert_int_equal(store_set(s, "option.probe.exec", "./probe", &err), 0);
	assert_int_equal(store_set(s, "option.probe.rule", by, &err), 0);
	assert_int_equal(store_set(s, "probe.args", "exec probe; its rule", &err), 0);
	own_trial(culprit, ROLE_CONFIRM, VERDICT_BAD, rule, bad);
	own_trial(parent, ROLE_CONFIRM_PARENT, VERDICT_GOOD, rule, good);
	assert_int_equal(store_set(s, "culprit.commit", culprit, &err), 0);
	assert_int_equal(store_set(s, "culprit.parents", parent, &err), 0);
	assert_int_equal(store_set(s, "run.outcome", "proven", &err), 0);
	expect_text(bad);
	expect_text(good);
	expect_text("exec probe; its rule");
	assert_null(strstr(out.data, "windows"));
	expect_text(again);
	assert_non_null(strstr(html(), bad));
	assert_null(strstr(out.data, "windows of"));
	all_forms_are_sound();
}

static void the_command_to_go_on_has_the_band_of_the_run(void **state)
{
	char good[COMMIT_ID_SIZE];
	_cleanup_free_ char *want = NULL;

	(void)state;
	fixture_proven(s);
	expect_text("  amdgpu-bisect test --repo /home/kim/linux --memory 1024 e289ce12e3b5\n");
	fixture_id(-1, good);
	want = str_printf("test --repo '/a b' --memory 1024 --good %.12s e289ce12e3b5\n", good);
	assert_int_equal(store_set(s, "band.trial", "1", &err), 0);
	assert_int_equal(store_set(s, "repo", "/a b", &err), 0);
	expect_text(want);
	/* A program of the user's is held against nothing. */
	assert_int_equal(store_set(s, "option.probe.exec", "./probe", &err), 0);
	assert_null(strstr(text(), "--good"));
}

static void a_metric_is_told_in_the_place_of_windows(void **state)
{
	(void)state;
	own_run_says(
		"metric", "metric op_ms",
		"amdgpu-bisect run --no-prove --repo /home/kim/linux --rule 'metric op_ms' --good ",
		"op_ms median 12.6", "op_ms median 9.4");
}

static void an_exit_code_is_told_in_the_place_of_windows(void **state)
{
	(void)state;
	own_run_says("exit", "exit",
		     "amdgpu-bisect test --repo /home/kim/linux --memory 1024 e289ce12e3b5\n",
		     "exit code 3", "exit code 0");
}

static void a_line_of_the_console_is_told_in_the_place_of_windows(void **state)
{
	(void)state;
	own_run_says("console", "console /it's/",
		     "amdgpu-bisect test --repo /home/kim/linux --memory 1024 e289ce12e3b5\n",
		     "ring gfx timeout", "no such line");
}

static void a_test_by_itself_has_ended_with_its_trial(void **state)
{
	char id[COMMIT_ID_SIZE];

	(void)state;
	fixture_id(3, id);
	assert_int_equal(store_set(s, "test.commit", id, &err), 0);
	expect_text("The run has not ended");
	expect_text("a test by itself is made again");
	assert_null(strstr(out.data, "resume"));
	assert_null(strstr(html(), "resume"));
	own_trial(id, ROLE_TEST, VERDICT_NONE, "table", "samples of a sweep");
	expect_text("The commit tested was measured and not judged");
	assert_null(strstr(out.data, "resume"));
	assert_non_null(strstr(html(), "The commit tested was measured and not judged"));
	own_trial(id, ROLE_TEST, VERDICT_HOST, "libvirt", "no guest");
	expect_text("The run has not ended");
	own_trial(id, ROLE_TEST, VERDICT_SKIP, "build", "does not build");
	expect_text("The commit tested is skip");
	assert_null(strstr(out.data, "resume"));
	assert_null(strstr(out.data, "commits are candidates"));
	assert_non_null(strstr(html(), "The commit tested is skip"));
	assert_int_equal(store_set(s, "option.probe.exec", "./probe", &err), 0);
	assert_int_equal(store_set(s, "probe.args", "exec probe; rule console warn", &err), 0);
	expect_text("exec probe; rule console warn");
	assert_non_null(strstr(html(), "exec probe; rule console warn"));
	all_forms_are_sound();
}

/* Copies of a sweep, and of a test that was not sure, as the trial left them. */
static void copies_that_were_not_judged_have_their_table(void **state)
{
	static const enum verdict unsure[] = { VERDICT_NONE, VERDICT_WEAK };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(unsure); i++) {
		struct store_verdict v = { .verdict = unsure[i] };
		struct wire_sample w = { .regime = REGIME_RW_RESIDENT,
					 .bytes = 8 << 20,
					 .elapsed_ns = 3016 * NS_PER_MS,
					 .extents = 4,
					 .resident = 3 };
		char id[COMMIT_ID_SIZE];
		const struct json *m;
		struct json *j;
		int64_t trial;

		fixture_id(3 + (int)i, id);
		assert_int_equal(store_set(s, "test.commit", id, &err), 0);
		assert_int_equal(store_begin(s, id, ROLE_TEST, &trial, &err), 0);
		assert_int_equal(store_samples(s, trial, &w, 1, &err), 0);
		assert_int_equal(store_end(s, trial, &v, &err), 0);
		expect_text("  tested   ");
		expect_text("8 MiB");
		expect_text("3016 ms");
		assert_non_null(strstr(html(), "Copies against the prediction"));
		assert_non_null(strstr(out.data, ">3 of 3<"));
		j = json();
		m = json_at(json_get(j, "measurements"), 0);
		assert_string_equal(json_get_str(m, "part"), "tested");
		assert_string_equal(json_get_str(m, "commit"), id);
		assert_int_equal(json_len(json_get(m, "rows")), 1);
		json_destroy(j);
		all_forms_are_sound();
	}
}

static void who_tried_a_commit_is_told_where_there_are_several(void **state)
{
	char id[COMMIT_ID_SIZE];
	int64_t trial;

	(void)state;
	fixture_proven(s);
	assert_int_equal(store_place(s, 1, "worker 1, 0000:03:00.0", &err), 0);
	assert_null(strstr(text(), "worker 1"));
	fixture_id(2, id);
	assert_int_equal(store_begin(s, id, ROLE_SEARCH, &trial, &err), 0);
	assert_int_equal(store_place(s, trial, "worker 2, 0000:44:00.0", &err), 0);
	assert_int_equal(
		store_end(s, trial, &(struct store_verdict){ .verdict = VERDICT_GOOD }, &err), 0);
	expect_text("                 on worker 1, 0000:03:00.0\n");
	expect_text("                 on worker 2, 0000:44:00.0\n");
	json_destroy(json());
	assert_non_null(strstr(out.data, "\"where\":\t\"worker 2, 0000:44:00.0\""));
	all_forms_are_sound();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_proven_run_reads_as_the_stored_text),
		TEST(json_names_the_culprit_and_its_proof),
		TEST(a_corner_is_shown_only_by_a_trial_made_for_it),
		TEST(one_parent_that_fails_fails_the_corner),
		TEST(what_the_kernels_probes_saw_is_told_in_every_form),
		TEST(the_command_to_go_on_has_the_band_of_the_run),
		TEST(a_metric_is_told_in_the_place_of_windows),
		TEST(an_exit_code_is_told_in_the_place_of_windows),
		TEST(a_line_of_the_console_is_told_in_the_place_of_windows),
		TEST(a_test_by_itself_has_ended_with_its_trial),
		TEST(who_tried_a_commit_is_told_where_there_are_several),
		TEST(copies_that_were_not_judged_have_their_table),
		TEST(an_empty_run_is_reported_as_one_that_has_not_ended),
		TEST(a_run_under_way_says_so_and_what_is_left),
		TEST(a_stopped_run_says_resume_and_one_that_broke_off_blames_no_commit),
		TEST(a_set_is_listed_with_its_reason),
		TEST(an_end_that_is_not_what_was_claimed_names_it),
		TEST(hostile_text_stays_text_in_every_form),
		TEST(an_id_that_is_none_is_damage_and_not_printed),
		TEST(fifty_thousand_candidates_make_a_page_that_opens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
