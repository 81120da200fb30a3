// SPDX-License-Identifier: GPL-2.0-or-later
/* The candidates against the git program itself, on generated real repositories. */
#include "unit/range/kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "range/range.h"

struct question {
	const char *repo;
	const char *good[3];
	size_t n_good;
	const char *bad;
	const char *paths[3];
	size_t n_paths;
	bool first_parent;
};

static struct range *open_range(const struct question *q)
{
	struct range_spec spec = { .repo = q->repo,
				   .good = q->good,
				   .n_good = q->n_good,
				   .bad = q->bad,
				   .paths = q->paths,
				   .n_paths = q->n_paths,
				   .first_parent = q->first_parent };
	struct range *r = NULL;
	struct err err = { 0 };

	if (range_open(&spec, &r, &err) == 0)
		return r;
	if (!strstr(err.msg, "no commit of"))
		fail_msg("%s", err.msg);
	return NULL;
}

static char *ask_git(const struct question *q, const char *options)
{
	_cleanup_buf_ struct buf b = { 0 };

	buf_printf(&b, "rev-list %s %s %s", options, q->first_parent ? "--first-parent" : "",
		   q->bad);
	for (size_t i = 0; i < q->n_good; i++)
		buf_printf(&b, " ^%s", q->good[i]);
	if (q->n_paths)
		buf_puts(&b, " --");
	for (size_t i = 0; i < q->n_paths; i++)
		buf_printf(&b, " %s", q->paths[i]);
	return kit_git(q->repo, "%s", b.data);
}

static void check_topological(const struct range *r)
{
	for (size_t i = 0; i < r->n; i++)
		for (uint32_t p = 0; p < r->commits[i].n_parents; p++)
			assert_true(r->parents[r->commits[i].parents + p] < i);
}

static bool is_parent(const struct range *r, const struct range_commit *c, uint32_t n, long parent)
{
	for (uint32_t p = 0; p < n; p++)
		if (r->parents[c->parents + p] == parent)
			return true;
	return false;
}

/* One line of `git rev-list --parents`: the candidate, then parents of which we keep candidates. */
static void check_parents(const struct range *r, char *line)
{
	char *save = NULL;
	const struct range_commit *c;
	long i = range_find(r, strtok_r(line, " ", &save));
	uint32_t n = 0;

	assert_true(i >= 0);
	c = &r->commits[i];
	for (char *id = strtok_r(NULL, " ", &save); id; id = strtok_r(NULL, " ", &save)) {
		long parent = range_find(r, id);

		if (parent < 0 || is_parent(r, c, n, parent))
			continue; /* excluded, or named twice (git keeps that where no paths are given) */
		assert_true(n < c->n_parents);
		assert_int_equal(r->parents[c->parents + n], parent);
		n++;
	}
	assert_int_equal(c->n_parents, n);
}

static void check_count(const struct question *q, const struct range *r)
{
	struct question all = *q;
	_cleanup_free_ char *count = NULL;

	all.n_paths = 0;
	count = ask_git(&all, "--count");
	assert_int_equal(r->n_walked, strtoul(count, NULL, 10));
}

/* Return: candidates that git does not list. */
static size_t compare_with_git(const struct question *q)
{
	_cleanup_(range_destroy_p) struct range *r = open_range(q);
	_cleanup_free_ char *out = ask_git(q, "--parents");
	_cleanup_strv_ struct strv lines = { 0 };

	kit_lines(out, &lines);
	if (!r) {
		assert_int_equal(lines.n, 0);
		return 0;
	}
	check_topological(r);
	check_count(q, r);
	assert_true(r->bad_node < r->n);
	for (size_t i = 0; i < lines.n; i++) {
		_cleanup_free_ char *id = xstrndup(lines.items[i], COMMIT_ID_SIZE - 1);

		if (range_find(r, id) < 0)
			fail_msg("%s: git lists %s, we do not", q->repo, id);
		if (lines.n == r->n && !q->first_parent)
			check_parents(r, lines.items[i]);
	}
	return r->n - lines.n;
}

static const char *const path_sets[][3] = {
	{ "a" },     { "a/b" }, { "d" },  { "c", "d" }, { "a/x", "a/b/y", "c" },
	{ "a/b/y" }, { "." },	{ NULL },
};

/* A random question about bad = the last commit; its goods are ancestors of bad. */
static bool make_question(struct question *q, uint64_t *seed, const struct strv *ancestors,
			  size_t n_good)
{
	const char *const *paths = path_sets[kit_rand(seed, ARRAY_SIZE(path_sets))];

	q->n_paths = 0;
	while (q->n_paths < 3 && paths[q->n_paths]) {
		q->paths[q->n_paths] = paths[q->n_paths];
		q->n_paths++;
	}
	q->n_good = n_good;
	for (size_t i = 0; i < n_good; i++)
		q->good[i] = ancestors->items[kit_rand(seed, (uint32_t)ancestors->n)];
	return true;
}

static size_t compare_repo(uint64_t seed, enum kit_dates dates, unsigned int questions,
			   bool first_parent, size_t *asked)
{
	unsigned int commits = 8 + (unsigned int)seed % 50;
	_cleanup_free_ char *repo = kit_random_repo(seed, commits, dates);
	_cleanup_free_ char *bad = str_printf("c%u", commits - 1);
	_cleanup_free_ char *out =
		kit_git(repo, "rev-list %s %s^", first_parent ? "--first-parent" : "", bad);
	_cleanup_strv_ struct strv ancestors = { 0 };
	uint64_t dice = seed + 1000;
	size_t more = 0;

	kit_lines(out, &ancestors);
	for (unsigned int i = 0; i < questions; i++) {
		struct question q = { .repo = repo, .bad = bad, .first_parent = first_parent };

		make_question(&q, &dice, &ancestors, 1 + kit_rand(&dice, 3));
		more += compare_with_git(&q) > 0;
		(*asked)++;
	}
	free(kit_sh("rm -rf '%s'", repo));
	return more;
}

/* With dates that run backwards git knows all that is excluded before it compares: then it is exact. */
static void candidates_are_those_of_git(void **state)
{
	size_t asked = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++)
		assert_int_equal(compare_repo(seed, DATES_BACKWARD, 6, false, &asked), 0);
	assert_true(asked == 240);
}

/* With other dates git may take an excluded parent for a relevant one: we then keep more, never less. */
static void candidates_never_lack_one_of_git(void **state)
{
	size_t asked = 0, more = 0;

	(void)state;
	for (uint64_t seed = 101; seed <= 120; seed++) {
		more += compare_repo(seed, DATES_FORWARD, 6, false, &asked);
		more += compare_repo(seed, DATES_ANY, 6, false, &asked);
	}
	print_message("%zu of %zu answers keep more than git\n", more, asked);
	assert_true(more * 4 < asked);
}

static void first_parent_candidates_are_those_of_git(void **state)
{
	size_t asked = 0;

	(void)state;
	for (uint64_t seed = 201; seed <= 215; seed++)
		assert_int_equal(compare_repo(seed, DATES_BACKWARD, 4, true, &asked), 0);
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
		cmocka_unit_test(candidates_are_those_of_git),
		cmocka_unit_test(candidates_never_lack_one_of_git),
		cmocka_unit_test(first_parent_candidates_are_those_of_git),
	};

	return cmocka_run_group_tests(tests, start, end);
}
