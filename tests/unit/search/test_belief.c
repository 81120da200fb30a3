// SPDX-License-Identifier: GPL-2.0-or-later
/* Searches whose trials lie: how often the wrong one is named, and what the right one costs. */
#include "unit/search/dag.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

/* A history, who changed it, and how its trials lie. */
struct world {
	const struct dag *dag;
	struct search_rules rules;
	uint32_t culprit;
	double miss;	      /* chance that a bad node's trial finds nothing */
	bool *changed;	      /* [n] the node is in the new state */
	const bool *skip;     /* [n] cannot be tried, or NULL */
	const double *priors; /* [n], or NULL */
	uint64_t roll;
};

static void world_init(struct world *w, const struct dag *d, uint32_t culprit, double miss,
		       uint64_t seed)
{
	*w = (struct world){ .dag = d, .culprit = culprit, .miss = miss, .roll = seed };
	w->rules = (struct search_rules){ .flaky = miss, .confidence = 0.99 };
	w->changed = xcalloc(d->n, sizeof(*w->changed));
	w->changed[culprit] = true;
	for (uint32_t i = culprit; i < d->n; i++)
		for (uint32_t e = d->first[i]; e < d->first[i + 1]; e++)
			w->changed[i] |= w->changed[d->parents[e]];
}

static void world_deinit(struct world *w)
{
	free(w->changed);
}

#define _cleanup_world_ __attribute__((cleanup(world_deinit)))

static struct search *search_of(const struct world *w)
{
	struct search_graph g = { .n = w->dag->n,
				  .first = w->dag->first,
				  .parents = w->dag->parents,
				  .bad = w->dag->bad,
				  .priors = w->priors };
	struct search *s = NULL;
	struct err err = { 0 };

