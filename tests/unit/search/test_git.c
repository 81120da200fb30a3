// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is left and how it is split best against git, on real repositories. Starting a program costs more
 * than the question, so one repository holds hundreds of histories side by side, each a tag, and what git
 * says of many of them comes in one go.
 */
#include "unit/range/kit.h"
#include "unit/search/dag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

#define HISTORIES 750
#define BATCH	  250

/* One history: commit i of it is tagged <seed>-<i>; some verdicts cut it. */
struct history {
	struct dag d;
	uint32_t bad;
	uint32_t goods[3];
	size_t n_goods;
	size_t start; /* of its commits among all of the repository */
};

static void make_history(struct history *h, uint64_t seed, size_t start)
{
	uint64_t roll = seed;

	*h = (struct history){ .start = start };
	dag_random(&h->d, seed, 2 + dice(&roll, 50));
	h->bad = (uint32_t)h->d.n - 1 - dice(&roll, 2);
	for (uint32_t k = dice(&roll, 4); k > 0; k--) {
		uint32_t good = dice(&roll, (uint32_t)h->d.n);

		if (!dag_reaches(&h->d, good, h->bad))
			h->goods[h->n_goods++] = good;
	}
}

static void put_history(FILE *f, const struct history *h, uint64_t seed)
{
	/* No child older than its parent: there git itself does not find all that a good one excludes. */
	size_t pace = seed % 3 * 50;

	for (uint32_t i = 0; i < h->d.n; i++) {
		fprintf(f, "reset refs/heads/b\n\ncommit refs/heads/b\nmark :%zu\n",
			h->start + i + 1);
		/* The message makes it one of its own; there is no file, whose trees would be read again. */
		fprintf(f, "committer C <c@example.org> %zu +0000\ndata <<E\n%zu\nE\n",
			1700000000 + pace * i, h->start + i);
		for (uint32_t e = h->d.first[i]; e < h->d.first[i + 1]; e++)
			fprintf(f, "%s :%zu\n", e == h->d.first[i] ? "from" : "merge",
				h->start + h->d.parents[e] + 1);
		fputc('\n', f);
	}
}

/* The ids, in the order of all commits. */
static void make_repo(struct history *h, size_t n, uint64_t seed, struct strv *ids, char **repo)
{
	_cleanup_free_ char *stream = NULL;
	_cleanup_free_ char *marks = NULL;
	FILE *f;

	*repo = kit_path("many-%lu", (unsigned long)seed);
	stream = str_printf("%s.stream", *repo);
	f = fopen(stream, "w");
	assert_non_null(f);
	for (size_t i = 0; i < n; i++) {
		make_history(&h[i], seed + i, i ? h[i - 1].start + h[i - 1].d.n : 0);
		put_history(f, &h[i], seed + i);
	}
	fclose(f);
	free(kit_sh("git init -q --bare '%s'", *repo));
	free(kit_git(*repo, "fast-import --quiet --force --export-marks='%s.marks' < '%s'", *repo,
		     stream));
	marks = kit_sh("sort -n -t: -k2 '%s.marks' | cut -d' ' -f2", *repo);
	kit_lines(marks, ids);
}

static char *ends_of(const struct history *h, const struct strv *ids)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s", ids->items[h->start + h->bad]);
	for (size_t i = 0; i < h->n_goods; i++)
		buf_printf(&b, " ^%s", ids->items[h->start + h->goods[i]]);
	return buf_take(&b);
}

static long number(const char *vars, const char *name)
{
	const char *at = strstr(vars, name);

	assert_non_null(at);
	return strtol(at + strlen(name), NULL, 10);
}

