// SPDX-License-Identifier: GPL-2.0-or-later
/* The search over thousands of histories with a planted culprit, against brute force. */
#include "unit/search/dag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

/* What the slow truth says about a history: who is bad, who cannot be tested. */
struct world {
	const struct dag *dag;
	uint32_t culprit;
	bool *skip; /* [n], or NULL */
};

static bool is_bad(const struct world *w, uint32_t node)
{
	return dag_reaches(w->dag, node, w->culprit);
}

struct outcome {
	enum search_action action;
	uint32_t node;
	size_t n_set;
	unsigned int tests;
	unsigned int skips;
};

static void check_set(const struct world *w, const struct search_step *step,
		      const enum verdict *told)
{
	bool has_culprit = false;

	assert_true(step->n_set >= 1);
	for (size_t i = 0; i < step->n_set; i++) {
		uint32_t node = step->set[i];

		assert_true(!i || step->set[i - 1] < node);
		has_culprit |= node == w->culprit;
		/* All but the lowest bad one were tried in vain: none is in the set for nothing. */
		assert_true(told[node] == VERDICT_SKIP || told[node] == VERDICT_BAD ||
			    node == w->dag->bad);
	}
	assert_true(has_culprit);
}

/* Plays a whole search; every promise of a step is checked on the way. */
static struct outcome play(const struct world *w)
{
	_cleanup_(search_destroy_p) struct search *s = dag_search(w->dag);
	_cleanup_free_ enum verdict *told = xcalloc(w->dag->n, sizeof(*told));
	struct outcome out = { 0 };
	size_t left = w->dag->n + 1;

	for (;;) {
		struct search_step step;
		uint32_t node;

		search_next(s, &step);
		assert_true(step.left <= left);
		left = step.left;
		out.action = step.action;
		out.node = step.node;
		out.n_set = step.n_set;
		if (step.action == SEARCH_SET)
			check_set(w, &step, told);
		if (step.action != SEARCH_TEST)
			return out;
		node = step.node;
		assert_int_equal(told[node], VERDICT_NONE);
		assert_true(node != w->dag->bad);
		told[node] = w->skip && w->skip[node] ? VERDICT_SKIP
			     : is_bad(w, node)	      ? VERDICT_BAD
						      : VERDICT_GOOD;
		out.tests++;
		out.skips += told[node] == VERDICT_SKIP;
		search_set(s, node, told[node]);
	}
}

/* A node below bad, so that bad is bad. */
static uint32_t plant(const struct dag *d, uint64_t *seed)
{
	for (;;) {
		uint32_t c = dice(seed, (uint32_t)d->n);

		if (dag_reaches(d, d->bad, c))
			return c;
	}
}

static void planted_culprit_is_found_in_any_history(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		struct world w = { .dag = &d };
		struct outcome out;
		uint64_t roll = seed;

		dag_random(&d, seed, 2 + dice(&roll, 60));
		w.culprit = plant(&d, &roll);
		out = play(&w);
		assert_int_equal(out.action, SEARCH_FOUND);
		assert_int_equal(out.node, w.culprit);
	}
}

static void skips_never_make_the_answer_wrong(void **state)
{
	unsigned int found = 0, sets = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_free_ bool *skip = NULL;
		struct world w = { .dag = &d };
		struct outcome out;
		uint64_t roll = seed;
		uint32_t rate;

		dag_random(&d, seed, 2 + dice(&roll, 60));
		w.culprit = plant(&d, &roll);
		rate = dice(&roll, 100);
		w.skip = skip = xcalloc(d.n, sizeof(*skip));
		for (size_t i = 0; i < d.n; i++)
			skip[i] = dice(&roll, 100) < rate;
		out = play(&w);
		if (out.action == SEARCH_FOUND)
			assert_int_equal(out.node, w.culprit);
		else
			assert_int_equal(out.action, SEARCH_SET);
		found += out.action == SEARCH_FOUND;
		sets += out.action == SEARCH_SET;
	}
	assert_true(found > 500 && sets > 500);
}

static void strand_takes_no_more_tests_than_log2(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 130; n++) {
		_cleanup_dag_ struct dag d = { 0 };

		dag_linear(&d, n);
		for (uint32_t c = 0; c < n; c++) {
			struct world w = { .dag = &d, .culprit = c };
			struct outcome out = play(&w);

			assert_int_equal(out.node, c);
			assert_true(out.tests <= (unsigned int)ceil(log2((double)n)));
		}
	}
}

