// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit/search/dag.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "search/weigh.h"

uint32_t dice(uint64_t *state, uint32_t n)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) % n);
}

void dag_deinit(struct dag *d)
{
	free(d->first);
	free(d->parents);
	*d = (struct dag){ 0 };
}

uint32_t dag_add(struct dag *d, const uint32_t *parents, size_t n)
{
	uint32_t edges = d->n ? d->first[d->n] : 0;

	if (d->n + 2 > d->room) {
		d->room = 2 * d->n + 64;
		d->first = xrealloc(d->first, d->room, sizeof(*d->first));
	}
	if (edges + n > d->room_edges) {
		d->room_edges = 2 * (edges + n) + 64;
		d->parents = xrealloc(d->parents, d->room_edges, sizeof(*d->parents));
	}
	d->first[d->n] = edges;
	if (n)
		memcpy(d->parents + edges, parents, n * sizeof(*parents));
	d->first[d->n + 1] = edges + (uint32_t)n;
	d->bad = (uint32_t)d->n;
	return (uint32_t)d->n++;
}

void dag_left(const struct dag *d, const struct told *told, struct left *ret)
{
	struct search_graph g = {
		.n = d->n, .first = d->first, .parents = d->parents, .bad = d->bad
	};
	_cleanup_free_ struct told *none = xcalloc(d->n, sizeof(*none));
	struct clash clash;

	assert_int_equal(left_find(&g, told ? told : none, false, ret, &clash), 0);
	weigh(ret);
}

bool *dag_below(const struct left *l)
{
	bool *below = xcalloc(l->n * l->n, sizeof(*below));

	for (size_t i = 0; i < l->n; i++) {
		below[i * l->n + i] = true;
		for (uint32_t e = l->first[i]; e < l->first[i + 1]; e++)
			for (size_t j = 0; j < l->n; j++)
				below[i * l->n + j] |= below[l->parents[e] * l->n + j];
	}
	return below;
}

void dag_linear(struct dag *d, size_t n)
{
	uint32_t last = 0;

	for (size_t i = 0; i < n; i++)
		last = dag_add(d, &last, i > 0);
}

void dag_random(struct dag *d, uint64_t seed, size_t n)
{
	uint32_t near = 1 + dice(&seed, 8);
	uint32_t merges = dice(&seed, 8);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t parents[5];
		uint32_t want = !i || dice(&seed, 30) == 0 ? 0 : dice(&seed, 10) < merges ? 2 : 1;
		size_t k = 0;

		if (want == 2 && dice(&seed, 8) == 0)
			want = 5;
		for (uint32_t p = 0; p < want; p++) {
			uint32_t reach = dice(&seed, 10) == 0 || near > i ? i : near;
			uint32_t parent = i - 1 - dice(&seed, reach);
			bool known = false;

			for (size_t j = 0; j < k; j++)
				known |= parents[j] == parent;
			if (!known)
				parents[k++] = parent;
		}
		dag_add(d, parents, k);
	}
}

void dag_comb(struct dag *d, size_t arms, size_t arm)
{
	uint32_t main = dag_add(d, NULL, 0);

	for (size_t a = 0; a < arms; a++) {
		uint32_t both[2] = { main, main };

		for (size_t i = 0; i < arm; i++)
			both[1] = dag_add(d, &both[1], 1);
		main = dag_add(d, both, 2);
	}
}

void dag_octopus(struct dag *d, size_t arms)
{
	uint32_t *tips = xcalloc(arms, sizeof(*tips));
	uint32_t root = dag_add(d, NULL, 0);

	for (size_t i = 0; i < arms; i++)
		tips[i] = dag_add(d, &root, 1);
	dag_add(d, tips, arms);
	free(tips);
}

struct search *dag_search(const struct dag *d)
{
	struct search_graph g = {
		.n = d->n, .first = d->first, .parents = d->parents, .bad = d->bad
	};
	struct search *s = NULL;
	struct err err = { 0 };

	if (search_create(&g, NULL, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

static uint32_t foreseen(const struct search *s, uint32_t node, enum verdict v)
{
	struct search_step step;

	search_peek(s, node, v, &step);
	return step.action == SEARCH_TEST ? step.node : UINT32_MAX;
}

void dag_foresee(const struct search *s, uint32_t node, uint32_t *if_good, uint32_t *if_bad)
{
	*if_good = foreseen(s, node, VERDICT_GOOD);
	*if_bad = foreseen(s, node, VERDICT_BAD);
}

bool dag_reaches(const struct dag *d, uint32_t node, uint32_t anc)
{
	bool *seen = xcalloc(d->n, sizeof(*seen));
	bool yes;

	seen[node] = true;
	for (size_t i = (size_t)node + 1; i-- > 0;)
		for (uint32_t e = d->first[i]; seen[i] && e < d->first[i + 1]; e++)
			seen[d->parents[e]] = true;
	yes = seen[anc];
	free(seen);
	return yes;
}
