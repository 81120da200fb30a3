// SPDX-License-Identifier: GPL-2.0-or-later
/* The shape of the demo history, by the thousand seeds, against a simulation of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "demo/plan.h"

static const unsigned int sizes[] = { DEMO_COMMITS_MIN, 33, 40, DEMO_COMMITS_DEFAULT, 100 };

static struct plan *draw(unsigned int commits, uint64_t seed)
{
	struct plan *p = NULL;
	struct err err;

	assert_int_equal(plan_make(commits, seed, &p, &err), 0);
	return p;
}

static void for_many(void (*check)(const struct plan *))
{
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		for (uint64_t seed = 0; seed < 400; seed++) {
			struct plan *p = draw(sizes[i], seed);

			assert_int_equal(p->n, sizes[i] + 1);
			check(p);
			plan_destroy(p);
		}
	}
}

/* What a commit has, told from parent to child: a fault comes with its first commit, goes with its
 * mend, and a merge has what either side has unless either side has mended it. */
struct state {
	bool had[DEMO_FAULTS];
	bool mended[DEMO_FAULTS];
	bool bad;
};

static struct state *simulate(const struct plan *p)
{
	struct state *all = xcalloc(p->n, sizeof(*all));

	for (uint32_t i = 0; i < p->n; i++) {
		const struct plan_commit *c = &p->commits[i];

		for (uint32_t k = 0; k < c->n_parents; k++) {
			const struct state *of = &all[c->parents[k]];

			assert_true(c->parents[k] < i);
			all[i].bad |= of->bad;
			for (int f = 0; f < DEMO_FAULTS; f++) {
				all[i].had[f] |= of->had[f];
				all[i].mended[f] |= of->mended[f];
			}
		}
		all[i].bad |= c->kind == PLAN_CULPRIT;
		if (c->kind == PLAN_FAULT)
			all[i].had[c->fault] = true;
		if (c->kind == PLAN_MEND)
			all[i].mended[c->fault] = true;
	}
	return all;
}

static unsigned int broken(const struct state *s)
{
	unsigned int n = 0;

	for (int f = 0; f < DEMO_FAULTS; f++)
		n += s->had[f] && !s->mended[f];
	return n;
}

static void check_ends_and_culprit(const struct plan *p)
{
	struct state *s = simulate(p);
	const struct plan_commit *c = &p->commits[p->culprit];
	uint32_t tip = (uint32_t)p->n - 1;
	unsigned int culprits = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		culprits += p->commits[i].kind == PLAN_CULPRIT;
		assert_true(i == 0 ? p->commits[i].n_parents == 0 : p->commits[i].n_parents > 0);
		assert_true(plan_has(p, tip, i));
	}
	assert_int_equal(culprits, 1);
	assert_int_equal(c->kind, PLAN_CULPRIT);
	assert_int_equal(c->n_parents, 1);
	assert_int_equal(broken(&s[p->culprit]), 0);
	assert_int_equal(broken(&s[c->parents[0]]), 0);
	assert_true(!s[0].bad && s[tip].bad && !s[c->parents[0]].bad);
	assert_int_equal(broken(&s[0]) + broken(&s[1]) + broken(&s[tip]), 0);
	assert_int_equal(p->commits[1].kind, PLAN_PRELUDE);
	assert_int_equal(p->commits[tip].kind, PLAN_EDIT);
	free(s);
}

static void ends_and_culprit_can_be_tested(void **state)
{
	(void)state;
	for_many(check_ends_and_culprit);
}

static void check_faults(const struct plan *p)
{
	struct state *s = simulate(p);
	unsigned int n_broken[DEMO_FAULTS] = { 0 };

	for (uint32_t i = 0; i < p->n; i++) {
		enum demo_fault has = plan_fault_at(p, i);

		assert_true(broken(&s[i]) <= 1);
		assert_int_equal(broken(&s[i]), has != DEMO_FAULTS);
		if (has == DEMO_FAULTS)
			continue;
		assert_true(s[i].had[has] && !s[i].mended[has]);
		assert_int_not_equal(p->commits[i].kind, PLAN_MERGE);
		n_broken[has]++;
	}
	for (int f = 0; f < DEMO_FAULTS; f++) {
		assert_int_equal(n_broken[f], p->faults[f].n_broken);
		assert_in_range(n_broken[f], 2, 4);
		assert_true(plan_has(p, p->faults[f].mend, p->faults[f].first));
	}
	free(s);
}

