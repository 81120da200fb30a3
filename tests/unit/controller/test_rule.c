// SPDX-License-Identifier: GPL-2.0-or-later
/* A program of the user's: its options, and that a verdict is the same again from what was stored. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "controller/rule/rule.h"
#include "controller/team/size.h"
#include "run_facts.h"

static char dir[] = "/tmp/test-rule.XXXXXX";
static struct err err;

static char *file(const char *name, const char *text, int mode)
{
	char *path = str_printf("%s/%s", dir, name);

	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
	assert_int_equal(chmod(path, mode), 0);
	return path;
}

/* Pairs of key and value, up to a NULL; -1 with err if they are refused. */
static int open_with(struct options *o, const char *const *pairs, struct own **ret)
{
	int r = 0;

	options_default(CMD_RUN, o);
	for (; !r && pairs[0]; pairs += 2)
		r = options_set(o, pairs[0], pairs[1], ORIGIN_FLAG, &err);
	return r ? r : own_open(o, ret, &err);
}

#define PAIRS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static struct own *opened(struct options *o, const char *const *pairs)
{
	struct own *own = NULL;

	if (open_with(o, pairs, &own) < 0)
		fail_msg("%s", err.msg);
	assert_non_null(own);
	return own;
}

static void assert_refused(const char *const *pairs, const char *words)
{
	struct options o = { 0 };
	struct own *own = NULL;

	assert_int_equal(open_with(&o, pairs, &own), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.msg, words))
		fail_msg("'%s' does not say '%s'", err.msg, words);
	options_deinit(&o);
}

static void what_cannot_be_run_or_judged_is_refused(void **state)
{
	_cleanup_free_ char *program = file("program", "#!/bin/sh\n", 0755);
	_cleanup_free_ char *data = file("data", "text\n", 0644);
	_cleanup_free_ char *odd = file("odd name", "text\n", 0755);
	_cleanup_free_ char *taken = file("copy-regimes", "text\n", 0755);

	(void)state;
	assert_refused(PAIRS("probe.exec", "/nowhere/x"), "/nowhere/x: no such file");
	assert_refused(PAIRS("probe.exec", data), "chmod +x");
	assert_refused(PAIRS("probe.exec", odd), "odd name");
	assert_refused(PAIRS("probe.exec", taken), "taken");
	assert_refused(PAIRS("probe.exec", "guest:bin/x"), "absolute path");
	assert_refused(PAIRS("probe.exec", program, "probe.pack", program), "one name");
	assert_refused(PAIRS("probe.exec", program, "probe.rule", "metric"), "the rule 'metric'");
	assert_refused(PAIRS("probe.exec", program, "probe.rule", "metric a", "probe.repeats", "5"),
		       "6 runs at least");
	assert_refused(PAIRS("probe.rule", "exit"), "probe.rule is for a program of your own");
	assert_refused(PAIRS("probe.pack", data), "probe.pack");
}

static void repeats_are_those_that_the_rule_needs(void **state)
{
	_cleanup_free_ char *program = file("program", "#!/bin/sh\n", 0755);
	struct options o = { 0 };
	struct own *own = opened(&o, PAIRS("probe.exec", program));
	struct trial_spec spec = { .probe = "copy-regimes" };

	(void)state;
	assert_int_equal(own->repeats, 3);
	own_spec(own, &spec);
	assert_null(spec.probe);
	assert_string_equal(spec.exec, "program");
	own_close(own);
	options_deinit(&o);
	own = opened(&o, PAIRS("probe.exec", program, "probe.rule", "metric ms"));
	assert_int_equal(own->repeats, GAP_RUNS_DEFAULT);
	own_close(own);
	options_deinit(&o);
}

static void what_is_asked_goes_by_content_and_not_by_place(void **state)
{
	_cleanup_free_ char *program = file("program", "#!/bin/sh\n", 0755);
	_cleanup_free_ char *first = NULL;
	struct options o = { 0 };
	struct own *own = opened(&o, PAIRS("probe.exec", program));

	(void)state;
	assert_null(strstr(own->asked, dir));
	first = xstrdup(own->asked);
	own_close(own);
	options_deinit(&o);
	free(file("program", "#!/bin/sh\nexit 1\n", 0755));
	own = opened(&o, PAIRS("probe.exec", program));
	assert_string_not_equal(first, own->asked);
	own_close(own);
	options_deinit(&o);
}

static struct trial_run *runs(double ms, size_t n)
{
	struct trial_run *ret = xcalloc(n, sizeof(*ret));

	for (size_t i = 0; i < n; i++)
		ret[i].output = str_printf("{\"metrics\":{\"ms\":%g}}", ms + 0.01 * (double)i);
	return ret;
}

