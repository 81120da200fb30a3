// SPDX-License-Identifier: GPL-2.0-or-later
/* Candidates that are left out: see contract.h. */
#include "controller/contract.h"

#include <stdlib.h>

#include "base/str.h"

#define PARENTS_MAX 16 /* beyond this a merge stays: it costs a node, copies would cost edges */

void contracted_deinit(struct contracted *c)
{
	free(c->first);
	free(c->parents);
	*c = (struct contracted){ 0 };
}

struct edges {
	uint32_t *items;
	size_t n, cap;
};

static void add_once(struct edges *e, size_t from, uint32_t parent)
{
	for (size_t i = from; i < e->n; i++)
		if (e->items[i] == parent)
			return;
	if (e->n == e->cap) {
		e->cap *= 2;
		e->items = xrealloc(e->items, e->cap, sizeof(*e->items));
	}
	e->items[e->n++] = parent;
}

void contract(const struct range *range, bool *drop, struct contracted *ret)
{
	uint32_t *first = xcalloc(range->n + 1, sizeof(*first));
	struct edges e = { .cap = range->n_parent_edges + 1 };

	*ret = (struct contracted){ .first = first };
	e.items = xcalloc(e.cap, sizeof(*e.items));
	drop[range->bad_node] = false;
	/* Parents come first, so what a dropped one stands for is known when its children ask. */
	for (size_t i = 0; i < range->n; i++) {
		const struct range_commit *c = &range->commits[i];

		first[i] = (uint32_t)e.n;
		for (uint32_t p = 0; p < c->n_parents; p++) {
			uint32_t parent = range->parents[c->parents + p];

			if (!drop[parent])
				add_once(&e, first[i], parent);
			for (uint32_t q = first[parent]; drop[parent] && q < first[parent + 1]; q++)
				add_once(&e, first[i], e.items[q]);
		}
		if (e.n - first[i] > PARENTS_MAX)
			drop[i] = false;
		ret->n_dropped += drop[i];
		first[i + 1] = (uint32_t)e.n;
	}
	ret->parents = e.items;
}
