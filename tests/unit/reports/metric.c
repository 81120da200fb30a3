// SPDX-License-Identifier: GPL-2.0-or-later
/* A run by a metric of the user's, in each form. Its figures are those of a real one: a delay of a third, in emulated guests. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "fixture.h"
#include "forms.h"
#include "reports/mail/mail.h"
#include "judge/gap.h"

#define RUNS 15

static const double good_end[RUNS] = { 17.669, 9.587,  9.539, 9.806,  9.726, 9.735, 9.648, 10.107,
				       9.541,  10.253, 9.521, 10.560, 9.089, 9.184, 9.192 };
static const double bad_end[RUNS] = { 14.443, 12.096, 12.305, 15.367, 12.578,
				      12.554, 13.346, 12.792, 13.122, 13.548,
				      13.816, 13.381, 12.624, 12.225, 12.542 };
static const double worse[RUNS] = { 18.114, 12.259, 12.451, 12.752, 12.552, 12.109, 12.149, 12.256,
				    12.003, 12.258, 12.663, 12.310, 12.136, 12.557, 12.758 };
static const double well[RUNS] = { 12.927, 9.660, 9.159, 9.073, 9.038, 9.723, 9.788, 9.813,
				   9.250,  9.175, 9.165, 9.746, 9.200, 9.457, 9.842 };
static const double culprit[RUNS] = { 17.642, 12.960, 13.077, 12.628, 12.348,
				      12.832, 11.958, 12.770, 12.090, 11.973,
				      12.051, 11.929, 12.774, 12.736, 12.238 };
static const double parent[RUNS] = { 12.937, 8.883, 9.947, 9.741,  9.479, 9.148, 9.718, 9.932,
				     9.411,  9.423, 9.550, 10.072, 9.042, 8.907, 9.255 };

/* One trial whose program printed these; NULL: it did not come to its runs. */
static int64_t trial(int node, enum store_role role, enum verdict v, const double *ms)
{
	struct store_run runs[RUNS] = { 0 };
	struct store_own own = { .console = (char *)"",
				 .said = (char *)"",
				 .ended = (char *)(ms ? "" : "no-boot"),
				 .why = (char *)"" };
	struct store_verdict e = { .verdict = v };
	char id[COMMIT_ID_SIZE];
	int64_t ret;

	for (size_t i = 0; ms && i < RUNS; i++)
		runs[i].output = str_printf("{\"metrics\":{\"op_ms\":%.3f}}", ms[i]);
	own.runs = runs;
	own.n_runs = ms ? RUNS : 0;
	fixture_id(node, id);
	str_copy(e.rule, sizeof(e.rule), ms ? "metric" : "no-boot");
	str_copy(e.reason, sizeof(e.reason), ms ? "what the rule said" : "no answer for 60 s");
	assert_int_equal(store_begin(s, id, role, &ret, &err), 0);
	assert_int_equal(store_stage(s, ret, "probe", 1700 * NS_PER_MS, NULL, &err), 0);
	assert_int_equal(store_own(s, ret, &own, &err), 0);
	assert_int_equal(store_end(s, ret, &e, &err), 0);
	for (size_t i = 0; i < RUNS; i++)
		free(runs[i].output);
	return ret;
}

static void fact(const char *key, const char *value)
{
	assert_int_equal(store_set(s, key, value, &err), 0);
}

static void asks(const char *rules)
{
	fixture_facts(s);
	fact("option.probe.exec", "/home/kim/my test");
	fact("option.probe.execargs", "--size 8");
	fact("option.probe.rule", rules);
	fact("option.probe.repeats", "3");
	fact("option.build.scope", "module");
	fact("probe.args", "exec my test --size 8; 15 runs; rule metric op_ms;");
}

static void name_culprit(const char *parents)
{
	char id[COMMIT_ID_SIZE];

	fixture_id(FIXTURE_CULPRIT, id);
	fact("culprit.commit", id);
	fact("culprit.parents", parents);
	fact("run.outcome", "proven");
}

