// SPDX-License-Identifier: GPL-2.0-or-later
/* The first step against `git rev-list --bisect-vars` on generated real repositories. */
#include "unit/range/kit.h"
#include "unit/search/dag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* The graph as git lists it: "commit parent...", parents first. */
static void graph_of_git(const char *repo, const char *ends, struct dag *d)
{
	_cleanup_free_ char *out =
		kit_git(repo, "rev-list --parents --topo-order --reverse %s", ends);
	_cleanup_strv_ struct strv lines = { 0 };

	kit_lines(out, &lines);
	for (size_t i = 0; i < lines.n; i++) {
		uint32_t parents[8];
		char *save = NULL;
		size_t n = 0;

		for (char *id = strtok_r(lines.items[i], " ", &save);
		     (id = strtok_r(NULL, " ", &save));)
			for (uint32_t j = 0; j < i; j++)
				if (n < 8 && strncmp(lines.items[j], id, 40) == 0)
					parents[n++] = j;
		dag_add(d, parents, n);
	}
}

static long number(const char *vars, const char *name)
{
	const char *at = strstr(vars, name);

	assert_non_null(at);
	return strtol(at + strlen(name), NULL, 10);
}

static void compare(const char *repo, const char *ends)
{
	_cleanup_free_ char *vars = kit_git(repo, "rev-list --bisect-vars %s", ends);
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;
	long all, reaches, half, ours;

	graph_of_git(repo, ends, &d);
	if (d.n < 2)
		return;
	s = dag_search(&d);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_TEST);
	all = number(vars, "bisect_all=");
	reaches = number(vars, "bisect_bad=") + 1;
	half = reaches < all - reaches ? reaches : all - reaches;
	ours = (long)step.weight < all - (long)step.weight ? (long)step.weight
							   : all - (long)step.weight;
	assert_int_equal(step.left, all);
	assert_int_equal(ours, half);
}

static void best_split_is_that_of_git(void **state)
{
	(void)state;
	for (uint64_t seed = 301; seed <= 330; seed++) {
		unsigned int commits = 20 + (unsigned int)seed % 60;
		_cleanup_free_ char *repo = kit_random_repo(seed, commits, DATES_FORWARD);
		uint64_t roll = seed;

		for (int i = 0; i < 4; i++) {
			_cleanup_free_ char *ends =
				str_printf("c%u ^c%u ^c%u", commits - 1, dice(&roll, commits - 1),
					   dice(&roll, commits - 1));

			compare(repo, ends);
		}
		free(kit_sh("rm -rf '%s'", repo));
	}
}

static int start(void **state)
{
	(void)state;
	kit_start();
	return 0;
}

static int end(void **state)
{
	(void)state;
	kit_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(best_split_is_that_of_git),
	};

	return cmocka_run_group_tests(tests, start, end);
}
