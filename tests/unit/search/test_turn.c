// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histories that are not monotone, played by a controller that tries what the search asks for, tries the
 * parents of what was found, and asks about each turn that is told to it.
 *
 * The truth is made commit by commit. A commit has the bug if its parent has it, unless it brings or mends
 * it itself. A merge of sides that differ takes one of them: either the bug comes back by the merge, or the
 * merge takes it away from the side that had it.
 */
#include "unit/search/dag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

enum event { NOTHING, BRINGS, MENDS };

/* A repository and the range of it that is searched. */
struct world {
	struct dag repo;
	bool *bug;	  /* [repo.n] */
	struct dag range; /* what is asked about, with numbers of its own */
	uint32_t *local;  /* [repo.n] number in the range, or NONE */
	uint32_t *of;	  /* [range.n] number in the repository */
	enum search_find find;
	double flaky;
	uint64_t roll;
	unsigned int tests, turns, carried, before, apart;
	uint32_t *answers; /* [n_answers] in the repository, in the order they were found */
	size_t n_answers;
};

#define NONE UINT32_MAX

static void world_deinit(struct world *w)
{
	dag_deinit(&w->repo);
	dag_deinit(&w->range);
	free(w->bug);
	free(w->local);
	free(w->of);
	free(w->answers);
}

#define _cleanup_world_ __attribute__((cleanup(world_deinit)))

/*
 * @event: [repo.n]; where a merge's sides differ, BRINGS takes the bug, the others take the side without it.
 * Where a fix is searched all states are exchanged: what never had the bug has it from the start.
 */
static void world_states(struct world *w, const enum event *event)
{
	const struct dag *d = &w->repo;

	w->bug = xcalloc(d->n, sizeof(*w->bug));
	for (size_t i = 0; i < d->n; i++) {
		size_t parents = d->first[i + 1] - d->first[i], with = 0;

		for (uint32_t e = d->first[i]; e < d->first[i + 1]; e++)
			with += w->bug[d->parents[e]];
		w->bug[i] = event[i] == BRINGS || (with && with == parents && event[i] != MENDS);
	}
	for (size_t i = 0; w->find == SEARCH_FIX && i < d->n; i++)
		w->bug[i] = !w->bug[i];
}

/* good..bad; @good NONE: everything below bad. */
static void world_range(struct world *w, uint32_t good, uint32_t bad)
{
	const struct dag *d = &w->repo;

	w->local = xcalloc(d->n, sizeof(*w->local));
	w->of = xcalloc(d->n, sizeof(*w->of));
	for (uint32_t i = 0; i < d->n; i++) {
		uint32_t parents[8];
		size_t n = 0;

		w->local[i] = NONE;
		if (!dag_reaches(d, bad, i) || (good != NONE && dag_reaches(d, good, i)))
			continue;
		for (uint32_t e = d->first[i]; e < d->first[i + 1]; e++)
			if (w->local[d->parents[e]] != NONE)
				parents[n++] = w->local[d->parents[e]];
		w->local[i] = dag_add(&w->range, parents, n);
		w->of[w->local[i]] = i;
	}
}

static enum verdict trial(struct world *w, uint32_t repo_node)
{
	w->tests++;
	return w->bug[repo_node] && (!w->flaky || dice(&w->roll, 1000000) >= w->flaky * 1e6)
		       ? VERDICT_BAD
		       : VERDICT_GOOD;
}

/* As often as no chance explains it, where trials may lie; all of it is told. */
static enum verdict surely(struct world *w, struct search *s, uint32_t repo_node)
{
	enum verdict ret = VERDICT_GOOD;

	for (int i = 0; i < (w->flaky > 0 ? 7 : 1); i++) {
		enum verdict v = trial(w, repo_node);

		if (w->local[repo_node] != NONE)
			search_set(s, w->local[repo_node], v);
		ret = v == VERDICT_BAD ? v : ret;
	}
	return ret;
}

static void answer(struct world *w, uint32_t node)
{
	w->answers = xrealloc(w->answers, w->n_answers + 1, sizeof(*w->answers));
	w->answers[w->n_answers++] = node;
}

/*
 * Tries the real parents of what was found, and tells what they are.
 * @new: how the new state is called by this search
 * Return: whether this proves it, or proves that there is nothing to be found.
 */
static bool confirm(struct world *w, struct search *s, const struct search_step *step,
		    enum verdict new)
{
	const struct dag *d = &w->repo;
	uint32_t node = w->of[step->node];
	size_t n_old = 0, n_new = 0;