	if (search_create(&g, &w->rules, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

static enum verdict trial(struct world *w, uint32_t node)
{
	bool bad = w->changed[node] == (w->rules.find == SEARCH_REGRESSION);

	if (w->skip && w->skip[node])
		return VERDICT_SKIP;
	return bad && dice(&w->roll, 1000000) >= w->miss * 1e6 ? VERDICT_BAD : VERDICT_GOOD;
}

struct outcome {
	enum search_action action;
	uint32_t node;
	bool right; /* the culprit was named, or is in the set */
	size_t n_set;
	unsigned int tests;
	unsigned int expected; /* before the first */
};

static struct outcome play(struct world *w)
{
	_cleanup_(search_destroy_p) struct search *s = search_of(w);
	struct outcome out = { 0 };
	struct search_step step;

	for (search_next(s, &step); step.action == SEARCH_TEST; search_next(s, &step)) {
		assert_true(step.steps >= 1 && step.node != w->dag->bad);
		assert_true(!w->rules.flaky || step.confidence < w->rules.confidence);
		out.expected = out.tests++ ? out.expected : step.steps;
		assert_true(out.tests < 5000);
		search_set(s, step.node, trial(w, step.node));
	}
	out.action = step.action;
	out.node = step.node;
	out.n_set = step.n_set;
	out.right = step.action == SEARCH_FOUND && step.node == w->culprit;
	for (size_t i = 0; i < step.n_set; i++)
		out.right |= step.set[i] == w->culprit;
	return out;
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

/* Strands, combs and random histories of some hundred nodes in turn. */
static void history(struct dag *d, uint64_t seed)
{
	uint64_t roll = seed;
	size_t n = 150 + dice(&roll, 350);

	if (seed % 2)
		dag_linear(d, n);
	else if (seed % 4)
		dag_comb(d, n / 10, 9);
	else
		dag_random(d, seed, n);
}

struct figures {
	unsigned int games, wrong;
	unsigned int median, exact; /* trials of a game, and of the same where trials do not lie */
	double mean, expected;
};

static int compare(const void *a, const void *b)
{
	return (int)*(const unsigned int *)a - (int)*(const unsigned int *)b;
}

static unsigned int median(unsigned int *items, unsigned int n)
{
	qsort(items, n, sizeof(*items), compare);
	return items[n / 2];
}

static struct figures many(unsigned int games, double miss, double confidence,
			   enum search_find find)
{
	_cleanup_free_ unsigned int *tests = xcalloc(games, sizeof(*tests));
	_cleanup_free_ unsigned int *exact = xcalloc(games, sizeof(*exact));
	struct figures f = { .games = games };

	for (unsigned int i = 0; i < games; i++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_world_ struct world w = { 0 };
		uint64_t roll = i;
		struct outcome out;

		history(&d, i);
		world_init(&w, &d, plant(&d, &roll), miss, roll);
		w.rules = (struct search_rules){ find, miss, confidence };
		out = play(&w);
		assert_int_equal(out.action, SEARCH_FOUND);
		f.wrong += !out.right;
		tests[i] = out.tests;
		f.mean += out.tests / (double)games;
		f.expected += out.expected / (double)games;
		w.miss = 0;
		w.rules = (struct search_rules){ .find = find };
		out = play(&w);
		assert_true(out.right);
		exact[i] = out.tests;
	}
	f.median = median(tests, games);
	f.exact = median(exact, games);
	return f;
}

static void print_figures(const char *what, double miss, double confidence, const struct figures *f)
{
	print_message("%s, %.0f %% misses, confidence %g: %u of %u wrong, median %u tests (mean "
		      "%.1f, expected %.1f), %.2f times the %u of trials that do not lie\n",
		      what, 100 * miss, confidence, f->wrong, f->games, f->median, f->mean,
		      f->expected, (double)f->median / f->exact, f->exact);
}

static void a_thousand_searches_with_a_tenth_missed_name_the_right_one(void **state)
{
	struct figures f = many(1000, 0.1, 0.99, SEARCH_REGRESSION);

	(void)state;
	print_figures("regressions", 0.1, 0.99, &f);
	assert_true(f.wrong * 100 <= f.games);
	assert_true(f.median <= 2.2 * f.exact);
	assert_true(fabs(f.expected - f.mean) < 0.2 * f.mean);
}

static void fixes_are_found_as_surely(void **state)
{
	struct figures f = many(1000, 0.1, 0.99, SEARCH_FIX);

	(void)state;
	print_figures("fixes", 0.1, 0.99, &f);
	assert_true(f.wrong * 100 <= f.games);
	assert_true(f.median <= 2.2 * f.exact);
}

static void other_rates_keep_the_confidence_too(void **state)
{
	static const double misses[] = { 0.001, 0.05, 0.2, 0.3, 0.45 };
	static const double confidences[] = { 0.9, 0.99 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(misses); i++)
		for (size_t c = 0; c < ARRAY_SIZE(confidences); c++) {
			struct figures f = many(150, misses[i], confidences[c], SEARCH_REGRESSION);
			double wrong = (1 - confidences[c]) * f.games;

			print_figures("regressions", misses[i], confidences[c], &f);
			/* Three standard deviations of so many games, for confidences that are kept. */
			assert_true(f.wrong <= wrong + 3 * sqrt(wrong * confidences[c]));
		}
}

/* Bayes' rule, node by node. @told: [n][2] how often each was found good, and bad. */
static double *slow_masses(const struct world *w, unsigned int (*told)[2], bool with_priors)
{
	const struct dag *d = w->dag;
	bool fix = w->rules.find == SEARCH_FIX;
	double *log_of = xcalloc(d->n, sizeof(*log_of));
	double most = -INFINITY, sum = 0;

	for (uint32_t c = 0; c < d->n; c++) {
		log_of[c] = !dag_reaches(d, d->bad, c) ? -INFINITY
			    : with_priors && w->priors ? log(w->priors[c])
						       : 0;
		for (uint32_t t = 0; t < d->n; t++) {
			bool bad = dag_reaches(d, t, c) != fix;

			if (told[t][1])
				log_of[c] += bad ? told[t][1] * log(1 - w->miss) : -INFINITY;
			if (told[t][0])
				log_of[c] += bad ? told[t][0] * log(w->miss) : 0;
		}
		most = fmax(most, log_of[c]);
	}
	for (uint32_t c = 0; c < d->n; c++)
		sum += log_of[c] = exp(log_of[c] - most);
	for (uint32_t c = 0; c < d->n; c++)
		log_of[c] /= sum;
	return log_of;
}

static double h(double x)
{
	return x <= 0 || x >= 1 ? 0 : -x * log2(x) - (1 - x) * log2(1 - x);
}

/* What a trial tells: how much less uncertain its outcome is once the answer is known. */
static double slow_gain(const struct world *w, const double *mass, uint32_t node)
{
	double q = 0;

	for (uint32_t c = 0; c < w->dag->n; c++)
		q += dag_reaches(w->dag, node, c) ? mass[c] : 0;
	q = w->rules.find == SEARCH_FIX ? 1 - q : q;
	return h(q * (1 - w->miss)) - q * h(w->miss);
}

static void check_step(const struct world *w, struct search *s, unsigned int (*told)[2],
		       const struct search_step *step)
{
	_cleanup_free_ double *proof = slow_masses(w, told, false);
	_cleanup_free_ double *mass = slow_masses(w, told, true);
	_cleanup_free_ struct search_view *views = xcalloc(w->dag->n, sizeof(*views));
	const double *choice = mass;
	double most = 0, best = 0;

	search_views(s, views);
	for (uint32_t i = 0; i < w->dag->n; i++) {
		assert_true(fabs(views[i].mass - mass[i]) < 1e-9);
		choice = mass[i] >= w->rules.confidence ? proof : choice;
		most = fmax(most, proof[i]);
	}
	assert_true(fabs(step->confidence - most) < 1e-9);
	if (step->action == SEARCH_FOUND) {
		assert_true(proof[step->node] >= w->rules.confidence - 1e-8);
		return;
	}
	assert_true(most < w->rules.confidence);
	for (uint32_t i = 0; i < w->dag->n; i++)
		best = fmax(best, views[i].left ? slow_gain(w, choice, i) : 0);
	assert_true(slow_gain(w, choice, step->node) >= best * (1 - 1e-6));
}

static void beliefs_are_bayes_rule_and_each_test_tells_most(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 120; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_world_ struct world w = { 0 };
		_cleanup_(search_destroy_p) struct search *s = NULL;
		_cleanup_free_ unsigned int(*told)[2] = NULL;
		_cleanup_free_ double *priors = NULL;
		uint64_t roll = seed;
		struct search_step step;

		dag_random(&d, seed, 2 + dice(&roll, 30));
		world_init(&w, &d, plant(&d, &roll), 0.02 + dice(&roll, 40) / 100.0, roll);
		w.rules.find = seed % 2 ? SEARCH_REGRESSION : SEARCH_FIX;
		told = xcalloc(d.n, sizeof(*told));
		priors = xcalloc(d.n, sizeof(*priors));
		for (size_t i = 0; i < d.n; i++)
			priors[i] = 1 + dice(&roll, 20);
		w.priors = seed % 3 ? NULL : priors;
		s = search_of(&w);
		do {
			search_next(s, &step);
			check_step(&w, s, told, &step);
			if (step.action == SEARCH_TEST) {
				enum verdict v = trial(&w, step.node);

				told[step.node][v == VERDICT_BAD]++;
				search_set(s, step.node, v);
			}
		} while (step.action == SEARCH_TEST);
		assert_int_equal(step.action, SEARCH_FOUND);
	}
}

static void wrong_priors_cost_tests_and_not_the_answer(void **state)
{
	unsigned int wrong = 0, games = 0, tests = 0, without = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 200; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_world_ struct world w = { 0 };
		_cleanup_free_ double *priors = NULL;
		uint64_t roll = seed;
		struct outcome out;

		dag_linear(&d, 200);
		world_init(&w, &d, plant(&d, &roll), 0.1, roll);
		priors = xcalloc(d.n, sizeof(*priors));
		for (size_t i = 0; i < d.n; i++)
			priors[i] = 1;
		priors[dice(&roll, 200)] = 1e6;
		without += play(&w).tests;
		w.priors = priors;
		out = play(&w);
		wrong += !out.right;
		tests += out.tests;
		games++;
	}
	print_message("with one node a million times likelier: %u of %u wrong, %u tests for %u\n",
		      wrong, games, tests, without);
	assert_true(wrong <= 4);
	/* 1.11 times as many; 1.18 if the priors chose as long as they had a favourite */
	assert_true(tests * 20 < without * 23);
}

static void right_priors_save_tests(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_world_ struct world w = { 0 };
	_cleanup_free_ double *priors = NULL;

	(void)state;
	dag_linear(&d, 500);
	world_init(&w, &d, 123, 0.1, 1);
	w.priors = priors = xcalloc(d.n, sizeof(*priors));
	for (size_t i = 0; i < d.n; i++)
		priors[i] = i == 123 ? 500 : 1;
	assert_true(play(&w).right);
	assert_true(play(&w).tests <= 6);
}

static void skips_hide_and_never_acquit(void **state)
{
	unsigned int wrong = 0, sets = 0, games = 600;
	size_t largest = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= games; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_world_ struct world w = { 0 };
		_cleanup_free_ bool *skip = NULL;
		uint64_t roll = seed;
		struct outcome out;
		uint32_t rate;

		dag_random(&d, seed, 2 + dice(&roll, 120));
		world_init(&w, &d, plant(&d, &roll), 0.1, roll);
		w.rules.find = seed % 2 ? SEARCH_REGRESSION : SEARCH_FIX;
		rate = dice(&roll, 100);
		w.skip = skip = xcalloc(d.n, sizeof(*skip));
		for (size_t i = 0; i < d.n; i++)
			skip[i] = dice(&roll, 100) < rate;
		out = play(&w);
		assert_true(out.action == SEARCH_FOUND || out.action == SEARCH_SET);
		wrong += !out.right;
		sets += out.action == SEARCH_SET;
		largest = out.n_set > largest ? out.n_set : largest;
	}
	print_message("with skips: %u of %u wrong, %u sets of at most %zu\n", wrong, games, sets,
		      largest);
	assert_true(wrong <= 13); /* 6 at a confidence that is just kept, and three deviations */
	assert_true(sets > games / 4);
}

static void set_is_the_smallest_and_says_what_hides(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_world_ struct world w = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;

	(void)state;
	dag_linear(&d, 64);
	world_init(&w, &d, 31, 0.1, 1);
	s = search_of(&w);
	for (search_next(s, &step); step.action == SEARCH_TEST; search_next(s, &step))
		if (step.node == 30 || step.node == 31)
			search_block(s, step.node, 7);
		else if (step.node == 50)
			search_block(s, step.node, 8);
		else
			search_set(s, step.node, trial(&w, step.node));
	assert_int_equal(step.action, SEARCH_SET);
	assert_int_equal(step.n_set, 3); /* 30, 31 and the bad 32 */
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(step.set[i], 30 + i);
	assert_int_equal(step.n_blockers, 1);
	assert_int_equal(step.blockers[0], 7);
	assert_true(step.confidence < 0.5);
}

/* Builds that are broken for three stretches, a third of all, over the best places to try. */
static struct outcome play_with_stretches(uint32_t culprit, bool skips, bool blockers)
{
	static const uint32_t at[] = { 100, 220, 340 };
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_world_ struct world w = { 0 };
	_cleanup_free_ uint32_t *broken = xcalloc(500, sizeof(*broken));
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;
	struct outcome out = { 0 };

