// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First step of the demo: draw the history's shape.
 *
 * The trunk is a chain of linear runs and knots. A knot is a stretch of trunk with one or two side
 * branches that fork from it and are merged back into it; with two, they overlap. Then the culprit
 * and the faults are laid on the shape; where they do not fit, another shape is drawn.
 */
#include <string.h>

#include "base/str.h"
#include "demo/plan.h"
#include "demo/prng.h"

/* Smallest knot: two commits of trunk, two of a side branch, the merge. */
#define KNOT_MIN 5
/* Smallest knot with two side branches: three of trunk, two of each branch, two merges. */
#define KNOT_TWO   9
#define MERGES_MIN 3
/* A shape that has no room for all faults is drawn again; one draw in ten has none at the least N. */
#define DRAWS_MAX 10000
#define LAY_TRIES 64

struct side {
	uint32_t fork; /* trunk commits of the knot before it forks */
	uint32_t join; /* trunk commits of the knot before it is merged */
	uint32_t len;
	uint32_t tip;
};

static uint32_t add_commit(struct plan *p, enum plan_kind kind, uint32_t parent)
{
	struct plan_commit *c = &p->commits[p->n];

	*c = (struct plan_commit){ .kind = kind };
	if (kind != PLAN_ROOT) {
		c->parents[c->n_parents++] = parent;
		p->commits[parent].n_children++;
	}
	return (uint32_t)p->n++;
}

static uint32_t add_merge(struct plan *p, uint32_t trunk, uint32_t side)
{
	uint32_t merge = add_commit(p, PLAN_MERGE, trunk);

	p->commits[merge].parents[1] = side;
	p->commits[merge].n_parents = 2;
	p->commits[side].n_children++;
	return merge;
}

static uint32_t add_run(struct plan *p, uint32_t tip, uint32_t len)
{
	while (len--)
		tip = add_commit(p, PLAN_EDIT, tip);
	return tip;
}

/* A knot of exactly @size commits on @tip; gives the new tip of the trunk. */
static uint32_t add_knot(struct plan *p, struct prng *rnd, uint32_t tip, uint32_t size)
{
	struct side sides[2] = { 0 };
	bool two = size >= KNOT_TWO && prng_below(rnd, 2);
	size_t n_sides = two ? 2 : 1;
	uint32_t trunk;

	if (two) {
		sides[0].len = prng_range(rnd, 2, 2 + (size - KNOT_TWO) / 3);
		sides[1].len = prng_range(rnd, 2, 2 + (size - KNOT_TWO) / 3);
		trunk = size - 2 - sides[0].len - sides[1].len;
		sides[1].fork = prng_range(rnd, 1, trunk - 2);
		sides[0].join = prng_range(rnd, 2, trunk);
		sides[1].join = trunk;
	} else {
		sides[0].len = prng_range(rnd, 2, size - 3);
		trunk = size - 1 - sides[0].len;
		sides[0].join = trunk;
	}
	for (uint32_t at = 0; at <= trunk; at++) {
		if (at)
			tip = add_commit(p, PLAN_EDIT, tip);
		for (size_t i = 0; i < n_sides; i++) {
			if (at && sides[i].join == at)
				tip = add_merge(p, tip, sides[i].tip);
		}
		for (size_t i = 0; i < n_sides; i++) {
			if (sides[i].fork == at)
				sides[i].tip = add_run(p, tip, sides[i].len);
		}
	}
	return tip;
}

static void draw_shape(struct plan *p, struct prng *rnd, uint32_t commits)
{
	uint32_t n_knots = commits / 16 > MERGES_MIN ? commits / 16 : MERGES_MIN;
	_cleanup_free_ uint32_t *knots = xcalloc(n_knots, sizeof(*knots));
	_cleanup_free_ uint32_t *runs = xcalloc(n_knots + 1, sizeof(*runs));
	uint32_t most = commits * 6 / 10 / n_knots;
	uint32_t left = commits - 1;
	uint32_t tip;

	for (uint32_t i = 0; i < n_knots; i++) {
		knots[i] = prng_range(rnd, KNOT_MIN, most);
		left -= knots[i];
	}
	/* Two commits at either end of the trunk, so that no end is a fork or a merge. */
	runs[0] = runs[n_knots] = 2;
	for (left -= 4; left; left--)
		runs[prng_below(rnd, n_knots + 1)]++;

	p->n = 0;
	tip = add_commit(p, PLAN_ROOT, 0);
	tip = add_commit(p, PLAN_PRELUDE, tip);
	for (uint32_t i = 0; i < n_knots; i++) {
		tip = add_run(p, tip, runs[i]);
		tip = add_knot(p, rnd, tip, knots[i]);
	}
	add_run(p, tip, runs[n_knots]);
}

