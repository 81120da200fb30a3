// SPDX-License-Identifier: GPL-2.0-or-later
/* The candidates against the git program itself, on generated real repositories. */
#include "unit/range/kit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/stop.h"
#include "range/range.h"

/*
 * A history as git has it: its commits sorted by their ids, and the parents of each. Asked for once; what is
 * reached from where is then looked up here, since starting git costs more than the question.
 */
struct known {
	struct strv ids;
	struct strv *parents; /* [ids.n] ids */
};

struct question {
	const char *repo;
	const struct known *known;
	const char *good[3];
	size_t n_good;
	const char *bad;
	const char *paths[3];
	size_t n_paths;
	bool first_parent;
	unsigned int threads;
};

static struct range *open_range(const struct question *q)
{
	struct range_spec spec = { .repo = q->repo,
				   .good = q->good,
				   .n_good = q->n_good,
				   .bad = q->bad,
				   .paths = q->paths,
				   .n_paths = q->n_paths,
				   .first_parent = q->first_parent,
				   .threads = q->threads };
	struct range *r = NULL;
	struct err err = { 0 };

	if (range_open(&spec, &r, &err) == 0)
		return r;
	if (!strstr(err.msg, "no commit of"))
		fail_msg("%s: %s", q->repo, err.msg);
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

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_lines(struct strv *v)
{
	if (v->n)
		qsort(v->items, v->n, sizeof(*v->items), compare_text);
}

static void known_deinit(struct known *k)
{
	for (size_t i = 0; i < k->ids.n; i++)
		strv_deinit(&k->parents[i]);
	free(k->parents);
	strv_deinit(&k->ids);
}
#define _cleanup_known_ _cleanup_(known_deinit)

static size_t known_at(const struct known *k, const char *id)
{
	char *const *at = bsearch(&id, k->ids.items, k->ids.n, sizeof(*k->ids.items), compare_text);

	if (!at)
		fail_msg("git does not tell of %s", id);
	return (size_t)(at - k->ids.items);
}

/* All that the tags reach, with whatever lies over the history. */
static void know(const char *repo, struct known *ret)
{
	_cleanup_free_ char *out = kit_git(repo, "rev-list --parents --tags");
	_cleanup_strv_ struct strv lines = { 0 };

	kit_lines(out, &lines);
	for (size_t i = 0; i < lines.n; i++)
		strv_take(&ret->ids, xstrndup(lines.items[i], COMMIT_ID_SIZE - 1));
	sort_lines(&ret->ids);
	ret->parents = xcalloc(lines.n, sizeof(*ret->parents));
	for (size_t i = 0; i < lines.n; i++) {
		char *save = NULL;
		size_t at = known_at(ret, strtok_r(lines.items[i], " ", &save));

		for (char *id = strtok_r(NULL, " ", &save); id; id = strtok_r(NULL, " ", &save))
			strv_add(&ret->parents[at], id);
	}
}

static void reach_more(const struct known *k, const char *id, bool first_parent, bool *reached)
{
	size_t at = known_at(k, id);
	size_t n = k->parents[at].n;

	if (reached[at])
		return;
	reached[at] = true;
	for (size_t i = 0; i < (first_parent && n ? 1 : n); i++)
		reach_more(k, k->parents[at].items[i], first_parent, reached);
}

/* What is reached from these, themselves with it: [ids.n], owned by the caller */
static bool *reach(const struct known *k, const char *const *from, size_t n, bool first_parent)
{
	bool *reached = xcalloc(k->ids.n, sizeof(*reached));

	for (size_t i = 0; i < n; i++)
		reach_more(k, from[i], first_parent, reached);
	return reached;
}

/* Commits of the question that are not goods, in reach of bad and of none of these. */
static void check_count(const struct question *q, const struct range *r)
{
	_cleanup_free_ bool *from_bad = reach(q->known, &q->bad, 1, q->first_parent);
	_cleanup_free_ bool *from_good = reach(q->known, q->good, q->n_good, false);
	size_t count = 0;

	for (size_t i = 0; i < q->known->ids.n; i++)
		count += from_bad[i] && !from_good[i];
	assert_int_equal(r->n_walked, count);
}

/* What git bisect tests first: merge bases of bad with all goods, less the goods themselves. */
static void check_bases(const struct question *q, const struct range *r)
{
	_cleanup_buf_ struct buf ask = { 0 };
	_cleanup_free_ char *out = NULL;
	_cleanup_strv_ struct strv lines = { 0 };
	_cleanup_strv_ struct strv ours = { 0 };
	_cleanup_strv_ struct strv theirs = { 0 };

	for (size_t i = 0; i < q->n_good; i++)
		buf_printf(&ask, " %s", q->good[i]);
	out = kit_git(q->repo, "merge-base --all %s %s", q->bad, ask.data);
	kit_lines(out, &lines);
	for (size_t i = 0; i < lines.n; i++) {
		bool is_good = false;

		for (size_t k = 0; k < q->n_good; k++)
			is_good |= strcmp(lines.items[i], q->good[k]) == 0;
		if (!is_good)
			strv_add(&theirs, lines.items[i]);
	}
	for (size_t i = 0; i < r->n_bases; i++)
		strv_add(&ours, r->base_ids[i]);
	sort_lines(&ours);
	sort_lines(&theirs);
	if (ours.n != theirs.n)
		fail_msg("%s: %zu bases, git has %zu, of %s and%s", q->repo, ours.n, theirs.n,
			 q->bad, ask.data);
	for (size_t i = 0; i < ours.n; i++)
		assert_string_equal(ours.items[i], theirs.items[i]);
}

/* Return: candidates that git does not list. */
static size_t compare_with_git(const struct question *q)
{
	_cleanup_(range_destroy_p) struct range *r = open_range(q);
	/* Along first parents git lists merges with --parents that it leaves out without. */
	_cleanup_free_ char *out = ask_git(q, q->first_parent ? "" : "--parents");
	_cleanup_strv_ struct strv lines = { 0 };

	kit_lines(out, &lines);
	if (!r) {
		if (lines.n)
			fail_msg("%s: git lists %s, we nothing", q->repo, lines.items[0]);
		return 0;
	}
	check_topological(r);
	check_count(q, r);
	check_bases(q, r);
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

/* Random paths, and random goods out of the first of some commits. */
static void make_question(struct question *q, uint64_t *seed, const struct strv *commits,
			  size_t among, size_t n_good)
{
	const char *const *paths = path_sets[kit_rand(seed, ARRAY_SIZE(path_sets))];

	q->n_paths = 0;
	while (q->n_paths < 3 && paths[q->n_paths]) {
		q->paths[q->n_paths] = paths[q->n_paths];
		q->n_paths++;
	}
	q->n_good = n_good;
	for (size_t i = 0; i < n_good; i++)
		q->good[i] = commits->items[kit_rand(seed, (uint32_t)among)];
}

static size_t compare_repo(uint64_t seed, enum kit_dates dates, unsigned int questions,
			   bool first_parent, size_t *asked)
{
	unsigned int commits = 8 + (unsigned int)seed % 50;
	_cleanup_free_ char *repo = kit_random_repo(seed, commits, dates);
	_cleanup_free_ char *bad = kit_git(repo, "rev-parse c%u", commits - 1);
	_cleanup_free_ char *out =
		kit_git(repo, "rev-list %s %s^", first_parent ? "--first-parent" : "", bad);
	_cleanup_strv_ struct strv ancestors = { 0 };
	_cleanup_known_ struct known known = { 0 };
	uint64_t dice = seed + 1000;
	size_t more = 0;

	kit_lines(out, &ancestors);
	know(repo, &known);
	for (unsigned int i = 0; i < questions; i++) {
		struct question q = {
			.repo = repo, .known = &known, .bad = bad, .first_parent = first_parent
		};

		make_question(&q, &dice, &ancestors, ancestors.n, 1 + kit_rand(&dice, 3));
		more += compare_with_git(&q) > 0;
		(*asked)++;
	}
	free(kit_sh("rm -rf '%s'", repo));
	return more;
}

/* What lies over a history, or beside it. */
enum laid { LAID_NOTHING, LAID_GRAFTS, LAID_REPLACEMENTS, LAID_COMMIT_GRAPH, LAIDS };

/* What each tag of a random history names, in their order. */
static void all_ids(const char *repo, unsigned int commits, struct strv *ret)
{
	_cleanup_buf_ struct buf ask = { 0 };
	_cleanup_free_ char *out = NULL;

	for (unsigned int k = 0; k < commits; k++)
		buf_printf(&ask, " c%u", k);
	out = kit_git(repo, "rev-parse %s", ask.data);
	kit_lines(out, ret);
	assert_int_equal(ret->n, commits);
}

/* Other parents for some commits, all of them older: there is no loop. */
static void lay(const char *repo, enum laid laid, uint64_t *seed, unsigned int commits,
		const struct strv *ids)
{
	_cleanup_buf_ struct buf grafts = { 0 };
	_cleanup_buf_ struct buf others = { 0 };

	if (laid == LAID_COMMIT_GRAPH)
		free(kit_git(repo, "commit-graph write --reachable"));
	if (laid != LAID_GRAFTS && laid != LAID_REPLACEMENTS)
		return;
	for (unsigned int k = 3; k < commits; k += 1 + kit_rand(seed, 8)) {
		const char *id = ids->items[k], *a = ids->items[kit_rand(seed, k)];
		const char *b = ids->items[kit_rand(seed, k)];

		if (laid == LAID_REPLACEMENTS && k % 2)
			buf_printf(&others, "update refs/replace/%s %s\n", id, a);
		else
			buf_printf(&grafts, "%s %s %s\n", id, a, b);
	}
	free(kit_git(repo, "config advice.graftFileDeprecated false"));
	kit_write(repo, "info/grafts", grafts.data ? grafts.data : "");
	kit_write(repo, "others", others.data ? others.data : "");
	if (laid == LAID_REPLACEMENTS && grafts.data)
		free(kit_git(repo, "replace --convert-graft-file"));
	if (laid == LAID_REPLACEMENTS)
		free(kit_git(repo, "update-ref --stdin < '%s/others'", repo));
}

/* Whether the ends, as ids, are such as can bound a bisection; if not, that we say so as well. */
static bool check_ends(const struct question *q)
{
	struct range_spec spec = { .repo = q->repo,
				   .good = q->good,
				   .n_good = q->n_good,
				   .bad = q->bad,
				   .may_be_empty = true };
	_cleanup_(range_destroy_p) struct range *r = NULL;
	_cleanup_free_ bool *from_bad = reach(q->known, &q->bad, 1, false);
	const char *want = NULL;
	struct err err = { 0 };

	for (size_t i = 0; i < q->n_good && !want; i++) {
		_cleanup_free_ bool *from_good = reach(q->known, &q->good[i], 1, false);
		bool shared = false;

		for (size_t k = 0; k < q->known->ids.n; k++)
			shared |= from_bad[k] && from_good[k];
		if (strcmp(q->good[i], q->bad) == 0)
			want = "are the same commit";
		else if (from_good[known_at(q->known, q->bad)])
			want = "swap the two";
		else if (!shared)
			want = "share no history";
	}
	if (range_open(&spec, &r, &err) == 0)
		assert_null(want);
	else if (!want)
		fail_msg("%s: %s", q->repo, err.msg);
	return !want;
}

/*
 * Any commits as ends: on other branches, swapped, unrelated. Along first parents git takes a merge whose
 * first parent is excluded for unchanged, whatever it changes; there more is kept, and not counted.
 *
 * Return: answers that keep more than git.
 */
static size_t compare_any_ends(uint64_t seed, enum kit_dates dates, enum laid laid,
			       unsigned int questions, size_t *asked)
{
	unsigned int commits = 8 + (unsigned int)seed % 50;
	_cleanup_free_ char *repo = kit_random_repo(seed, commits, dates);
	_cleanup_strv_ struct strv names = { 0 }; /* of commits: ids */
	_cleanup_known_ struct known known = { 0 };
	uint64_t dice = seed + 2000;
	size_t more = 0;

	all_ids(repo, commits, &names);
	lay(repo, laid, &dice, commits, &names);
	know(repo, &known);
	for (unsigned int i = 0; i < questions; i++) {
		unsigned int bad = commits / 2 + kit_rand(&dice, commits / 2);
		struct question q = { .repo = repo,
				      .known = &known,
				      .bad = names.items[bad],
				      .first_parent = i % 3 == 2,
				      .threads = 1 + i % 3 };

		/* Of backward dates only those goods are seen in time by git that come before bad. */
		make_question(&q, &dice, &names, dates == DATES_BACKWARD ? bad : commits,
			      1 + kit_rand(&dice, 3));
		if (!check_ends(&q))
			continue;
		more += compare_with_git(&q) > 0 && !q.first_parent;
		(*asked)++;
	}
	free(kit_sh("rm -rf '%s'", repo));
	return more;
}

/* With dates that run backwards git knows all that is excluded before it compares: then it is exact. */
static void candidates_are_those_of_git(void **state)
{
	unsigned int n = kit_rounds(12);
	size_t asked = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= n; seed++)
		assert_int_equal(compare_repo(seed, DATES_BACKWARD, 6, false, &asked), 0);
	assert_true(asked == n * 6);
}

/* With other dates git may take an excluded parent for a relevant one: we then keep more, never less. */
static void candidates_never_lack_one_of_git(void **state)
{
	unsigned int n = kit_rounds(6);
	size_t asked = 0, more = 0;

	(void)state;
	for (uint64_t seed = 10001; seed <= 10000 + n; seed++) {
		more += compare_repo(seed, DATES_FORWARD, 6, false, &asked);
		more += compare_repo(seed, DATES_ANY, 6, false, &asked);
	}
	print_message("%zu of %zu answers keep more than git\n", more, asked);
	assert_true(more * 4 < asked);
}

static void first_parent_candidates_are_those_of_git(void **state)
{
	unsigned int n = kit_rounds(5);
	size_t asked = 0;

	(void)state;
	for (uint64_t seed = 20001; seed <= 20000 + n; seed++)
		assert_int_equal(compare_repo(seed, DATES_BACKWARD, 4, true, &asked), 0);
}

static void goods_may_lie_on_other_branches(void **state)
{
	unsigned int n = kit_rounds(10);
	size_t asked = 0, more = 0;

	(void)state;
	for (uint64_t seed = 30001; seed <= 30000 + n; seed++) {
		assert_int_equal(compare_any_ends(seed, DATES_BACKWARD, LAID_NOTHING, 6, &asked),
				 0);
		more += compare_any_ends(seed, DATES_ANY, LAID_NOTHING, 6, &asked);
	}
	print_message("%zu questions, %zu keep more than git\n", asked, more);
	assert_true(asked > 3 * n && more * 4 < asked);
}

static void what_lies_over_the_history_counts(void **state)
{
	unsigned int n = kit_rounds(8);
	size_t asked = 0, more = 0;

	(void)state;
	for (uint64_t seed = 40001; seed <= 40000 + n; seed++)
		for (enum laid laid = LAID_GRAFTS; laid < LAIDS; laid++)
			more += compare_any_ends(seed, seed % 3, laid, 4, &asked);
	print_message("%zu questions, %zu keep more than git\n", asked, more);
	assert_true(asked > 4 * n && more * 4 < asked);
}

static void check_same(const struct range *a, const struct range *b)
{
	assert_int_equal(a->n, b->n);
	assert_int_equal(a->n_parent_edges, b->n_parent_edges);
	assert_int_equal(a->bad_node, b->bad_node);
	assert_int_equal(a->n_walked, b->n_walked);
	for (size_t i = 0; i < a->n; i++) {
		assert_string_equal(a->commits[i].id, b->commits[i].id);
		assert_string_equal(a->commits[i].subject, b->commits[i].subject);
		assert_int_equal(a->commits[i].parents, b->commits[i].parents);
	}
	for (size_t i = 0; i < a->n_parent_edges; i++)
		assert_int_equal(a->parents[i], b->parents[i]);
}

/* Commits in a line; the file changes in each, the other in every tenth. */
static char *line_repo(const char *name, unsigned int commits)
{
	char *repo = kit_path("%s", name);

	free(kit_sh(
		"git init -q --bare -b main '%s'; seq %u | awk '{"
		"print \"commit refs/heads/main\\ncommitter C <c@example.org> \" 1700000000 + $1 "
		"\" +0000\\ndata 0\"; for (k = 10; k > 0; k -= 9) if ($1 %% k == 0) print "
		"\"M 100644 inline a/\" k \"\\ndata \" length($1) \"\\n\" $1 }' | "
		"git -C '%s' fast-import --quiet",
		repo, commits, repo));
	return repo;
}

/* However many threads read, and however they happen to run. */
static void compare_threads(struct question *q)
{
	_cleanup_(range_destroy_p) struct range *alone = NULL;

	q->threads = 1;
	alone = open_range(q);
	assert_non_null(alone);
	for (unsigned int i = 0; i < 12; i++) {
		_cleanup_(range_destroy_p) struct range *r = NULL;

		q->threads = 2 + i % 4;
		r = open_range(q);
		assert_non_null(r);
		check_same(alone, r);
	}
}

static void threads_change_nothing(void **state)
{
	_cleanup_free_ char *forked = kit_random_repo(501, 3000, DATES_ANY);
	_cleanup_free_ char *line = line_repo("line", 3000);
	struct question q = { .repo = forked,
			      .good = { "c5" },
			      .n_good = 1,
			      .bad = "c2999",
			      .paths = { "a/b", "c" },
			      .n_paths = 2 };
	struct question l = { .repo = line,
			      .good = { "main~2990" },
			      .n_good = 1,
			      .bad = "main",
			      .paths = { "a/10" },
			      .n_paths = 1 };

	(void)state;
	compare_threads(&q);
	compare_threads(&l);
	l.n_paths = 0;
	compare_threads(&l);
}

static void count_walked(size_t commits, void *arg)
{
	size_t *seen = arg;

	assert_true(commits >= *seen);
	*seen = commits;
}

static void progress_is_told(void **state)
{
	_cleanup_free_ char *repo = line_repo("long", 5000);
	const char *good = "main~4999";
	size_t seen = 0;
	struct range_spec spec = { .repo = repo,
				   .good = &good,
				   .n_good = 1,
				   .bad = "main",
				   .on_walk = count_walked,
				   .on_walk_arg = &seen };
	struct range *r = NULL;
	struct err err = { 0 };

	(void)state;
	if (range_open(&spec, &r, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(r->n, 4999);
	assert_true(seen > 3000);
	range_destroy(r);
}

static void ask_to_stop(size_t commits, void *arg)
{
	(void)arg;
	if (commits > 1000)
		raise(SIGTERM);
}

/* In a process of its own: a stop that was asked for stays asked for. */
static void stop_ends_the_walk_and_its_threads(void **state)
{
	_cleanup_free_ char *repo = line_repo("stopped", 5000);
	const char *good = "main~4999", *path = "a/10";
	struct range_spec spec = { .repo = repo,
				   .good = &good,
				   .n_good = 1,
				   .bad = "main",
				   .paths = &path,
				   .n_paths = 1,
				   .threads = 4,
				   .on_walk = ask_to_stop };
	int status = 0;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (!child) {
		struct range *r = NULL;
		struct err err = { 0 };

		stop_install();
		alarm(60);
		_exit(range_open(&spec, &r, &err) < 0 && err.kind == ERR_STOPPED ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
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
		cmocka_unit_test(goods_may_lie_on_other_branches),
		cmocka_unit_test(what_lies_over_the_history_counts),
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(progress_is_told),
		cmocka_unit_test(stop_ends_the_walk_and_its_threads),
	};

	return cmocka_run_group_tests(tests, start, end);
}