	dag_linear(&d, 500);
	for (uint32_t i = 0; skips && i < 150; i++)
		broken[at[i / 50] + i % 50] = 1 + i / 50;
	world_init(&w, &d, culprit, 0.1, culprit);
	s = search_of(&w);
	for (search_next(s, &step); step.action == SEARCH_TEST; search_next(s, &step)) {
		out.tests++;
		if (broken[step.node] && blockers)
			search_block(s, step.node, broken[step.node]);
		else
			search_set(s, step.node,
				   broken[step.node] ? VERDICT_SKIP : trial(&w, step.node));
	}
	out.right = step.action == SEARCH_FOUND && step.node == culprit;
	for (size_t i = 0; i < step.n_set; i++)
		out.right |= step.set[i] == culprit;
	return out;
}

static void stretches_that_cannot_be_tested_are_leapt_over(void **state)
{
	unsigned int wrong = 0, games = 0, plain = 0, skipped = 0, blocked = 0;

	(void)state;
	for (uint32_t c = 3; c < 500; c += 7) {
		struct outcome out;

		if ((c >= 100 && c <= 150) || (c >= 220 && c <= 270) || (c >= 340 && c <= 390))
			continue;
		plain += play_with_stretches(c, false, false).tests;
		out = play_with_stretches(c, true, false);
		skipped += out.tests;
		wrong += !out.right;
		out = play_with_stretches(c, true, true);
		blocked += out.tests;
		wrong += !out.right;
		games++;
	}
	print_message(
		"three stretches of 50 of 500: %.1f tests without, %.1f with skips, %.1f with "
		"blockers; %u of %u wrong\n",
		(double)plain / games, (double)skipped / games, (double)blocked / games, wrong,
		2 * games);
	assert_true(wrong <= 3);
	assert_true(skipped <= plain + 5 * games);
	assert_true(blocked <= plain + 4 * games);
}

static void a_bad_verdict_is_never_chance(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_world_ struct world w = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_view views[10];
	struct search_step step;

	(void)state;
	dag_linear(&d, 10);
	world_init(&w, &d, 2, 0.3, 1);
	s = search_of(&w);
	search_set(s, 5, VERDICT_GOOD);
	search_set(s, 5, VERDICT_GOOD);
	search_set(s, 5, VERDICT_BAD);	/* so the former two were misses */
	search_set(s, 7, VERDICT_GOOD); /* and so was this one */
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_TEST);
	assert_int_equal(step.left, 6);
	search_views(s, views);
	for (int i = 0; i < 10; i++)
		assert_true(fabs(views[i].mass - (i <= 5 ? 1 / 6.0 : 0)) < 1e-12);
	search_set(s, 5, VERDICT_NONE);
	search_next(s, &step);
	assert_int_equal(step.left, 10);
}