	for (uint32_t e = d->first[node]; e < d->first[node + 1]; e++) {
		enum verdict v = surely(w, s, d->parents[e]);

		n_old += v != new;
		n_new += v == new;
		if (v == new)
			search_inherit(s, step->node);
	}
	if (n_new && !step->carried)
		return false;
	w->carried += n_new && n_old;
	w->before += n_new && !n_old;
	if (!n_new || n_old)
		answer(w, node);
	return true;
}

static void play(struct world *w, struct search *s, uint32_t end, enum verdict new);

static void turn(struct world *w, struct search *s, const struct search_step *step,
		 enum verdict new)
{
	enum verdict old = new == VERDICT_BAD ? VERDICT_GOOD : VERDICT_BAD;
	struct search *came = NULL, *went = NULL;
	struct err err = { 0 };

	w->turns++;
	assert_true(dag_reaches(&w->range, step->other, step->node));
	if (search_turn(s, step->node, step->other, TURN_CAME, &came, &err) < 0 ||
	    search_turn(s, step->node, step->other, TURN_WENT, &went, &err) < 0)
		fail_msg("%s", err.msg);
	play(w, came, step->node, new);
	play(w, went, step->other, old);
	search_destroy(came);
	search_destroy(went);
	search_accept(s);
}

/* Plays a search to its end, and those of the turns that it meets. @new: how it calls the new state. */
static void play(struct world *w, struct search *s, uint32_t end, enum verdict new)
{
	struct search_step step, last = { .action = SEARCH_TEST };

	for (unsigned int i = 0; i < 10 * w->range.n + 100; i++) {
		search_next(s, &step);
		switch (step.action) {
		case SEARCH_TEST:
			search_set(s, step.node, trial(w, w->of[step.node]));
			break;
		case SEARCH_FOUND:
			if (confirm(w, s, &step, new))
				return;
			assert_false(!w->flaky && last.action == SEARCH_FOUND &&
				     last.node == step.node && last.carried == step.carried);
			break;
		case SEARCH_CONTRADICTION:
			assert_true(w->flaky || trial(w, w->of[step.node]) == new);
			if (!w->flaky && trial(w, w->of[step.other]) == new) {
				/* Two bugs, each with a branch of its own. */
				assert_false(dag_reaches(&w->range, step.other, step.node));
				w->apart++;
				search_accept(s);
				break;
			}
			assert_true(step.node != end);
			turn(w, s, &step, new);
			break;
		case SEARCH_SET:
			fail_msg("a set of %zu where everything can be tried", step.n_set);
		}
		last = step;
	}
	fail_msg("no end");
}

static struct search *search_of(const struct world *w)
{
	struct search_graph g = { .n = w->range.n,
				  .first = w->range.first,
				  .parents = w->range.parents,
				  .bad = w->range.bad };
	struct search_rules rules = { w->find, w->flaky, 0.99 };
	struct search *s = NULL;
	struct err err = { 0 };