static void culprit_on_a_side_branch_is_found(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	unsigned int most = 0;

	(void)state;
	dag_comb(&d, 6, 9);
	for (uint32_t c = 0; c < d.n; c++) {
		struct world w = { .dag = &d, .culprit = c };
		struct outcome out = play(&w);

		assert_int_equal(out.action, SEARCH_FOUND);
		assert_int_equal(out.node, c);
		most = out.tests > most ? out.tests : most;
	}
	assert_int_equal(d.n, 61);
	assert_true(most <= 7); /* log2(61) = 5.9 */
}

/* The fewest tests that settle every culprit of a set of nodes, by trying all: sets as bit masks. */
static unsigned int fewest_tests(const uint32_t *below, uint32_t set, unsigned char *memo)
{
	unsigned int best = 32;

	if (!(set & (set - 1)))
		return 0;
	if (memo[set])
		return memo[set];
	for (uint32_t rest = set; rest; rest &= rest - 1) {
		uint32_t bad = set & below[__builtin_ctz(rest)];
		uint32_t good = set & ~bad;
		unsigned int a, b;

		if (!good)
			continue;
		a = fewest_tests(below, bad, memo);
		b = fewest_tests(below, good, memo);
		a = 1 + (a > b ? a : b);
		best = a < best ? a : best;
	}
	return memo[set] = (unsigned char)best;
}

static void tests_are_near_the_fewest_possible(void **state)
{
	unsigned int worse = 0, games = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_free_ unsigned char *memo = xcalloc(1 << 13, 1);
		uint32_t below[13] = { 0 };
		unsigned int most = 0, fewest;

		dag_random(&d, seed, 13);
		for (uint32_t i = 0; i < d.n; i++)
			for (uint32_t j = 0; j < d.n; j++)
				below[i] |= (uint32_t)dag_reaches(&d, i, j) << j;
		fewest = fewest_tests(below, below[d.bad], memo);
		for (uint32_t c = 0; c < d.n; c++) {
			struct world w = { .dag = &d, .culprit = c };
			struct outcome out;

			if (!(below[d.bad] >> c & 1))
				continue;
			out = play(&w);
			most = out.tests > most ? out.tests : most;
		}
		assert_true(most <= fewest + 1);
		worse += most > fewest;
		games++;
	}
	print_message("%u of %u histories take one test more than the best strategy\n", worse,
		      games);
	assert_true(worse * 4 < games);
}

/* min(w, n - w) of a node among the left, counted by walking. */
static size_t slow_half(const struct dag *d, const bool *left, uint32_t node)
{
	size_t n = 0, w = 0;

	for (uint32_t i = 0; i < d->n; i++) {
		n += left[i];
		w += left[i] && dag_reaches(d, node, i);
	}
	return w < n - w ? w : n - w;
}

static void each_test_halves_best(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_(search_destroy_p) struct search *s = NULL;
		_cleanup_free_ bool *left = NULL;
		struct search_step step;
		uint64_t roll = seed;
		uint32_t good;
		size_t best = 0, n = 0;

		dag_random(&d, seed, 40);
		s = dag_search(&d);
		good = dice(&roll, (uint32_t)d.n);
		if (dag_reaches(&d, good, d.bad))
			continue;
		search_set(s, good, VERDICT_GOOD);
		left = xcalloc(d.n, sizeof(*left));
		for (uint32_t i = 0; i < d.n; i++)
			n += left[i] = dag_reaches(&d, d.bad, i) && !dag_reaches(&d, good, i);
		for (uint32_t i = 0; i < d.n; i++)
			if (left[i] && slow_half(&d, left, i) > best)
				best = slow_half(&d, left, i);
		search_next(s, &step);
		assert_int_equal(step.left, n);
		if (step.action == SEARCH_FOUND)
			continue;
		assert_int_equal(step.action, SEARCH_TEST);
		assert_int_equal(slow_half(&d, left, step.node), best);
		assert_true(step.weight == best || n - step.weight == best);
	}
}

