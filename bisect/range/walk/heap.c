// SPDX-License-Identifier: GPL-2.0-or-later
/* The walk's queue: items carry what they are ordered by, so that sifting touches nothing else. */
#include "range/walk/heap.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/str.h"

void heap_deinit(struct heap *h)
{
	free(h->items);
	*h = (struct heap){ 0 };
}

/* Equal ones go in the order they were met, so that a walk is the same each time. */
static bool is_before(const struct heap_item *a, const struct heap_item *b)
{
	if (a->generation != b->generation)
		return a->generation > b->generation;
	if (a->date_s != b->date_s)
		return a->date_s > b->date_s;
	return a->node < b->node;
}

void heap_push(struct heap *h, struct heap_item item)
{
	size_t at = h->n++;

	if (h->n > h->cap) {
		h->cap = h->cap ? 2 * h->cap : 64;
		h->items = xrealloc(h->items, h->cap, sizeof(*h->items));
	}
	while (at && is_before(&item, &h->items[(at - 1) / 2])) {
		h->items[at] = h->items[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	h->items[at] = item;
}

struct heap_item heap_pop(struct heap *h)
{
	struct heap_item top, last;
	size_t at = 0;

	assert(h->n);
	top = h->items[0];
	last = h->items[--h->n];
	for (size_t child = 1; child < h->n; child = 2 * at + 1) {
		if (child + 1 < h->n && is_before(&h->items[child + 1], &h->items[child]))
			child++;
		if (!is_before(&h->items[child], &last))
			break;
		h->items[at] = h->items[child];
		at = child;
	}
	h->items[at] = last;
	return top;
}