/* From its ends to a culprit that was tried once more, with its parent. */
static void proven_by(const char *rules)
{
	char id[COMMIT_ID_SIZE];

	asks(rules);
	trial(-1, ROLE_GOOD_END, VERDICT_GOOD, good_end);
	trial(63, ROLE_BAD_END, VERDICT_BAD, bad_end);
	trial(47, ROLE_SEARCH, VERDICT_BAD, worse);
	trial(31, ROLE_SEARCH, VERDICT_GOOD, well);
	trial(39, ROLE_SEARCH, VERDICT_SKIP, NULL);
	trial(FIXTURE_CULPRIT, ROLE_SEARCH, VERDICT_BAD, worse);
	trial(40, ROLE_SEARCH, VERDICT_GOOD, well);
	trial(FIXTURE_CULPRIT, ROLE_CONFIRM, VERDICT_BAD, culprit);
	trial(40, ROLE_CONFIRM_PARENT, VERDICT_GOOD, parent);
	fixture_id(40, id);
	name_culprit(id);
}

static void a_run_by_a_metric_reads_as_the_stored_text(void **state)
{
	_cleanup_free_ char *want = NULL;

	(void)state;
	proven_by("metric op_ms");
	assert_int_equal(fs_read(HERE "/metric.txt", 1 << 20, &want, NULL, &err), 0);
	if (strcmp(text(), want) != 0)
		print_error("%s", out.data);
	assert_string_equal(out.data, want);
}

static void assert_num(const struct json *obj, const char *key, const char *want)
{
	_cleanup_free_ char *is = json_text(json_get(obj, key), false);

	assert_string_equal(is, want);
}

static void the_command_to_go_on_measures_culprit_and_parents(void **state)
{
	char a[COMMIT_ID_SIZE], b[COMMIT_ID_SIZE], c[COMMIT_ID_SIZE];
	_cleanup_free_ char *both = NULL, *want = NULL, *fix = NULL;

	(void)state;
	fixture_id(40, a);
	fixture_id(33, b);
	fixture_id(FIXTURE_CULPRIT, c);
	both = str_printf("%s %s", a, b);
	proven_by("metric op_ms\nconsole warn");
	name_culprit(both);
	want = str_printf(
		"  amdgpu-bisect run --no-prove --repo /home/kim/linux --rule 'metric op_ms' "
		"--good %.12s --good %.12s --bad %.12s\n",
		a, b, c);
	expect_text(want);
	fact("culprit.carried", b);
	fact("option.bisect.find", "fix");
	fix = str_printf(" --find fix --bad %.12s --good %.12s\n", a, c);
	expect_text(fix);
	fact("culprit.parents", NULL);
	assert_null(strstr(text(), "amdgpu-bisect run --no-prove"));
}

static void json_has_every_figure(void **state)
{
	const struct json *m, *row, *figures, *trials;
	struct json *j;
	int64_t n;

	(void)state;
	proven_by("metric op_ms");
	j = json();
	m = json_get(j, "metric");
	assert_string_equal(json_get_str(m, "name"), "op_ms");
	assert_string_equal(json_get_str(m, "unit"), "ms");
	assert_string_equal(json_get_str(m, "worse"), "higher");
	assert_num(m, "apart", "true");
	assert_int_equal(json_len(json_get(m, "rows")), 4);
	row = json_at(json_get(m, "rows"), 0);
	assert_string_equal(json_get_str(row, "part"), "culprit");
	assert_string_equal(json_get_str(row, "like"), "bad");
	figures = json_get(row, "figures");
	assert_true(json_get_int(figures, "runs", &n));
	assert_int_equal(n, RUNS);
	assert_num(figures, "least", "11.929");
	assert_num(figures, "low", "12.051");
	assert_num(figures, "median", "12.628");
	assert_num(figures, "high", "12.832");
	assert_num(figures, "most", "17.642");
	assert_string_equal(json_get_str(json_at(json_get(m, "rows"), 1), "like"), "good");
	trials = json_get(json_at(json_get(j, "candidates"), 39), "trials");
	assert_num(json_at(trials, 0), "metric", "null");
	trials = json_get(json_at(json_get(j, "candidates"), 31), "trials");
	figures = json_get(json_at(trials, 0), "metric");
	assert_int_equal(json_len(json_get(figures, "values")), RUNS);
	json_destroy(j);
}