/* `rev-list --bisect-all`: "id (refs, dist=N)", all candidates, the best ones first. */
static void compare_all(const struct history *h, const struct strv *ids, const struct left *l,
			char *text)
{
	_cleanup_free_ bool *seen = xcalloc(l->n, sizeof(*seen));
	_cleanup_strv_ struct strv lines = { 0 };

	kit_lines(text, &lines);
	assert_int_equal(lines.n, l->n);
	for (size_t i = 0; i < lines.n; i++) {
		size_t j = 0, w;

		while (j < l->n &&
		       strncmp(lines.items[i], ids->items[h->start + l->nodes[j]], 40) != 0)
			j++;
		assert_true(j < l->n && !seen[j]);
		seen[j] = true;
		w = l->weight[j];
		assert_int_equal(number(lines.items[i], "dist="), w < l->n - w ? w : l->n - w);
	}
}

/* What git says of one history: all candidates, then a line, then what it would tell a script. */
static void compare(const struct history *h, const struct strv *ids, char *all)
{
	char *vars = strstr(all, "------\n");
	_cleanup_(search_destroy_p) struct search *s = NULL;
	_cleanup_free_ struct told *told = xcalloc(h->d.n, sizeof(*told));
	_cleanup_left_ struct left l = { 0 };
	struct dag d = h->d;
	struct search_step step;
	long n, reaches;

	d.bad = h->bad;
	s = dag_search(&d);
	for (size_t i = 0; i < h->n_goods; i++) {
		search_set(s, h->goods[i], VERDICT_GOOD);
		told[h->goods[i]].verdict = VERDICT_GOOD;
	}
	dag_left(&d, told, &l);
	assert_non_null(vars);
	*vars++ = '\0';
	compare_all(h, ids, &l, all);
	n = number(vars, "bisect_all=");
	reaches = number(vars, "bisect_bad=") + 1;
	assert_int_equal(l.n, n);
	search_next(s, &step);
	assert_int_equal(step.left, n);
	if (n < 2) {
		assert_int_equal(step.action, step.node == h->bad ? SEARCH_FOUND : SEARCH_TEST);
		return;
	}
	assert_int_equal(step.action, SEARCH_TEST);
	if (reaches > n - reaches)
		reaches = n - reaches;
	assert_int_equal(step.weight < n - step.weight ? step.weight : n - step.weight, reaches);
}

/* One shell asks git about every history, so that this program starts few. */
static void ask_git(const struct history *h, size_t n, const struct strv *ids, const char *repo,
		    struct strv *answers)
{
	_cleanup_free_ char *script = str_printf("%s.sh", repo);
	_cleanup_free_ char *out = NULL;
	FILE *f = fopen(script, "w");

	assert_non_null(f);
	fputs("set -e\n", f);
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *ends = ends_of(&h[i], ids);

		fprintf(f, "git -C '%s' rev-list --bisect-all --bisect-vars %s\nprintf '\\f\\n'\n",
			repo, ends);
	}
	fclose(f);
	out = kit_sh("sh '%s'", script);
	for (char *at = out, *end; (end = strchr(at, '\f')); at = end + 1 + (end[1] == '\n')) {
		*end = '\0';
		strv_add(answers, at);
	}
	assert_int_equal(answers->n, n);
}

static void candidates_weights_and_best_are_those_of_git(void **state)
{
	static struct history h[BATCH];

	(void)state;
	for (uint64_t seed = 1; seed <= HISTORIES; seed += BATCH) {
		_cleanup_strv_ struct strv ids = { 0 };
		_cleanup_strv_ struct strv all = { 0 };
		_cleanup_free_ char *repo = NULL;

		make_repo(h, BATCH, seed, &ids, &repo);
		ask_git(h, BATCH, &ids, repo, &all);
		for (size_t i = 0; i < BATCH; i++) {
			compare(&h[i], &ids, all.items[i]);
			dag_deinit(&h[i].d);
		}
		free(kit_sh("rm -rf '%s'*", repo));
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
		cmocka_unit_test(candidates_weights_and_best_are_those_of_git),
	};

	return cmocka_run_group_tests(tests, start, end);
}