/* A stretch that cannot be tested lies right in the middle; the culprit lies elsewhere. */
static unsigned int tests_with_stretch(size_t n, size_t from, size_t len, uint32_t culprit,
				       unsigned int *skips)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_free_ bool *skip = xcalloc(n, sizeof(*skip));
	struct world w = { .dag = &d, .culprit = culprit, .skip = skip };
	struct outcome out;

	dag_linear(&d, n);
	memset(skip + from, 1, len);
	out = play(&w);
	if (out.action == SEARCH_FOUND)
		assert_int_equal(out.node, culprit);
	*skips = out.skips;
	return out.tests;
}

static void a_stretch_that_cannot_be_tested_is_leapt_over(void **state)
{
	static const size_t lengths[] = { 1, 4, 16, 64, 128 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
		unsigned int most = 0, most_skips = 0;
		size_t len = lengths[i], from = 512 - len / 2;

		for (uint32_t c = 0; c < 1024; c += 3) {
			unsigned int skips, tests;

			if (c >= from && c <= from + len)
				continue;
			tests = tests_with_stretch(1024, from, len, c, &skips);
			most = tests > most ? tests : most;
			most_skips = skips > most_skips ? skips : most_skips;
		}
		print_message("stretch of %zu of 1024: at most %u tests, %u of them skips\n", len,
			      most, most_skips);
		assert_true(most_skips <= 6 + len / 16);
		assert_true(most <= 14 + len / 16);
	}
}

static void skipped_next_to_the_culprit_gives_a_set(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	bool skip[16] = { 0 };
	struct world w = { .dag = &d, .culprit = 8, .skip = skip };
	struct outcome out;

	(void)state;
	dag_linear(&d, 16);
	skip[7] = skip[8] = true;
	out = play(&w);
	assert_int_equal(out.action, SEARCH_SET);
	assert_int_equal(out.n_set, 3); /* 7, 8 and the bad 9 */
	assert_int_equal(out.node, 9);
	skip[8] = false;
	out = play(&w);
	assert_int_equal(out.action, SEARCH_SET); /* 8 is bad, its parent cannot be tested */
	assert_int_equal(out.n_set, 2);
	skip[7] = false;
	skip[9] = true;
	out = play(&w);
	assert_int_equal(out.action, SEARCH_FOUND);
}

static void several_bad_nodes_leave_their_common_ancestors(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	uint32_t base, left, right, both[2];
	struct search_step step;

	(void)state;
	base = dag_add(&d, NULL, 0);
	base = dag_add(&d, &base, 1);
	left = dag_add(&d, &base, 1);
	right = dag_add(&d, &base, 1);
	both[0] = left;
	both[1] = right;
	dag_add(&d, both, 2);
	s = dag_search(&d);
	search_set(s, left, VERDICT_BAD);
	search_set(s, right, VERDICT_BAD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_TEST);
	assert_int_equal(step.left, 2);
	assert_int_equal(step.node, 0);
	search_set(s, 0, VERDICT_GOOD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_TEST); /* by elimination, but nobody has tried it */
	assert_int_equal(step.node, base);
	search_set(s, base, VERDICT_BAD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_FOUND);
	assert_int_equal(step.node, base);
}

static void verdicts_that_contradict_are_told(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;

	(void)state;
	dag_linear(&d, 10);
	s = dag_search(&d);
	search_set(s, 3, VERDICT_BAD);
	search_set(s, 6, VERDICT_GOOD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_CONTRADICTION);
	assert_int_equal(step.node, 3);
	assert_int_equal(step.other, 6);
	search_set(s, 6, VERDICT_NONE);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_TEST);
	search_set(s, 9, VERDICT_GOOD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_CONTRADICTION);
	assert_int_equal(step.other, 9);
}

static void bad_branches_without_common_ground_contradict(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;

	(void)state;
	dag_octopus(&d, 3);
	s = dag_search(&d);
	search_set(s, 0, VERDICT_GOOD);
	search_set(s, 1, VERDICT_BAD);
	search_set(s, 3, VERDICT_BAD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_CONTRADICTION);
	assert_int_equal(step.node, 1);
	assert_int_equal(step.other, 3);
}