static struct store_verdict weigh(const struct own *own, struct store *s, enum store_role role,
				  struct baseline *base, struct trial *t, int64_t *trial)
{
	struct store_verdict v = { 0 };
	struct rule_verdict again;

	assert_int_equal(
		store_begin(s, "0123456789012345678901234567890123456789", role, trial, &err), 0);
	if (own_weigh(own, s, *trial, t, role, base, false, &v, &err) < 0 ||
	    own_recall(own, s, *trial, role, base, &again, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(again.verdict, v.verdict);
	assert_string_equal(again.rule, v.rule);
	assert_string_equal(again.reason, v.reason);
	trial_deinit(t);
	return v;
}

static void a_verdict_is_the_same_again_from_what_is_stored(void **state)
{
	_cleanup_free_ char *program = file("program", "#!/bin/sh\n", 0755);
	_cleanup_(store_close_p) struct store *s = NULL;
	struct baseline base = { 0 };
	struct options o = { 0 };
	struct own *own = opened(&o, PAIRS("probe.exec", program, "probe.rule", "metric ms",
					   "probe.rule", "console warn"));
	struct store_trial *trials = NULL;
	struct store_verdict v;
	int64_t trial;
	size_t n;

	(void)state;
	assert_int_equal(store_create(dir, &s, &err), 0);
	v = weigh(own, s, ROLE_GOOD_END, &base,
		  &(struct trial){ .runs = runs(10, 15), .n_runs = 15 }, &trial);
	assert_int_equal(v.verdict, VERDICT_GOOD);
	assert_int_equal(own_recall_end(own, s, trial, ROLE_GOOD_END, &base.ends, &err), 0);
	v = weigh(own, s, ROLE_BAD_END, &base,
		  &(struct trial){ .runs = runs(13, 15), .n_runs = 15 }, &trial);
	assert_int_equal(v.verdict, VERDICT_BAD);
	assert_int_equal(own_recall_end(own, s, trial, ROLE_BAD_END, &base.ends, &err), 0);
	assert_int_equal(base.ends.good.n, 15);
	assert_int_equal(base.ends.bad.n, 15);
	v = weigh(own, s, ROLE_SEARCH, &base,
		  &(struct trial){ .runs = runs(12.9, 15), .n_runs = 15 }, &trial);
	assert_int_equal(v.verdict, VERDICT_BAD);
	v = weigh(own, s, ROLE_SEARCH, &base,
		  &(struct trial){ .end = TRIAL_PANIC,
				   .reason = "it panicked",
				   .console = xstrdup("WARNING: at f+0x1/0x2\nKernel panic\n") },
		  &trial);
	assert_int_equal(v.verdict, VERDICT_BAD);
	assert_string_equal(v.rule, "warn");
	v = weigh(
		own, s, ROLE_SEARCH, &base,
		&(struct trial){ .end = TRIAL_PROBE_HUNG, .reason = "it hung", .said = "state D" },
		&trial);
	assert_int_equal(v.verdict, VERDICT_SKIP);
	assert_string_equal(v.rule, "probe-hung");
	/* What is stored beside the stages is none of them. */
	assert_int_equal(store_trials(s, &trials, &n, &err), 0);
	assert_int_equal(n, 5);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(trials[i].n_stages, 0);
	free(trials);
	own_close(own);
	options_deinit(&o);
}

static void a_weak_one_that_is_the_last_is_a_skip(void **state)
{
	_cleanup_free_ char *program = file("program", "#!/bin/sh\n", 0755);
	_cleanup_(store_close_p) struct store *s = NULL;
	struct trial t = { .runs = runs(10, 6), .n_runs = 6 };
	struct store_verdict v = { 0 };
	struct options o = { 0 };
	struct own *own = opened(&o, PAIRS("probe.exec", program, "probe.rule", "metric ms"));
	_cleanup_free_ char *sub = str_printf("%s/last", dir);
	int64_t trial;

	(void)state;
	assert_int_equal(fs_mkdirs(sub, &err), 0);
	assert_int_equal(store_create(sub, &s, &err), 0);
	assert_int_equal(store_begin(s, "0123456789012345678901234567890123456789", ROLE_SEARCH,
				     &trial, &err),
			 0);
	assert_int_equal(own_weigh(own, s, trial, &t, ROLE_SEARCH, NULL, true, &v, &err), 0);
	assert_int_equal(v.verdict, VERDICT_SKIP);
	assert_string_equal(v.rule, "metric-without-ends");
	trial_deinit(&t);
	own_close(own);
	options_deinit(&o);
}

static void sections_of_the_file_are_rules(void **state)
{
	static const char text[] = "[rule \"Slow\"]\n\tmetric = copy_ms\n[rule \"noise\"]\n"
				   "\tconsole = \"/lost [0-9]+ # x/\"\n[rule \"e\"]\n\texit\n"
				   "[rule \"no\"]\n\texit = false\n";
	_cleanup_free_ char *conf = file("bisect.conf", text, 0644);
	char *argv[] = { (char *)"--config", conf };
	struct options o = { 0 };
	const struct strv *rules;

	(void)state;
	if (options_parse(CMD_RUN, 2, argv, &o, &err) < 0)
		fail_msg("%s", err.msg);
	rules = options_list(&o, OPT_RULE);
	assert_int_equal(rules->n, 3);
	assert_string_equal(rules->items[0], "Slow: metric copy_ms");
	assert_string_equal(rules->items[1], "noise: console /lost [0-9]+ # x/");
	assert_string_equal(rules->items[2], "e: exit");
	options_deinit(&o);
	free(file("bisect.conf", "[rule \"x\"]\n\tmetrics = a\n", 0644));
	assert_int_equal(options_parse(CMD_RUN, 2, argv, &o, &err), -1);
	assert_non_null(strstr(err.msg, "exit, metric and console"));
	free(file("bisect.conf", "[rule]\n\tmetric = a\n", 0644));
	assert_int_equal(options_parse(CMD_RUN, 2, argv, &o, &err), -1);
	assert_non_null(strstr(err.msg, "[rule \"NAME\"]"));
}

/* A metric's measure is the good end, which must come first; any other trial is judged by itself. */
static void only_a_metric_takes_one_guest_at_a_time(void **state)
{
	static const struct {
		const char *rule, *workers;
		size_t want; /* 0: refused */
	} t[] = { { NULL, "3", 3 },	   { "exit", "2", 2 },	    { "console oops", "2", 2 },
		  { "metric ms", "2", 0 }, { "metric ms", "1", 1 }, { "metric ms", "auto", 1 },
		  { "metric ms", NULL, 1 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(t); i++) {
		_cleanup_(options_deinit) struct options o = { 0 };
		_cleanup_(team_size_deinit) struct team_size size = { 0 };

		options_default(CMD_RUN, &o);
		assert_int_equal(options_set(&o, "probe.exec", "/bin/true", ORIGIN_FLAG, &err), 0);
		if (t[i].rule)
			assert_int_equal(
				options_set(&o, "probe.rule", t[i].rule, ORIGIN_FLAG, &err), 0);
		if (t[i].workers)
			assert_int_equal(
				options_set(&o, "run.workers", t[i].workers, ORIGIN_FLAG, &err), 0);
		if (!t[i].want) {
			assert_int_equal(team_size(&o, NULL, 10, &size, &err), -1);
			assert_non_null(strstr(err.msg, "a metric takes one guest at a time"));
			continue;
		}
		assert_int_equal(team_size(&o, NULL, 10, &size, &err), 0);
		assert_int_equal(size.n, t[i].want);
	}
}

static void assert_fact(struct store *s, const char *key, const char *want)
{
	_cleanup_free_ char *is = NULL;

	assert_int_equal(store_get(s, key, &is, &err), 0);
	if (!want)
		assert_null(is);
	else
		assert_string_equal(is, want);
}

/* A report reads them alike, whether a run or a test by itself wrote them. */
static void a_test_by_itself_keeps_its_rules_as_a_run_does(void **state)
{
	_cleanup_free_ char *sub = str_printf("%s/test", dir);
	_cleanup_(options_deinit) struct options o = { 0 };
	_cleanup_(store_close_p) struct store *s = NULL;
	struct own *own = opened(&o, PAIRS("probe.exec", "/bin/true", "probe.execargs", "--a 1",
					   "probe.rule", "console warn", "probe.rule", "exit"));

	(void)state;
	assert_int_equal(fs_mkdirs(sub, &err), 0);
	assert_int_equal(store_create(sub, &s, &err), 0);
	assert_int_equal(facts_probe(s, &o, own->asked, &err), 0);
	assert_fact(s, "option.probe.exec", "/bin/true");
	assert_fact(s, "option.probe.execargs", "--a 1");
	assert_fact(s, "option.probe.rule", "console warn\nexit");
	assert_fact(s, "option.probe.pack", NULL);
	assert_fact(s, "probe.args", own->asked);
	own_close(own);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	return fs_remove_tree(dir, &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_cannot_be_run_or_judged_is_refused),
		cmocka_unit_test(repeats_are_those_that_the_rule_needs),
		cmocka_unit_test(what_is_asked_goes_by_content_and_not_by_place),
		cmocka_unit_test(a_verdict_is_the_same_again_from_what_is_stored),
		cmocka_unit_test(a_weak_one_that_is_the_last_is_a_skip),
		cmocka_unit_test(sections_of_the_file_are_rules),
		cmocka_unit_test(a_test_by_itself_keeps_its_rules_as_a_run_does),
		cmocka_unit_test(only_a_metric_takes_one_guest_at_a_time),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
