// SPDX-License-Identifier: GPL-2.0-or-later
/* The user's rules: how they are written, and what each makes of a trial. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "judge/rule.h"

static struct err err;

static struct rules parsed(const char *a, const char *b)
{
	const char *const texts[] = { a, b };
	struct rules r = { 0 };

	if (rules_parse(texts, b ? 2 : a ? 1 : 0, &r, &err) < 0)
		fail_msg("%s", err.msg);
	return r;
}

static struct rule_verdict judged(const char *a, const char *b, struct rule_facts f)
{
	struct rules r = parsed(a, b);
	struct rule_verdict v;

	if (!f.note)
		f.note = "";
	if (!f.console)
		f.console = "";
	rules_judge(&r, &f, &v);
	rules_deinit(&r);
	return v;
}

static void assert_judged(struct rule_verdict got, enum verdict v, const char *rule,
			  const char *words)
{
	if (got.verdict != v || strcmp(got.rule, rule) != 0 || !strstr(got.reason, words))
		fail_msg("%s by %s: %s; want %s by %s with '%s'", verdict_name(got.verdict),
			 got.rule, got.reason, verdict_name(v), rule, words);
}

static void what_is_no_rule_is_refused_and_named(void **state)
{
	static const char *const texts[] = {
		"",
		"exits",
		"exit 1",
		"metric",
		"metric two words",
		"metric a/b",
		"console",
		"console nonsense",
		"console /(/",
		"console //",
		"console /(a)\\1/",
		"name:",
		"bad name: exit",
	};
	struct rules r;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		err.msg[0] = '\0';
		if (rules_parse(&texts[i], 1, &r, &err) == 0)
			fail_msg("'%s' was taken", texts[i]);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.msg, texts[i]));
	}
}

static void a_second_metric_and_a_ninth_rule_are_refused(void **state)
{
	const char *const metrics[] = { "metric a", "metric b" };
	const char *const many[] = { "exit", "exit", "exit", "exit", "exit",
				     "exit", "exit", "exit", "exit" };
	struct rules r;

	(void)state;
	assert_int_equal(rules_parse(metrics, 2, &r, &err), -1);
	assert_int_equal(rules_parse(many, 9, &r, &err), -1);
	assert_int_equal(rules_parse(many, 8, &r, &err), 0);
	rules_deinit(&r);
}

static void rules_are_called_by_their_names(void **state)
{
	struct rules r = parsed("my-rule: console  /a: b/", "console WARN");

	(void)state;
	assert_string_equal(r.items[0].name, "my-rule");
	assert_string_equal(r.items[0].what, "/a: b/");
	assert_string_equal(r.items[1].name, "warn");
	rules_deinit(&r);
	r = parsed(NULL, NULL);
	assert_int_equal(r.n, 1);
	assert_int_equal(r.items[0].kind, RULE_EXIT);
	rules_deinit(&r);
}

static void exit_codes_are_those_of_git_bisect(void **state)
{
	static const struct {
		int code;
		enum verdict is;
		const char *rule;
	} cases[] = {
		{ 0, VERDICT_GOOD, "exit" },	       { 1, VERDICT_BAD, "exit" },
		{ 124, VERDICT_BAD, "exit" },	       { 125, VERDICT_SKIP, "exit-skip" },
		{ 126, VERDICT_SKIP, "exit-not-run" }, { 127, VERDICT_SKIP, "exit-not-run" },
		{ 128, VERDICT_SKIP, "exit-signal" },  { 139, VERDICT_SKIP, "exit-signal" },
		{ 255, VERDICT_SKIP, "exit-signal" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct rule_run runs[] = { { 0, "" }, { cases[i].code, "" } };

		assert_judged(judged(NULL, NULL,
				     (struct rule_facts){ .runs = runs, .n = 2, .note = "why" }),
			      cases[i].is, cases[i].rule, cases[i].code ? "why" : "2 runs");
	}
}

static void a_code_that_no_rule_is_for_is_a_skip(void **state)
{
	const struct rule_run run = { 1, "" };

	(void)state;
	assert_judged(judged("console warn", NULL, (struct rule_facts){ .runs = &run, .n = 1 }),
		      VERDICT_SKIP, "exit-failed", "no rule is for exit codes");
	assert_judged(judged("console warn", "exit", (struct rule_facts){ .runs = &run, .n = 1 }),
		      VERDICT_BAD, "exit", "ended with 1");
}

/* As real kernels have said them: each is found by its own preset and by no other. */
static void presets_know_what_kernels_say(void **state)
{
	static const struct {
		const char *preset, *line;
	} cases[] = {
		{ "oops", "BUG: kernel NULL pointer dereference, address: 0000000000000008" },
		{ "oops", "BUG: unable to handle page fault for address: ffffffffc0a1b000" },
		{ "oops", "kernel BUG at mm/slub.c:419!" },
		{ "oops", "Oops: 0002 [#1] PREEMPT SMP PTI" },
		{ "warn", "WARNING: CPU: 0 PID: 83 at drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c:181 "
			  "amdgpu_hmm_range_get_pages+0x33/0x1d0 [mirror]" },
		{ "warn", "WARNING: CPU: 3 PID: 1 at amdgpu_init+0x5/0x9" },
		{ "warn", "WARNING: drivers/gpu/drm/amd/amdgpu/amdgpu_hmm.c:181 at "
			  "amdgpu_hmm_range_get_pages+0x33/0x1d0, CPU#0: probe/83" },
		{ "warn", "WARNING: at amdgpu_init+0x5/0x9, CPU#0: insmod/83" },
		{ "panic", "Kernel panic - not syncing: Fatal exception" },
		{ "hung-task", "INFO: task kworker/0:1:12 blocked for more than 20 seconds." },
		{ "lockup", "watchdog: BUG: soft lockup - CPU#0 stuck for 23s! [probe:83]" },
		{ "lockup", "rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:" },
		{ "lockdep", "WARNING: possible circular locking dependency detected" },
		{ "lockdep", "WARNING: inconsistent lock state" },
		{ "lockdep", "WARNING: suspicious RCU usage" },
		{ "lockdep", "WARNING: HARDIRQ-safe -> HARDIRQ-unsafe lock order detected" },
		{ "lockdep", "[ BUG: Invalid wait context ]" },
		{ "kasan",
		  "BUG: KASAN: slab-use-after-free in amdgpu_bo_unref+0x1c/0x40 [amdgpu]" },
		{ "ubsan", "UBSAN: array-index-out-of-bounds in drivers/gpu/drm/amd/x.c:12:3" },
		{ "refcount", "refcount_t: underflow; use-after-free." },
		{ "gpu-hang", "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, "
			      "signaled seq=1, emitted seq=3" },
		{ "gpu-hang", "amdgpu 0000:03:00.0: amdgpu: GPU reset begin!" },
	};
	_cleanup_free_ char *all = xstrdup(rule_presets());
	char *save = NULL;

	(void)state;
	for (char *p = strtok_r(all, "|", &save); p; p = strtok_r(NULL, "|", &save)) {
		_cleanup_free_ char *text = str_printf("console %s", p);
		unsigned int own = 0;

		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			struct rule_verdict v =
				judged(text, NULL, (struct rule_facts){ .console = cases[i].line });
			bool is_own = strcmp(cases[i].preset, p) == 0;

			own += is_own;
			if ((v.verdict == VERDICT_BAD) != is_own)
				fail_msg("%s, and '%s' is %s", p, cases[i].line,
					 verdict_name(v.verdict));
		}
		if (!own)
			fail_msg("no line for %s", p);
	}
}