	if (search_create(&g, &rules, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

static void play_all(struct world *w, const uint32_t *known, size_t n_known)
{
	_cleanup_(search_destroy_p) struct search *s = search_of(w);
	enum verdict new = w->find == SEARCH_FIX ? VERDICT_GOOD : VERDICT_BAD;

	for (size_t i = 0; i < n_known; i++)
		search_set(s, known[i], trial(w, w->of[known[i]]));
	play(w, s, w->range.bad, new);
}

/* Whether the state turns at a node: it has a parent in the other one, or none and the new one itself. */
static bool turns_at(const struct world *w, uint32_t node)
{
	const struct dag *d = &w->repo;
	bool new = w->bug[node] == (w->find == SEARCH_REGRESSION);
	bool turns = d->first[node] == d->first[node + 1] && new;

	for (uint32_t e = d->first[node]; e < d->first[node + 1]; e++)
		turns |= w->bug[d->parents[e]] != w->bug[node];
	return turns;
}

/* @rate: of a hundred nodes so many bring, and so many mend. */
static enum event *events(const struct dag *d, uint32_t rate, uint64_t *roll)
{
	enum event *ret = xcalloc(d->n, sizeof(*ret));

	for (size_t i = 0; i < d->n; i++) {
		uint32_t r = dice(roll, 100);

		ret[i] = r < rate ? BRINGS : r < 2 * rate ? MENDS : NOTHING;
		/* A merge that carries the bug in: what a merge brings, its sides may have had. */
		if (d->first[i + 1] - d->first[i] > 1 && ret[i] == NOTHING && dice(roll, 2))
			ret[i] = BRINGS;
	}
	return ret;
}

/* What came out of many games. */
struct sums {
	unsigned int games, tests, turns, answers, wrong, carried, before, apart;
};

static void sums_add(struct sums *f, const struct world *w)
{
	f->games++;
	f->tests += w->tests;
	f->turns += w->turns;
	f->answers += (unsigned int)w->n_answers;
	f->carried += w->carried;
	f->before += w->before;
	f->apart += w->apart;
	for (size_t i = 0; i < w->n_answers; i++)
		f->wrong += !turns_at(w, w->answers[i]);
}

static void sums_print(const char *what, const struct sums *f)
{
	print_message("%s: %u games, %u tests, %u turns, %u answers, %u wrong, %u carried, %u from "
		      "before, %u apart\n",
		      what, f->games, f->tests, f->turns, f->answers, f->wrong, f->carried,
		      f->before, f->apart);
}

/* Good and bad in turn, some commits of each stretch known: every turn is told by name. */
static void strand_of_turns(struct world *w, size_t turns, uint32_t *at)
{
	_cleanup_free_ enum event *event = xcalloc(200, sizeof(*event));
	uint32_t known[64];
	size_t n = 0;

	dag_linear(&w->repo, 200);
	for (size_t t = 0; t < turns; t++) {
		at[t] = (uint32_t)(t * 200 / turns) + 1 + dice(&w->roll, 10);
		event[at[t]] = t % 2 ? MENDS : BRINGS;
	}
	world_states(w, event);
	world_range(w, NONE, 199);
	for (size_t t = 0; t + 1 < turns; t++) {
		uint32_t node = at[t] + dice(&w->roll, at[t + 1] - at[t]);

		/* Where trials may lie, often enough to be beyond doubt. */
		for (int i = 0; i < (w->flaky > 0 ? 7 : 1); i++)
			known[n++] = node;
	}
	play_all(w, known, n);
}

static void every_turn_of_a_strand_is_found(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++) {
		_cleanup_world_ struct world w = { .find = seed % 2 ? SEARCH_FIX
								    : SEARCH_REGRESSION,
						   .roll = seed };
		size_t turns = 1 + 2 * (size_t)dice(&w.roll, 5);
		uint32_t at[16];

		strand_of_turns(&w, turns, at);
		assert_int_equal(w.n_answers, turns);
		assert_int_equal(w.turns, turns / 2);
		for (size_t t = 0; t < turns; t++) {
			bool found = false;

			for (size_t i = 0; i < w.n_answers; i++)
				found |= w.answers[i] == at[t];
			assert_true(found);
		}
	}
}

static void turns_are_found_where_trials_lie(void **state)
{
	struct sums f = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		_cleanup_world_ struct world w = { .find = seed % 2 ? SEARCH_FIX
								    : SEARCH_REGRESSION,
						   .roll = seed,
						   .flaky = 0.1 };
		uint32_t at[16];

		strand_of_turns(&w, 5, at);
		sums_add(&f, &w);
	}
	sums_print("strands of five turns, a tenth of bad verdicts missed", &f);
	assert_true(f.answers > 900);
	assert_true(f.wrong * 100 <= f.answers);
}

static void every_turn_of_any_history_is_one(void **state)
{
	struct sums f = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 3000; seed++) {
		_cleanup_world_ struct world w = { .find = seed % 2 ? SEARCH_FIX
								    : SEARCH_REGRESSION,
						   .roll = seed };
		_cleanup_free_ enum event *event = NULL;
		uint32_t known[12], bad;
		size_t n = dice(&w.roll, 12);

		dag_random(&w.repo, seed, 3 + dice(&w.roll, 60));
		event = events(&w.repo, 1 + dice(&w.roll, 15), &w.roll);
		bad = (uint32_t)w.repo.n - 1;
		event[bad] = BRINGS;
		world_states(&w, event);
		world_range(&w, NONE, bad);
		for (size_t i = 0; i < n; i++)
			known[i] = dice(&w.roll, (uint32_t)w.range.n);
		play_all(&w, known, n);
		sums_add(&f, &w);
	}
	sums_print("any histories", &f);
	assert_int_equal(f.wrong, 0);
	assert_true(f.turns > 500 && f.carried > 300 && f.apart > 30);
	assert_true(f.answers > 3000 && f.before < 100);
}