static void misses_that_no_chance_explains_are_a_turn(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_world_ struct world w = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;

	(void)state;
	dag_linear(&d, 10);
	world_init(&w, &d, 2, 0.1, 1);
	s = search_of(&w);
	search_set(s, 3, VERDICT_BAD);
	for (int i = 0; i < 3; i++) {
		search_set(s, 6, VERDICT_GOOD);
		search_next(s, &step);
		assert_int_equal(step.action, SEARCH_TEST);
		assert_in_range(step.node, 0, 2);
	}
	search_set(s, 6, VERDICT_GOOD); /* one in ten thousand */
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_CONTRADICTION);
	assert_int_equal(step.node, 3);
	assert_int_equal(step.other, 6);
	search_accept(s);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_TEST);
	assert_int_equal(step.left, 3);
	search_set(s, 6, VERDICT_BAD); /* a bad one after all */
	search_next(s, &step);
	assert_int_equal(step.left, 4);
}

static void thousands_of_tests_do_not_underflow(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_world_ struct world w = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_view views[100];
	struct search_step step;
	double sum = 0;

	(void)state;
	dag_linear(&d, 100);
	world_init(&w, &d, 60, 0.45, 1);
	w.rules.confidence = 0.9999;
	s = search_of(&w);
	for (uint32_t i = 0; i < 20000; i++)
		search_set(s, i % 60, VERDICT_GOOD);
	for (uint32_t i = 60; i < 99; i++)
		search_set(s, i, VERDICT_GOOD);
	search_next(s, &step);
	search_views(s, views);
	for (size_t i = 0; i < 100; i++)
		sum += views[i].mass;
	assert_true(fabs(sum - 1) < 1e-9);
	assert_true(fabs(views[98].mass / views[99].mass - 0.45) < 1e-9);
	assert_true(views[59].mass == 0);
}