static void the_line_that_shows_is_the_reason(void **state)
{
	const struct rule_run run = { 0, "" };
	const struct rule_facts f = { .runs = &run,
				      .n = 1,
				      .console = "quiet\nmy driver: lost 3 buffers\nquiet\n" };

	(void)state;
	assert_judged(judged("lost: console /lost [0-9]+ buf/", NULL, f), VERDICT_BAD, "lost",
		      "my driver: lost 3 buffers");
	assert_judged(judged("lost: console /^lost/", NULL, f), VERDICT_GOOD, "lost",
		      "nothing that a rule names");
}

static void a_panic_that_a_rule_names_is_bad_and_any_other_a_skip(void **state)
{
	const struct rule_facts f = {
		.console = "Kernel panic - not syncing: lost buffers\n",
		.ended = "panic",
		.why = "Kernel panic - not syncing: lost buffers",
	};

	(void)state;
	assert_judged(judged("console panic", NULL, f), VERDICT_BAD, "panic", "ended as panic");
	assert_judged(judged("console /lost buffers/", NULL, f), VERDICT_BAD, "console",
		      "lost buffers");
	assert_judged(judged("console warn", NULL, f), VERDICT_SKIP, "panic", "lost buffers");
	assert_judged(judged("exit", NULL, f), VERDICT_SKIP, "panic", "lost buffers");
}

/* Of @n runs, from @least on in steps of 1 %. */
static struct rule_run *metric_runs(double least, size_t n, char text[][64])
{
	static struct rule_run runs[GAP_RUNS_MAX];