static void each_parent_of_a_merge_says_what_was_seen(void **state)
{
	char a[COMMIT_ID_SIZE], b[COMMIT_ID_SIZE];
	_cleanup_free_ char *both = NULL, *of_a = NULL, *of_b = NULL;
	const struct json *seen;
	struct json *j;

	(void)state;
	proven_by("metric op_ms");
	trial(33, ROLE_CONFIRM_PARENT, VERDICT_GOOD, well);
	fixture_id(40, a);
	fixture_id(33, b);
	both = str_printf("%s %s", a, b);
	name_culprit(both);
	of_a = str_printf("%.12s: op_ms is 9.148 to 9.932, median 9.479 in 15 runs, trial 9", a);
	of_b = str_printf("%.12s: op_ms is 9.165 to 9.788, median 9.457 in 15 runs, trial 10", b);
	expect_text(of_a);
	expect_text(of_b);
	expect_text("in its parents:");
	assert_non_null(strstr(html(), of_a));
	assert_non_null(strstr(out.data, of_b));
	j = json();
	seen = json_get(json_get(json_get(json_get(j, "culprit"), "proof"), "parents_good"),
			"seen");
	assert_int_equal(json_len(seen), 2);
	assert_string_equal(json_get_str(json_at(seen, 0), "commit"), a);
	assert_string_equal(json_get_str(json_at(seen, 1), "commit"), b);
	assert_int_equal(json_len(json_get(json_get(j, "metric"), "rows")), 5);
	json_destroy(j);
}

static void ends_that_overlap_are_shown_beside_each_other(void **state)
{
	char id[COMMIT_ID_SIZE];
	struct json *j;

	(void)state;
	asks("metric op_ms");
	trial(-1, ROLE_GOOD_END, VERDICT_GOOD, good_end);
	trial(63, ROLE_BAD_END, VERDICT_WEAK, well);
	trial(63, ROLE_BAD_END, VERDICT_SKIP, parent);
	fixture_id(63, id);
	fact("end.which", "bad");
	fact("end.commit", id);
	fact("end.why", "the ends cannot be told apart by op_ms");
	fact("run.outcome", "end");
	expect_text("  good-end");
	expect_text("  bad-end");
	expect_text("9.148 to 9.932");
	expect_text("The ranges of the ends overlap: they cannot be told apart by op_ms.");
	j = json();
	assert_num(json_get(j, "metric"), "apart", "false");
	assert_num(json_get(j, "metric"), "worse", "null");
	json_destroy(j);
	all_forms_are_sound();
}

/* What all others were held against, and not what an end was tried as before or afterwards. */
static void an_end_is_its_first_trial_that_bears_it_out(void **state)
{
	struct json *j;

	(void)state;
	asks("metric op_ms");
	trial(-1, ROLE_GOOD_END, VERDICT_GOOD, good_end);
	trial(63, ROLE_BAD_END, VERDICT_WEAK, well);
	trial(63, ROLE_BAD_END, VERDICT_BAD, bad_end);
	trial(62, ROLE_BAD_END, VERDICT_BAD, parent);
	trial(30, ROLE_GOOD_END, VERDICT_GOOD, worse);
	j = json();
	assert_num(json_get(j, "metric"), "apart", "true");
	assert_string_equal(json_get_str(json_get(j, "metric"), "worse"), "higher");
	json_destroy(j);
	expect_text("  good-end  f193cab341    15      9.089      9.648");
	expect_text("  bad-end   627b689f87    15       12.1      12.79");
}

