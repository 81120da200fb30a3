// SPDX-License-Identifier: GPL-2.0-or-later
/* What is left out is gone, and every other candidate has the ancestors that it had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "controller/contract.h"

#define N_MAX 40

struct graph {
	struct range_commit commits[N_MAX];
	uint32_t parents[N_MAX * 3];
	struct range range;
};

/* A generator of our own, so that a failure comes again. */
static uint32_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 33);
}

static void make_graph(struct graph *g, size_t n, uint64_t *state)
{
	uint32_t e = 0;

	memset(g, 0, sizeof(*g));
	for (size_t i = 0; i < n; i++) {
		uint32_t want = i ? 1 + next_random(state) % 3 : 0;

		g->commits[i].parents = e;
		for (uint32_t p = 0; p < want; p++) {
			uint32_t parent = (uint32_t)(i - 1 - next_random(state) % (i < 5 ? i : 5));
			bool known = false;

			for (uint32_t q = g->commits[i].parents; q < e; q++)
				known |= g->parents[q] == parent;
			if (!known)
				g->parents[e++] = parent;
		}
		g->commits[i].n_parents = e - g->commits[i].parents;
	}
	g->range = (struct range){ .commits = g->commits,
				   .n = n,
				   .parents = g->parents,
				   .n_parent_edges = e,
				   .bad_node = (uint32_t)(n - 1) };
}

/* Ancestors of each node as bits, itself included; @first and @parents as a search has them. */
static void reach(size_t n, const uint32_t *first, const uint32_t *parents, uint64_t *ret)
{
	for (size_t i = 0; i < n; i++) {
		ret[i] = 1ULL << i;
		for (uint32_t p = first[i]; p < first[i + 1]; p++) {
			assert_in_range(parents[p], 0, i - 1);
			ret[i] |= ret[parents[p]];
		}
	}
}

static void others_keep_their_ancestors(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 2000; round++) {
		size_t n = 1 + next_random(&seed) % N_MAX;
		uint64_t before[N_MAX], after[N_MAX], kept = 0;
		struct contracted c = { 0 };
		uint32_t first[N_MAX + 1];
		bool drop[N_MAX];
		struct graph g;
		size_t dropped = 0;

		make_graph(&g, n, &seed);
		for (size_t i = 0; i < n; i++) {
			first[i] = g.commits[i].parents;
			first[i + 1] = first[i] + g.commits[i].n_parents;
			drop[i] = next_random(&seed) % 2;
		}
		contract(&g.range, drop, &c);
		assert_false(drop[n - 1]);
		reach(n, first, g.parents, before);
		reach(n, c.first, c.parents, after);
		for (size_t i = 0; i < n; i++) {
			kept |= drop[i] ? 0 : 1ULL << i;
			dropped += drop[i];
		}
		for (size_t i = 0; i < n; i++) {
			uint64_t self = 1ULL << i;

			assert_int_equal(after[i] & ~self, before[i] & kept & ~self);
		}
		assert_int_equal(c.n_dropped, dropped);
		contracted_deinit(&c);
	}
}

static void wide_merge_stays(void **state)
{
	struct range_commit commits[20] = { 0 };
	uint32_t parents[40];
	struct range r = { .commits = commits, .n = 20, .parents = parents, .bad_node = 19 };
	struct contracted c = { 0 };
	bool drop[20] = { false };

	(void)state;
	for (uint32_t i = 0; i < 18; i++)
		parents[i] = i;
	commits[18] = (struct range_commit){ .parents = 0, .n_parents = 18 };
	parents[18] = 18;
	commits[19] = (struct range_commit){ .parents = 18, .n_parents = 1 };
	drop[18] = drop[0] = true;
	contract(&r, drop, &c);
	assert_false(drop[18]);
	assert_true(drop[0]);
	assert_int_equal(c.n_dropped, 1);
	assert_int_equal(c.first[20] - c.first[19], 1);
	contracted_deinit(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(others_keep_their_ancestors),
		cmocka_unit_test(wide_merge_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
