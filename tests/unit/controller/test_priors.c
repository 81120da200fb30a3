// SPDX-License-Identifier: GPL-2.0-or-later
/* Who is suspected weighs more, what no build reads weighs less or is left out; on a real repository. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../range/kit.h"
#include "base/cleanup.h"
#include "base/fs.h"
#include "controller/depends.h"
#include "halving.h"

#define COMMITS 8

/* main: c0..c7, c<k> changes a.c if k is even, else b.c; side: c5 picked onto c1. */
static char *repo;
static char *ids[COMMITS];
static char *picked;

static int make_repo(void **state)
{
	_cleanup_free_ char *cache = NULL;
	_cleanup_free_ char *runs = NULL;

	(void)state;
	kit_start();
	cache = kit_path("cache");
	runs = kit_path("state");
	setenv("XDG_CACHE_HOME", cache, 1);
	setenv("XDG_STATE_HOME", runs, 1);
	repo = kit_path("repo");
	free(kit_sh("git init -q -b main '%s'", repo));
	for (int i = 0; i < COMMITS; i++) {
		_cleanup_free_ char *text =
			str_printf("int x;\n\nint f%d(void)\n{\n\treturn %d;\n}\n", i % 4, i);

		ids[i] = kit_commit(repo, i % 2 ? "drv/b.c" : "drv/a.c", text, "step");
	}
	free(kit_git(repo, "checkout -q -b side %s", ids[1]));
	free(kit_git(repo, "cherry-pick -x --strategy-option theirs %s", ids[5]));
	picked = kit_git(repo, "rev-parse HEAD");
	free(kit_git(repo, "checkout -q main"));
	return 0;
}

static int remove_repo(void **state)
{
	(void)state;
	for (int i = 0; i < COMMITS; i++)
		free(ids[i]);
	free(picked);
	free(repo);
	kit_end();
	return 0;
}

struct asked {
	struct options o;
	struct range *range;
	struct priors p;
};

static void asked_deinit(struct asked *a)
{
	priors_deinit(&a->p);
	range_destroy(a->range);
	options_deinit(&a->o);
}