static void replaying_ends_where_it_stood(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		_cleanup_dag_ struct dag d = { 0 };
		_cleanup_world_ struct world w = { 0 };
		_cleanup_(search_destroy_p) struct search *s = NULL;
		_cleanup_(search_destroy_p) struct search *again = NULL;
		uint32_t if_good, if_bad, nodes[3];
		uint64_t roll = seed;
		struct search_step x, y;

		history(&d, seed);
		world_init(&w, &d, plant(&d, &roll), 0.2, roll);
		s = search_of(&w);
		again = search_of(&w);
		for (search_next(s, &x); x.action == SEARCH_TEST; search_next(s, &x)) {
			enum verdict v = trial(&w, x.node);
			size_t n = search_next_k(s, 3, nodes);

			assert_true(n >= 1 && n <= 3 && nodes[0] == x.node);
			for (size_t i = 1; i < n; i++)
				assert_true(nodes[i] != x.node && (i < 2 || nodes[2] != nodes[1]));
			dag_foresee(s, x.node, &if_good, &if_bad);
			search_set(s, x.node, v);
			search_set(again, x.node, v); /* without asking in between */
			search_next(s, &y);
			assert_int_equal(v == VERDICT_GOOD ? if_good : if_bad,
					 y.action == SEARCH_TEST ? y.node : UINT32_MAX);
		}
		search_next(again, &y);
		assert_int_equal(x.action, y.action);
		assert_int_equal(x.node, y.node);
		assert_true(x.confidence == y.confidence);
	}
}