/* The range is good..bad, and what lies below good has turns of its own. */
static bool play_range(struct world *w, uint64_t seed)
{
	_cleanup_free_ enum event *event = NULL;
	bool new = w->find == SEARCH_REGRESSION;
	uint32_t good, bad;

	dag_random(&w->repo, seed, 10 + dice(&w->roll, 80));
	event = events(&w->repo, 1 + dice(&w->roll, 6), &w->roll);
	world_states(w, event);
	bad = (uint32_t)w->repo.n - 1 - dice(&w->roll, 3);
	good = dice(&w->roll, bad);
	if (w->bug[bad] != new || w->bug[good] == new || !dag_reaches(&w->repo, bad, good))
		return false;
	world_range(w, good, bad);
	play_all(w, NULL, 0);
	return true;
}

static void ranges(double flaky, struct sums *f)
{
	for (uint64_t seed = 1; seed <= 9000; seed++) {
		_cleanup_world_ struct world w = {
			.find = seed % 2 ? SEARCH_FIX : SEARCH_REGRESSION,
			.roll = seed,
			.flaky = flaky,
		};

		if (play_range(&w, seed))
			sums_add(f, &w);
	}
}

static void what_came_before_the_range_is_not_blamed(void **state)
{
	struct sums exact = { 0 }, flaky = { 0 };

	(void)state;
	ranges(0, &exact);
	sums_print("ranges with a past", &exact);
	assert_int_equal(exact.wrong, 0);
	assert_true(exact.games > 1000 && exact.carried > 150);
	assert_true(exact.answers + exact.before >= exact.games);
	assert_true(exact.before < exact.games / 20);
	ranges(0.1, &flaky);
	sums_print("the same, a tenth of bad verdicts missed", &flaky);
	assert_true(flaky.wrong * 100 <= flaky.answers);
	assert_true(flaky.carried > 150);
}

enum { GOOD_END, S1, S2, SIDE_TIP, MAIN, MERGE, BAD_END, N_NODES };

/*
 * The picture in left.c: a side branch S1..SIDE_TIP that left the trunk before the good end, and trunk
 * commits MAIN, MERGE, BAD_END above it. S1's parent is excluded, MAIN's is the good end.
 */
static struct search *side_branch(struct dag *d, enum search_find find)
{
	static const uint32_t s1[] = { S1 - 1 }, s2[] = { S2 - 1 },
			      merge[] = { MAIN - 1, SIDE_TIP - 1 }, end[] = { MERGE - 1 };
	struct search_rules rules = { .find = find };
	struct search_graph g;
	struct search *s = NULL;
	struct err err = { 0 };