	for (size_t i = 0; i < n; i++) {
		snprintf(text[i], 64, "{\"metrics\":{\"other\":1,\"ms\":%g}}",
			 least * (1 + 0.01 * (double)i));
		runs[i] = (struct rule_run){ 0, text[i] };
	}
	return runs;
}

static struct spread spread(double least, size_t n)
{
	char text[GAP_RUNS_MAX][64];
	struct rules r = parsed("metric ms", NULL);
	struct spread s;

	assert_int_equal(rules_spread(&r, metric_runs(least, n, text), n, &s, &err), 0);
	rules_deinit(&r);
	return s;
}

static struct rule_verdict metric(double least, enum rule_end claimed, const struct gap_ends *ends)
{
	char text[GAP_RUNS_MAX][64];

	return judged("metric ms", NULL,
		      (struct rule_facts){ .runs = metric_runs(least, 15, text),
					   .n = 15,
					   .claimed = claimed,
					   .ends = ends });
}

static void the_ends_say_what_good_and_bad_are(void **state)
{
	struct gap_ends ends = { .good = spread(10, 15) };

	(void)state;
	assert_judged(metric(10, RULE_END_GOOD, NULL), VERDICT_GOOD, "metric",
		      "what the good end has");
	assert_judged(metric(13, RULE_END_BAD, &ends), VERDICT_BAD, "metric", "higher is worse");
	assert_judged(metric(7, RULE_END_BAD, &ends), VERDICT_BAD, "metric", "lower is worse");
	assert_judged(metric(10.2, RULE_END_BAD, &ends), VERDICT_WEAK, "metric-overlap",
		      "10.3 to 11.1, median 10.7 at the good end");
	assert_judged(metric(10.2, RULE_END_GOOD, &ends), VERDICT_GOOD, "metric",
		      "the first good end's");
	assert_judged(metric(13, RULE_END_GOOD, &ends), VERDICT_WEAK, "metric-overlap",
		      "two good ends differ");
	assert_judged(metric(13, RULE_END_NONE, NULL), VERDICT_WEAK, "metric-without-ends",
		      "no good end");
	ends.bad = spread(13, 15);
	assert_judged(metric(10.2, RULE_END_NONE, &ends), VERDICT_GOOD, "metric", "in 15 runs");
	assert_judged(metric(13.5, RULE_END_NONE, &ends), VERDICT_BAD, "metric", "bad end 13.39");
	assert_judged(metric(11.5, RULE_END_NONE, &ends), VERDICT_WEAK, "metric-between",
		      "middle of the gap");
}

static void a_run_without_the_metric_is_a_skip(void **state)
{
	static const struct {
		const char *line, *words;
	} cases[] = {
		{ "", "run 2 has no metrics" },
		{ "done", "run 2 has no metrics" },
		{ "{\"metrics\":{\"s\":1}}", "run 2 has no metric ms" },
		{ "{\"metrics\":{\"ms\":\"1\"}}", "no number" },
		{ "{\"metrics\":{\"ms\":1e99}}", "no number" },
		{ "{\"metrics\":{\"ms\":1,\"ms\":2}}", "twice" },
		{ "{\"metrics\":{\"ms\":1},\"more\":1}", "nothing else" },
		{ "{\"metrics\":{}}", "no metrics in it" },
		{ "{\"metrics\":{\"ms\":[1]}}", "nested" },
		{ "{\"metrics\":{\"a b\":1}}", "letters" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct rule_run runs[] = { { 0, "{\"metrics\":{\"ms\":1}}" },
						 { 0, cases[i].line } };

		assert_judged(judged("metric ms", NULL,
				     (struct rule_facts){
					     .runs = runs, .n = 2, .claimed = RULE_END_GOOD }),
			      VERDICT_SKIP, "metric-missing", cases[i].words);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_rule_is_refused_and_named),
		cmocka_unit_test(a_second_metric_and_a_ninth_rule_are_refused),
		cmocka_unit_test(rules_are_called_by_their_names),
		cmocka_unit_test(exit_codes_are_those_of_git_bisect),
		cmocka_unit_test(a_code_that_no_rule_is_for_is_a_skip),
		cmocka_unit_test(presets_know_what_kernels_say),
		cmocka_unit_test(the_line_that_shows_is_the_reason),
		cmocka_unit_test(a_panic_that_a_rule_names_is_bad_and_any_other_a_skip),
		cmocka_unit_test(the_ends_say_what_good_and_bad_are),
		cmocka_unit_test(a_run_without_the_metric_is_a_skip),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