static void verdicts_can_be_replaced_and_order_does_not_matter(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *a = NULL;
	_cleanup_(search_destroy_p) struct search *b = NULL;
	struct search_step x, y;

	(void)state;
	dag_random(&d, 7, 50);
	a = dag_search(&d);
	b = dag_search(&d);
	search_set(a, 20, VERDICT_BAD);
	search_set(a, 20, VERDICT_SKIP);
	search_set(a, 30, VERDICT_SKIP);
	search_next(a, &x);
	search_set(b, 30, VERDICT_SKIP);
	search_next(b, &y);
	search_set(b, 20, VERDICT_SKIP);
	search_next(b, &y);
	assert_int_equal(x.action, y.action);
	assert_int_equal(x.node, y.node);
}

static void a_peek_foresees_and_leaves_no_trace(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_(search_destroy_p) struct search *s = NULL;
		struct search_step step, again;
		uint32_t if_good, if_bad;

		dag_random(&d, seed, 30);
		s = dag_search(&d);
		search_next(s, &step);
		if (step.action != SEARCH_TEST)
			continue;
		dag_foresee(s, step.node, &if_good, &if_bad);
		search_next(s, &again);
		assert_int_equal(again.node, step.node);
		search_set(s, step.node, VERDICT_GOOD);
		search_next(s, &again);
		assert_int_equal(again.action == SEARCH_TEST ? again.node : UINT32_MAX, if_good);
		search_set(s, step.node, VERDICT_BAD);
		search_next(s, &again);
		assert_int_equal(again.action == SEARCH_TEST ? again.node : UINT32_MAX, if_bad);
	}
}

static void expected_steps_fit_the_history(void **state)
{
	_cleanup_dag_ struct dag strand = { 0 };
	_cleanup_dag_ struct dag wide = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	_cleanup_(search_destroy_p) struct search *o = NULL;
	struct search_step step;

	(void)state;
	dag_linear(&strand, 64);
	s = dag_search(&strand);
	search_next(s, &step);
	assert_int_equal(step.steps, 6);
	assert_int_equal(step.weight, 32);
	dag_octopus(&wide, 40);
	o = dag_search(&wide);
	search_set(o, 0, VERDICT_GOOD);
	search_next(o, &step);
	assert_int_equal(step.weight, 1);
	assert_in_range(step.steps, 20, 40);
}

static void graph_that_is_none_is_refused(void **state)
{
	static const uint32_t first[] = { 0, 1, 1 };
	static const uint32_t parents[] = { 1 };
	struct search_graph g = { .n = 2, .first = first, .parents = parents, .bad = 1 };
	struct search *s = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(search_create(&g, NULL, &s, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "not topological"));
	g.n = 0;
	assert_int_equal(search_create(&g, NULL, &s, &err), -1);
	assert_null(s);
}

/* As many candidates as a whole kernel directory has had, with merges all over. */
static void fifty_thousand_nodes_are_searched_in_time(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;
	uint32_t culprit = 31337;
	unsigned int tests = 0;

	(void)state;
	dag_comb(&d, 5000, 9);
	s = dag_search(&d);
	for (search_next(s, &step); step.action == SEARCH_TEST; search_next(s, &step)) {
		search_set(s, step.node,
			   dag_reaches(&d, step.node, culprit) ? VERDICT_BAD : VERDICT_GOOD);
		tests++;
	}
	assert_int_equal(step.action, SEARCH_FOUND);
	assert_int_equal(step.node, culprit);
	assert_true(tests <= 18);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(planted_culprit_is_found_in_any_history),
		cmocka_unit_test(skips_never_make_the_answer_wrong),
		cmocka_unit_test(strand_takes_no_more_tests_than_log2),
		cmocka_unit_test(culprit_on_a_side_branch_is_found),
		cmocka_unit_test(tests_are_near_the_fewest_possible),
		cmocka_unit_test(each_test_halves_best),
		cmocka_unit_test(a_stretch_that_cannot_be_tested_is_leapt_over),
		cmocka_unit_test(skipped_next_to_the_culprit_gives_a_set),
		cmocka_unit_test(several_bad_nodes_leave_their_common_ancestors),
		cmocka_unit_test(verdicts_that_contradict_are_told),
		cmocka_unit_test(bad_branches_without_common_ground_contradict),
		cmocka_unit_test(verdicts_can_be_replaced_and_order_does_not_matter),
		cmocka_unit_test(a_peek_foresees_and_leaves_no_trace),
		cmocka_unit_test(expected_steps_fit_the_history),
		cmocka_unit_test(graph_that_is_none_is_refused),
		cmocka_unit_test(fifty_thousand_nodes_are_searched_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