static void confirming_adds_up(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_world_ struct world w = { 0 };
	_cleanup_(search_destroy_p) struct search *s = NULL;
	struct search_step step;
	double before;

	(void)state;
	dag_linear(&d, 100);
	world_init(&w, &d, 40, 0.1, 1);
	s = search_of(&w);
	for (search_next(s, &step); step.action == SEARCH_TEST; search_next(s, &step))
		search_set(s, step.node, trial(&w, step.node));
	assert_int_equal(step.node, 40);
	before = step.confidence;
	search_set(s, 39, VERDICT_GOOD);
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_FOUND);
	assert_true(step.confidence > before);
	search_set(s, 39, VERDICT_BAD); /* then 39 or one below it is the answer */
	search_next(s, &step);
	assert_int_equal(step.action, SEARCH_TEST);
	assert_true(step.node < 39);
}

static void rules_out_of_bounds_are_refused(void **state)
{
	static const struct search_rules wrong[] = {
		{ .flaky = -0.1, .confidence = 0.99 }, { .flaky = 0.5, .confidence = 0.99 },
		{ .flaky = 0.1, .confidence = 1 },     { .flaky = 0.1, .confidence = 0.4 },
		{ .flaky = NAN, .confidence = 0.99 },
	};
	static const double priors[] = { 1, 0 };
	_cleanup_dag_ struct dag d = { 0 };
	struct search_graph g;
	struct search *s = NULL;
	struct err err = { 0 };

	(void)state;
	dag_linear(&d, 2);
	g = (struct search_graph){ .n = 2, .first = d.first, .parents = d.parents, .bad = 1 };
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_int_equal(search_create(&g, &wrong[i], &s, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
	}
	g.priors = priors;
	assert_int_equal(search_create(&g, NULL, &s, &err), -1);
	assert_non_null(strstr(err.msg, "prior"));
	assert_null(s);
}

/* As many candidates as a whole kernel directory has had, with merges all over. */
static void fifty_thousand_nodes_are_searched_in_time(void **state)
{
	_cleanup_dag_ struct dag d = { 0 };
	_cleanup_world_ struct world w = { 0 };
	struct outcome out;

	(void)state;
	dag_comb(&d, 5000, 9);
	world_init(&w, &d, 31337, 0.1, 1);
	out = play(&w);
	assert_true(out.right);
	assert_true(out.tests <= 35);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thousand_searches_with_a_tenth_missed_name_the_right_one),
		cmocka_unit_test(fixes_are_found_as_surely),
		cmocka_unit_test(other_rates_keep_the_confidence_too),
		cmocka_unit_test(beliefs_are_bayes_rule_and_each_test_tells_most),
		cmocka_unit_test(wrong_priors_cost_tests_and_not_the_answer),
		cmocka_unit_test(right_priors_save_tests),
		cmocka_unit_test(skips_hide_and_never_acquit),
		cmocka_unit_test(set_is_the_smallest_and_says_what_hides),
		cmocka_unit_test(stretches_that_cannot_be_tested_are_leapt_over),
		cmocka_unit_test(a_bad_verdict_is_never_chance),
		cmocka_unit_test(misses_that_no_chance_explains_are_a_turn),
		cmocka_unit_test(thousands_of_tests_do_not_underflow),
		cmocka_unit_test(replaying_ends_where_it_stood),
		cmocka_unit_test(confirming_adds_up),
		cmocka_unit_test(rules_out_of_bounds_are_refused),
		cmocka_unit_test(fifty_thousand_nodes_are_searched_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