/* The child of a commit with exactly one, if that is an edit with one parent; else 0. */
static uint32_t sole_heir(const struct plan *p, uint32_t commit)
{
	if (p->commits[commit].n_children != 1)
		return 0;
	for (uint32_t i = commit + 1; i < p->n; i++) {
		const struct plan_commit *c = &p->commits[i];

		if (c->parents[0] == commit || (c->n_parents == 2 && c->parents[1] == commit))
			return c->kind == PLAN_EDIT ? i : 0;
	}
	return 0;
}

static bool lay_fault(struct plan *p, struct prng *rnd, enum demo_fault fault)
{
	uint32_t chain[8];

	for (int try = 0; try < LAY_TRIES; try++) {
		uint32_t n_broken = prng_range(rnd, 2, 4);
		uint32_t at = prng_range(rnd, 2, (uint32_t)p->n - 2);
		uint32_t len = 0;

		while (at && p->commits[at].kind == PLAN_EDIT && len <= n_broken) {
			chain[len++] = at;
			at = sole_heir(p, at);
		}
		/* The tip stays a plain edit. */
		if (len <= n_broken || chain[n_broken] == p->n - 1)
			continue;
		/* Kept out of the next fault's way: what is not PLAN_EDIT cannot be in a chain. */
		for (uint32_t i = 0; i <= n_broken; i++) {
			p->commits[chain[i]].kind = i < n_broken ? PLAN_FAULT : PLAN_MEND;
			p->commits[chain[i]].fault = fault;
		}
		p->faults[fault] = (struct plan_fault){ chain[0], chain[n_broken], n_broken };
		return true;
	}
	return false;
}

/* Commits under a fault, but for its first and its mend, are harmless edits like any other. */
static void restore_edits(struct plan *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct plan_commit *c = &p->commits[i];

		if (c->kind == PLAN_FAULT && p->faults[c->fault].first != i)
			c->kind = PLAN_EDIT;
	}
}

static bool lay_out(struct plan *p, struct prng *rnd)
{
	/* Away from the ends: a culprit there would be found by checking the ends. */
	uint32_t margin = (uint32_t)p->n / 10;

	do
		p->culprit = prng_range(rnd, margin, (uint32_t)p->n - 1 - margin);
	while (p->commits[p->culprit].kind != PLAN_EDIT);
	p->commits[p->culprit].kind = PLAN_CULPRIT;
	for (enum demo_fault f = 0; f < DEMO_FAULTS; f++) {
		if (!lay_fault(p, rnd, f))
			return false;
	}
	restore_edits(p);
	return true;
}

static void find_ancestors(struct plan *p)
{
	p->words = (p->n + 63) / 64;
	p->ancestors = xcalloc(p->n * p->words, sizeof(*p->ancestors));
	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t *own = &p->ancestors[i * p->words];

		for (uint32_t k = 0; k < p->commits[i].n_parents; k++) {
			const uint64_t *of = &p->ancestors[p->commits[i].parents[k] * p->words];

			for (size_t w = 0; w < p->words; w++)
				own[w] |= of[w];
		}
		own[i / 64] |= UINT64_C(1) << (i % 64);
	}
}

int plan_make(unsigned int commits, uint64_t seed, struct plan **ret, struct err *err)
{
	struct prng rnd = { .state = seed };
	_cleanup_(plan_destroy_p) struct plan *p = xcalloc(1, sizeof(*p));
	int draw = 0;

	if (commits < DEMO_COMMITS_MIN || commits > DEMO_COMMITS_MAX)
		return err_set(err, ERR_USAGE,
			       "a demo of %u commits cannot be made: choose %d to %d", commits,
			       DEMO_COMMITS_MIN, DEMO_COMMITS_MAX);
	p->commits = xcalloc(commits + 1, sizeof(*p->commits));
	do {
		if (draw++ == DRAWS_MAX)
			return err_set(
				err, ERR_USAGE,
				"a demo of %u commits has no room for all faults: choose more",
				commits);
		draw_shape(p, &rnd, commits);
	} while (!lay_out(p, &rnd));
	find_ancestors(p);
	*ret = take_ptr(p);
	return 0;
}

void plan_destroy(struct plan *p)
{
	if (!p)
		return;
	free(p->commits);
	free(p->ancestors);
	free(p);
}

enum demo_fault plan_fault_at(const struct plan *p, uint32_t commit)
{
	for (enum demo_fault f = 0; f < DEMO_FAULTS; f++) {
		if (plan_has(p, commit, p->faults[f].first) &&
		    !plan_has(p, commit, p->faults[f].mend))
			return f;
	}
	return DEMO_FAULTS;
}
