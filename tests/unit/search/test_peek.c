// SPDX-License-Identifier: GPL-2.0-or-later
/* A peek is what telling would give, and leaves no trace: held against telling a search of its own. */
#include "unit/search/dag.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

#define PEEK_MAX_MS 500 /* for two, on a busy machine; measured with sanitizers: 76 */

static struct search *search_of(const struct dag *d, const struct search_rules *rules,
				const double *priors)
{
	const struct search_graph g = {
		.n = d->n, .first = d->first, .parents = d->parents, .bad = d->bad, .priors = priors
	};
	struct search *s = NULL;
	struct err err = { 0 };

	if (search_create(&g, rules, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

static void same_step(const struct search_step *a, const struct search_step *b)
{
	assert_int_equal(a->action, b->action);
	assert_int_equal(a->node, b->node);
	assert_int_equal(a->other, b->other);
	assert_int_equal(a->left, b->left);
	assert_int_equal(a->weight, b->weight);
	assert_int_equal(a->steps, b->steps);
	assert_true(a->chance == b->chance);
	assert_true(a->confidence == b->confidence);
	assert_int_equal(a->carried, b->carried);
}

/* A game: two searches are told the same, one of them is asked about each node in between. */
struct game {
	struct dag d;
	struct search_rules rules;
	double *priors;
	struct search *asked, *quiet;
	uint64_t roll;
};

static void game_begin(struct game *g, uint64_t seed)
{
	static const double flaky[] = { 0, 0, 0.1, 0.3 };

	*g = (struct game){ .roll = seed };
	dag_random(&g->d, seed, 2 + dice(&g->roll, 40));
	g->rules = (struct search_rules){ .find = seed % 3 ? SEARCH_REGRESSION : SEARCH_FIX,
					  .flaky = flaky[seed % ARRAY_SIZE(flaky)],
					  .confidence = 0.95 };
	g->priors = xcalloc(g->d.n, sizeof(*g->priors));
	for (size_t i = 0; i < g->d.n; i++)
		g->priors[i] = 1 + dice(&g->roll, 9);
	g->asked = search_of(&g->d, &g->rules, seed % 2 ? g->priors : NULL);
	g->quiet = search_of(&g->d, &g->rules, seed % 2 ? g->priors : NULL);
}

static void game_deinit(struct game *g)
{
	search_destroy(g->asked);
	search_destroy(g->quiet);
	dag_deinit(&g->d);
	free(g->priors);
}

static void tell(struct game *g, uint32_t node, uint32_t what)
{
	struct search *both[] = { g->asked, g->quiet };

	for (size_t i = 0; i < ARRAY_SIZE(both); i++) {
		if (what < 2)
			search_set(both[i], node, what ? VERDICT_BAD : VERDICT_GOOD);
		else if (what == 2)
			search_set(both[i], node, VERDICT_SKIP);
		else
			search_block(both[i], node, what - 2);
	}
}

static void a_peek_is_what_telling_would_give(void **state)
{
	static const enum verdict all[] = { VERDICT_GOOD, VERDICT_BAD, VERDICT_SKIP };
	unsigned int ends[4] = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		__attribute__((cleanup(game_deinit))) struct game g;
		struct search_step now, then, told;

		game_begin(&g, seed);
		for (unsigned int turn = 0; turn < 6; turn++) {
			uint32_t node = dice(&g.roll, (uint32_t)g.d.n);

			search_next(g.asked, &now);
			if (now.action == SEARCH_TEST && turn % 2)
				node = now.node;
			for (size_t i = 0; i < ARRAY_SIZE(all); i++)
				search_peek(g.asked, node, all[i], &then);
			tell(&g, node, dice(&g.roll, 5));
			search_next(g.quiet, &told);
			search_next(g.asked, &now);
			same_step(&now, &told);

			node = dice(&g.roll, (uint32_t)g.d.n);
			search_peek(g.asked, node, all[turn % 3], &then);
			assert_true(!then.set && !then.n_set && !then.blockers && !then.n_blockers);
			search_set(g.asked, node, all[turn % 3]);
			search_set(g.quiet, node, all[turn % 3]);
			search_next(g.asked, &now);
			same_step(&then, &now);
			ends[then.action]++;
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		assert_true(ends[i] > 20);
}

/* The lists of the last answer belong to the search until its next call, and a peek is none. */
static void a_peek_leaves_the_last_set(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step set, then;

	(void)state;
	dag_linear(&d, 3);
	s = search_of(&d, NULL, NULL);
	search_block(s, 0, 7);
	search_block(s, 1, 7);
	search_next(s, &set);
	assert_int_equal(set.action, SEARCH_SET);
	search_peek(s, 1, VERDICT_GOOD, &then);
	assert_int_equal(then.action, SEARCH_FOUND);
	assert_int_equal(set.n_set, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(set.set[i], i);
	assert_int_equal(set.n_blockers, 1);
	assert_int_equal(set.blockers[0], 7);
}

/* By counting the worlds: the answer is one of the left, as likely as its prior says. */
static void chances_are_what_lies_behind(void **state)
{
	unsigned int tests = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		__attribute__((cleanup(game_deinit))) struct game g;
		_cleanup_free_ struct search_view *views = NULL;
		struct search_step step;
		double p = 0;

		game_begin(&g, seed);
		views = xcalloc(g.d.n, sizeof(*views));
		for (unsigned int turn = 0; turn < 3; turn++)
			tell(&g, dice(&g.roll, (uint32_t)g.d.n), 2);
		search_next(g.asked, &step);
		if (step.action != SEARCH_TEST)
			continue;
		tests++;
		search_views(g.asked, views);
		for (uint32_t i = 0; i < g.d.n; i++)
			if (views[i].left && dag_reaches(&g.d, step.node, i))
				p += views[i].mass;
		if (g.rules.find == SEARCH_FIX)
			p += (1 - p) * g.rules.flaky;
		else
			p -= p * g.rules.flaky;
		assert_true(fabs(step.chance - p) < 1e-9);
		assert_true(step.chance > 0 && step.chance <= 1);
	}
	assert_true(tests > 100);
}

/* As many as the longest histories at hand have; it is asked while a build waits. */
static void a_peek_at_79000_nodes_takes_a_moment(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step now, then;
	int64_t start, took;

	(void)state;
	dag_comb(&d, 7900, 9);
	s = search_of(&d, NULL, NULL);
	search_next(s, &now);
	start = clock_now_ns();
	search_peek(s, now.node, VERDICT_GOOD, &then);
	search_peek(s, now.node, VERDICT_BAD, &then);
	took = clock_now_ns() - start;
	print_message("two peeks at %zu nodes: %.1f ms\n", d.n, (double)took / 1e6);
	assert_true(took < PEEK_MAX_MS * NS_PER_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_peek_is_what_telling_would_give),
		cmocka_unit_test(a_peek_leaves_the_last_set),
		cmocka_unit_test(chances_are_what_lies_behind),
		cmocka_unit_test(a_peek_at_79000_nodes_takes_a_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