static void a_mail_has_the_figures_and_the_command(void **state)
{
	struct mail_source source = { .date_s = 1787302800, .asked = &asked };
	char id[COMMIT_ID_SIZE], p[COMMIT_ID_SIZE];
	_cleanup_free_ char *command = NULL;

	(void)state;
	proven_by("metric op_ms");
	fixture_id(FIXTURE_CULPRIT, id);
	fixture_id(40, p);
	command = str_printf("--rule 'metric op_ms' --good %s --bad %s\n", p, id);
	for (enum mail_kind k = MAIL_REGRESSION; k < MAIL_KINDS; k++) {
		if (k == MAIL_STABLE) /* asks for a repair, and none is shown here */
			continue;
		buf_deinit(&out);
		assert_int_equal(report_mail(s, k, &source, &out, &err), 0);
		assert_non_null(strstr(out.data, "culprit   e289ce12e3    15"));
		assert_non_null(strstr(out.data, "12.05 to 12.83"));
		assert_non_null(strstr(out.data, "parent    e492a64d98    15"));
		assert_non_null(
			strstr(out.data, "\nThe ranges of the ends do not overlap: higher"));
		assert_non_null(strstr(out.data, command));
		for (const char *l = out.data, *end; (end = strchr(l, '\n')); l = end + 1)
			if (end - l > 75 && strncmp(l, "  amdgpu-bisect ", 16) != 0)
				fail_msg("long line: %.*s", (int)(end - l), l);
	}
}

/* Where a commit's bar is in the page; the picture names it before its figures. */
static const char *bar_of(int node, const char *after)
{
	char id[COMMIT_ID_SIZE];
	_cleanup_free_ char *title = NULL;
	const char *at;

	fixture_id(node, id);
	title = str_printf("<g><title>%.12s ", id);
	at = strstr(after, title);
	if (!at)
		fail_msg("no bar of %.12s where it should be", id);
	return at;
}