	dag_add(d, NULL, 0);
	dag_add(d, s1, 1);
	dag_add(d, s2, 1);
	dag_add(d, NULL, 0);
	dag_add(d, merge, 2);
	dag_add(d, end, 1);
	g = (struct search_graph){
		.n = d->n, .first = d->first, .parents = d->parents, .bad = d->bad
	};
	if (search_create(&g, &rules, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

static void tell(struct search *s, uint32_t node, bool new, enum search_find find)
{
	search_set(s, node - 1, new == (find == SEARCH_REGRESSION) ? VERDICT_BAD : VERDICT_GOOD);
}

static void merge_that_carries_the_change_in_is_named(void **state)
{
	(void)state;
	for (enum search_find find = SEARCH_REGRESSION; find <= SEARCH_FIX; find++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_(search_destroy_p) struct search *s = side_branch(&d, find);
		struct search_view views[N_NODES];
		struct search_step step;

		tell(s, S2, true, find);
		search_next(s, &step);
		assert_int_equal(step.left, 2);
		tell(s, S1, true, find);
		search_next(s, &step);
		assert_int_equal(step.action, SEARCH_FOUND);
		assert_int_equal(step.node, S1 - 1);
		assert_false(step.carried);
		search_inherit(s, S1 - 1); /* its excluded parent is new too */
		search_views(s, views);
		assert_true(views[S1 - 1].inherited);
		search_next(s, &step);
		assert_int_equal(step.left, 4); /* neither S1 nor S2 */
		tell(s, MERGE, true, find);
		search_next(s, &step);
		assert_int_equal(step.left, 3); /* it counts: MAIN may have made it new */
		tell(s, SIDE_TIP, true, find);
		tell(s, MAIN, false, find);
		search_next(s, &step);
		assert_int_equal(step.action, SEARCH_FOUND);
		assert_int_equal(step.node, MERGE - 1);
		assert_true(step.carried);
	}
}

static void change_on_the_trunk_is_found_beside_an_old_side_branch(void **state)
{
	(void)state;
	for (enum search_find find = SEARCH_REGRESSION; find <= SEARCH_FIX; find++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_(search_destroy_p) struct search *s = side_branch(&d, find);
		struct search_step step;

		tell(s, SIDE_TIP, true, find);
		tell(s, S1, true, find);
		search_inherit(s, S1 - 1);
		search_next(s, &step);
		assert_int_equal(step.left, 3); /* MAIN, MERGE, BAD_END */
		tell(s, MAIN, true, find);
		search_next(s, &step);
		assert_int_equal(step.action, SEARCH_FOUND);
		assert_int_equal(step.node, MAIN - 1);
		assert_false(step.carried);
		search_set(s, MAIN - 1, VERDICT_NONE);
		tell(s, MERGE, false, find); /* it kept the mending: no contradiction with S1 */
		search_next(s, &step);
		assert_int_equal(step.action, SEARCH_FOUND);
		assert_int_equal(step.node, BAD_END - 1);
		assert_false(step.carried);
	}
}

static void old_side_branch_is_mended_and_broken_again(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;

	(void)state;
	s = side_branch(&d, SEARCH_REGRESSION);
	search_set(s, S1 - 1, VERDICT_BAD);
	search_inherit(s, S1 - 1);
	search_set(s, S2 - 1, VERDICT_GOOD); /* a trunk commit was merged */
	search_set(s, SIDE_TIP - 1, VERDICT_BAD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_FOUND);
	assert_int_equal(step.node, SIDE_TIP - 1);
}

static void range_that_had_it_all_along_ends_at_its_end(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;

	(void)state;
	dag_linear(&d, 5);
	s = dag_search(&d);
	search_set(s, 0, VERDICT_BAD);
	search_inherit(s, 0);
	search_set(s, 3, VERDICT_BAD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_FOUND);
	assert_int_equal(step.node, 4);
	assert_true(step.carried); /* and its parent is bad: proves nothing */
}

static void merge_of_what_never_had_it_takes_it_away(void **state)
{
	static const uint32_t merge[] = { 2, 3 }, after[] = { 4 }, base[] = { 0 };
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	_cleanup_(search_destroy_p) struct search *went = NULL;
	struct search_step step;
	struct err err = { 0 };

	(void)state;
	dag_linear(&d, 3);     /* 0 good, 1 and 2 bad */
	dag_add(&d, base, 1);  /* 3 good */
	dag_add(&d, merge, 2); /* 4 good */
	dag_add(&d, after, 1); /* 5 good */
	dag_add(&d, &after[0], 1);
	d.bad = 6;
	s = dag_search(&d);
	search_set(s, 1, VERDICT_BAD);
	search_set(s, 3, VERDICT_GOOD);
	search_set(s, 5, VERDICT_GOOD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_CONTRADICTION);
	assert_int_equal(step.node, 1);
	assert_int_equal(step.other, 5);
	assert_int_equal(search_turn(s, 1, 5, TURN_WENT, &went, &err), 0);
	search_next(went, &step);
	assert_int_equal(step.action, SEARCH_TEST);
	assert_int_equal(step.left, 3); /* 2, 4, 5: what has 1 below it */
	search_set(went, 2, VERDICT_BAD);
	search_set(went, 4, VERDICT_GOOD);
	search_set(went, 3, VERDICT_BAD); /* outside: says nothing */
	search_next(went, &step);
	assert_int_equal(step.action, SEARCH_FOUND);
	assert_int_equal(step.node, 4);
	assert_true(step.carried);
	search_destroy(take_ptr(went));
	assert_int_equal(search_turn(s, 5, 1, TURN_WENT, &went, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_null(went);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_turn_of_a_strand_is_found),
		cmocka_unit_test(turns_are_found_where_trials_lie),
		cmocka_unit_test(every_turn_of_any_history_is_one),
		cmocka_unit_test(what_came_before_the_range_is_not_blamed),
		cmocka_unit_test(merge_that_carries_the_change_in_is_named),
		cmocka_unit_test(change_on_the_trunk_is_found_beside_an_old_side_branch),
		cmocka_unit_test(old_side_branch_is_mended_and_broken_again),
		cmocka_unit_test(range_that_had_it_all_along_ends_at_its_end),
		cmocka_unit_test(merge_of_what_never_had_it_takes_it_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