/* The priors of c0..c7 with one more flag and its value. */
static void ask(const char *flag, const char *value, struct asked *ret)
{
	const char *argv[] = { "--good", ids[0], "--bad", ids[COMMITS - 1],
			       "--path", "drv",	 flag,	  value };
	int argc = flag ? value ? 8 : 7 : 6;
	struct err err;

	if (options_parse(CMD_PLAN, argc, (char **)argv, &ret->o, &err) < 0 ||
	    halving_range(&ret->o, repo, &ret->range, &err) < 0 ||
	    halving_priors(&ret->o, repo, ret->range, &ret->p, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(ret->range->n, COMMITS - 1);
}

static double factor_of(const struct asked *a, int commit)
{
	long node = range_find(a->range, ids[commit]);

	assert_true(node >= 0);
	return a->p.factor ? a->p.factor[node] : 1;
}

static void without_a_hint_all_are_alike(void **state)
{
	_cleanup_(asked_deinit) struct asked a = { 0 };

	(void)state;
	ask(NULL, NULL, &a);
	assert_null(a.p.factor);
	assert_null(a.p.idle);
}

static void suspect_of_another_branch_is_as_likely_as_all_others(void **state)
{
	_cleanup_(asked_deinit) struct asked a = { 0 };

	(void)state;
	ask("--suspect", picked, &a);
	assert_int_equal(a.p.n_named, 1);
	assert_true(factor_of(&a, 5) == COMMITS - 2);
	assert_true(factor_of(&a, 4) == 1);
}

static void suspect_that_nobody_has_changes_nothing(void **state)
{
	_cleanup_(asked_deinit) struct asked a = { 0 };

	(void)state;
	ask("--suspect", ids[0], &a);
	assert_null(a.p.factor);
}

static void files_and_functions_weigh_more(void **state)
{
	_cleanup_(asked_deinit) struct asked file = { 0 };
	_cleanup_(asked_deinit) struct asked function = { 0 };

	(void)state;
	ask("--suspect-file", "drv/a.c", &file);
	assert_int_equal(file.p.n_files, 3);
	assert_true(factor_of(&file, 2) > 1 && factor_of(&file, 3) == 1);
	ask("--suspect-function", "f2", &function);
	assert_true(function.p.n_functions > 0);
	assert_true(factor_of(&function, 6) > 1 && factor_of(&function, 3) == 1);
}

static void culprit_of_an_earlier_run_is_a_suspect(void **state)
{
	_cleanup_free_ char *dir = kit_path("state/amdgpu-bisect/20260101-run");
	_cleanup_(store_close_p) struct store *s = NULL;
	_cleanup_(asked_deinit) struct asked a = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(fs_mkdirs(dir, &err), 0);
	assert_int_equal(store_create(dir, &s, &err), 0);
	assert_int_equal(store_set(s, "culprit.commit", picked, &err), 0);
	assert_int_equal(store_set(s, "culprit.upstream", ids[5], &err), 0);
	assert_int_equal(store_set(s, "run.outcome", "proven", &err), 0);
	ask(NULL, NULL, &a);
	assert_int_equal(a.p.n_named, 1);
	assert_true(factor_of(&a, 5) > 1);
	assert_int_equal(fs_remove_tree(dir, &err), 0);
}

/* What the search would try, and how many it has. */
static size_t left_of(const struct asked *a, size_t *n_left_out)
{
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;
	struct err err;

	if (halving_search_by(&a->o, a->range, &a->p, &s, n_left_out, &err) < 0)
		fail_msg("%s", err.msg);
	search_set(s, a->range->bad_node, VERDICT_BAD);
	search_next(s, &step);
	return step.left;
}

static void what_no_build_reads_weighs_less_or_is_left_out(void **state)
{
	_cleanup_(asked_deinit) struct asked weighed = { 0 };
	_cleanup_(asked_deinit) struct asked trusted = { 0 };
	struct strv files = { 0 }, again = { 0 };
	size_t n;

	(void)state;
	strv_add(&files, "drv/a.c");
	strv_add(&files, "include/x.h");
	depends_keep(repo, "unit", &files);
	depends_keep(repo, "unit", &files);
	depends_recall(repo, "unit", &again);
	assert_int_equal(again.n, 2);
	strv_deinit(&files);
	strv_deinit(&again);
	depends_recall(repo, "module", &again);
	assert_int_equal(again.n, 0);

	ask(NULL, NULL, &weighed);
	assert_int_equal(weighed.p.n_idle, 4);
	assert_true(factor_of(&weighed, 3) < 1 && factor_of(&weighed, 4) == 1);
	assert_int_equal(left_of(&weighed, &n), COMMITS - 1);
	assert_int_equal(n, 0);
	ask("--trust-deps", NULL, &trusted);
	/* c1, c3 and c5; c7 is the new end and stays */
	assert_int_equal(left_of(&trusted, &n), 4);
	assert_int_equal(n, 3);
}

static void expect_said(const char *flag, const char *value, const char *want)
{
	_cleanup_(asked_deinit) struct asked a = { 0 };
	_cleanup_strv_ struct strv said = { 0 };

	ask(flag, value, &a);
	priors_say(&a.p, &a.o, 0, &said);
	assert_int_equal(said.n, want ? 1 : 0);
	if (want)
		assert_string_equal(said.items[0], want);
}

static void hint_that_says_nothing_here_is_told(void **state)
{
	_cleanup_free_ char *cache = kit_path("cache");
	struct err err;

	(void)state;
	assert_int_equal(fs_remove_tree(cache, &err), 0); /* and with it what builds read */
	expect_said(NULL, NULL, NULL);
	expect_said("--suspect", ids[5],
		    "1 candidate weighs more, as a change that is suspected, or known from "
		    "another run");
	expect_said("--suspect", "main~7",
		    "no candidate is the same change as main~7: that --suspect changes nothing");
	expect_said("--suspect-file", "drv/a.c",
		    "3 candidates weigh more, for the files they touch");
	expect_said("--suspect-file", "a.c",
		    "no candidate touches a.c: --suspect-file changes nothing");
	expect_said("--suspect-function", "g",
		    "no candidate changes g: --suspect-function changes nothing");
	expect_said("--trust-deps", NULL,
		    "--trust-deps leaves out nothing yet: no build of this repository at this "
		    "scope is known; a run has one when its ends are built");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_hint_all_are_alike),
		cmocka_unit_test(suspect_of_another_branch_is_as_likely_as_all_others),
		cmocka_unit_test(suspect_that_nobody_has_changes_nothing),
		cmocka_unit_test(files_and_functions_weigh_more),
		cmocka_unit_test(culprit_of_an_earlier_run_is_a_suspect),
		cmocka_unit_test(what_no_build_reads_weighs_less_or_is_left_out),
		cmocka_unit_test(hint_that_says_nothing_here_is_told),
	};

	return cmocka_run_group_tests(tests, make_repo, remove_repo);
}