static size_t count(const char *where, const char *what)
{
	size_t n = 0;

	for (const char *at = where; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

/* A good trial of a commit that was not booted, since it builds to what another did. */
static void same_as(int node, enum store_role role, int other)
{
	static const struct store_verdict good = { .verdict = VERDICT_GOOD, .rule = "metric" };
	char id[COMMIT_ID_SIZE];
	int64_t trial;

	fixture_id(node, id);
	assert_int_equal(store_begin(s, id, role, &trial, &err), 0);
	fixture_id(other, id);
	assert_int_equal(store_same(s, trial, id, &err), 0);
	assert_int_equal(store_end(s, trial, &good, &err), 0);
}

static void the_picture_has_a_bar_for_each_commit_down_the_history(void **state)
{
	static const int order[] = { -1, 31, 36, 40, FIXTURE_CULPRIT, 47, 63, 100 };
	const char *at;

	(void)state;
	proven_by("metric op_ms");
	/* Not booted, since it builds to what another did: its figures are the other's. */
	same_as(36, ROLE_SEARCH, 31);
	trial(100, ROLE_TIP_WITHOUT, VERDICT_GOOD, well);
	at = strstr(html(), "aria-label=\"What each commit measured");
	assert_non_null(at);
	for (size_t i = 0; i < ARRAY_SIZE(order); i++)
		at = bar_of(order[i], at);
	assert_non_null(strstr(bar_of(36, out.data), "median 9.457"));
	assert_int_equal(count(out.data, "<g><title>"), ARRAY_SIZE(order));
	assert_int_equal(count(out.data, "class=\"band "), 2);
	assert_non_null(strstr(out.data, "made for the proof"));
	assert_non_null(strstr(out.data, "4 not measured"));
	/* One disturbed run of the culprit does not bend the axis: it is beyond it. */
	assert_non_null(strstr(out.data, "<path class=\"whisker\""));
	all_forms_are_sound();
}

static void a_run_without_a_metric_has_no_figures(void **state)
{
	struct json *j;

	(void)state;
	proven_by("console warn");
	assert_null(strstr(text(), "The metric"));
	j = json();
	assert_num(j, "metric", "null");
	json_destroy(j);
}

/* What is stored came from a guest, or from a file that anybody wrote. */
static void rules_and_figures_that_are_none_are_left_out(void **state)
{
	static const double huge[RUNS] = { -1e15, 1e15, 1e-300, 0, -0.0, 1e14, 123456, 1234567.8 };

	(void)state;
	proven_by("metric op_ms");
	trial(50, ROLE_SEARCH, VERDICT_BAD, huge);
	all_forms_are_sound();
	fact("option.probe.rule", "\n\nmetric\nconsole /(/");
	assert_null(strstr(text(), "The metric"));
	fact("option.probe.rule", "metric other_ms");
	expect_text("the trial measured nothing");
	fact("option.probe.rule", "metric " HOSTILE);
	assert_null(strstr(html(), "<script"));
	all_forms_are_sound();
}

static void a_rate_has_no_unit_of_time(void **state)
{
	struct json *j;

	(void)state;
	asks("metric mib_per_s");
	j = json();
	assert_string_equal(json_get_str(json_get(j, "metric"), "name"), "mib_per_s");
	assert_null(json_get_str(json_get(j, "metric"), "unit"));
	json_destroy(j);
}

/* Half a millisecond apart in a million: four digits would make one of them. */
static void figures_and_ticks_that_differ_are_printed_so(void **state)
{
	double low[RUNS], high[RUNS];
	struct mail_source source = { .date_s = 1787302800 };
	char out_id[COMMIT_ID_SIZE];
	const char *at;

	(void)state;
	for (size_t i = 0; i < RUNS; i++) {
		low[i] = 1234567.10 + 0.01 * (double)i;
		high[i] = 1234567.60 + 0.01 * (double)i;
	}
	asks("metric op_ms");
	trial(-1, ROLE_GOOD_END, VERDICT_GOOD, low);
	trial(63, ROLE_BAD_END, VERDICT_BAD, high);
	trial(FIXTURE_CULPRIT, ROLE_CONFIRM, VERDICT_BAD, high);
	trial(40, ROLE_CONFIRM_PARENT, VERDICT_GOOD, low);
	fixture_id(40, out_id);
	name_culprit(out_id);
	expect_text("1234567.17");
	expect_text("1234567.67");
	all_forms_are_sound();
	at = strstr(html(), "<text class=\"tick\"");
	assert_non_null(at);
	assert_non_null(strstr(at, ">1234567.2<"));
	assert_non_null(strstr(at, ">1234567.4<"));
	buf_deinit(&out);
	assert_int_equal(report_mail(s, MAIL_REGRESSION, &source, &out, &err), 0);
	for (const char *l = out.data, *end; (end = strchr(l, '\n')); l = end + 1)
		if (end - l > 75 && strncmp(l, "  amdgpu-bisect ", 16) != 0)
			fail_msg("long line: %.*s", (int)(end - l), l);
}

static void runs_without_a_number_are_counted(void **state)
{
	double some[RUNS];

	(void)state;
	for (size_t i = 0; i < RUNS; i++)
		some[i] = i % 3 ? 9.5 : NAN;
	proven_by("metric op_ms");
	trial(40, ROLE_CONFIRM_PARENT, VERDICT_GOOD, some);
	expect_text("the trial measured nothing: 5 of 15 runs gave no number");
	assert_non_null(strstr(html(), "5 of 15 runs gave no number"));
	all_forms_are_sound();
}

static void equal_artifacts_have_equal_rows(void **state)
{
	(void)state;
	proven_by("metric op_ms");
	same_as(40, ROLE_CONFIRM_PARENT, 31);
	expect_text("  parent    e492a64d98    15      9.038      9.457");
}

static void commits_that_the_picture_has_no_room_for_are_counted(void **state)
{
	(void)state;
	proven_by("metric op_ms");
	for (int i = 200; i < 320; i++)
		trial(i, ROLE_TIP, VERDICT_GOOD, well);
	assert_non_null(strstr(html(), "6 more commits have figures and no room"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_run_by_a_metric_reads_as_the_stored_text),
		TEST(the_command_to_go_on_measures_culprit_and_parents),
		TEST(json_has_every_figure),
		TEST(each_parent_of_a_merge_says_what_was_seen),
		TEST(ends_that_overlap_are_shown_beside_each_other),
		TEST(an_end_is_its_first_trial_that_bears_it_out),
		TEST(a_mail_has_the_figures_and_the_command),
		TEST(the_picture_has_a_bar_for_each_commit_down_the_history),
		TEST(figures_and_ticks_that_differ_are_printed_so),
		TEST(runs_without_a_number_are_counted),
		TEST(equal_artifacts_have_equal_rows),
		TEST(commits_that_the_picture_has_no_room_for_are_counted),
		TEST(a_rate_has_no_unit_of_time),
		TEST(a_run_without_a_metric_has_no_figures),
		TEST(rules_and_figures_that_are_none_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