static void each_fault_is_mended_and_none_meets_another(void **state)
{
	(void)state;
	for_many(check_faults);
}

static unsigned int only_in(const struct plan *p, uint32_t a, uint32_t b)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < p->n; i++)
		n += plan_has(p, a, i) && !plan_has(p, b, i);
	return n;
}

static void check_merges(const struct plan *p)
{
	unsigned int merges = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct plan_commit *c = &p->commits[i];

		assert_int_equal(c->n_parents == 2, c->kind == PLAN_MERGE);
		if (c->n_parents != 2)
			continue;
		merges++;
		assert_true(only_in(p, c->parents[0], c->parents[1]) >= 2);
		assert_true(only_in(p, c->parents[1], c->parents[0]) >= 2);
	}
	assert_true(merges >= 3);
}

static void three_side_branches_or_more_are_merged(void **state)
{
	(void)state;
	for_many(check_merges);
}

static void seeds_vary_where_the_culprit_is(void **state)
{
	unsigned int side = 0, early = 0, late = 0, overlap = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		struct plan *p = draw(DEMO_COMMITS_DEFAULT, seed);
		uint32_t tip = (uint32_t)p->n - 1;
		uint32_t trunk = tip;

		while (trunk > p->culprit)
			trunk = p->commits[trunk].parents[0];
		side += trunk != p->culprit;
		early += p->culprit < p->n / 3;
		late += p->culprit > p->n * 2 / 3;
		for (uint32_t i = 0; i < p->n; i++)
			overlap += p->commits[i].kind == PLAN_MERGE &&
				   !plan_has(p, p->commits[i].parents[1],
					     p->commits[p->commits[i].parents[0]].parents[0]) &&
				   p->commits[p->commits[i].parents[0]].kind == PLAN_MERGE;
		plan_destroy(p);
	}
	assert_in_range(side, 40, 300);
	assert_in_range(early, 40, 300);
	assert_in_range(late, 40, 300);
	assert_in_range(overlap, 10, 2000);
}

static void a_seed_always_draws_the_same(void **state)
{
	struct plan *a = draw(DEMO_COMMITS_DEFAULT, 7);
	struct plan *b = draw(DEMO_COMMITS_DEFAULT, 7);
	struct plan *c = draw(DEMO_COMMITS_DEFAULT, 8);

	(void)state;
	assert_memory_equal(a->commits, b->commits, a->n * sizeof(*a->commits));
	assert_memory_equal(a->faults, b->faults, sizeof(a->faults));
	assert_int_not_equal(memcmp(a->commits, c->commits, a->n * sizeof(*a->commits)), 0);
	/* The very numbers, so that another machine that draws otherwise is noticed. */
	assert_int_equal(a->culprit, 50);
	plan_destroy(a);
	plan_destroy(b);
	plan_destroy(c);
}

static void the_largest_history_can_be_drawn(void **state)
{
	struct plan *p = draw(DEMO_COMMITS_MAX, 1);

	(void)state;
	check_ends_and_culprit(p);
	check_faults(p);
	check_merges(p);
	plan_destroy(p);
}

static void sizes_out_of_bounds_are_refused(void **state)
{
	struct plan *p = NULL;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(plan_make(DEMO_COMMITS_MIN - 1, 1, &p, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(plan_make(DEMO_COMMITS_MAX + 1, 1, &p, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_null(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_and_culprit_can_be_tested),
		cmocka_unit_test(each_fault_is_mended_and_none_meets_another),
		cmocka_unit_test(three_side_branches_or_more_are_merged),
		cmocka_unit_test(seeds_vary_where_the_culprit_is),
		cmocka_unit_test(a_seed_always_draws_the_same),
		cmocka_unit_test(the_largest_history_can_be_drawn),
		cmocka_unit_test(sizes_out_of_bounds_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
