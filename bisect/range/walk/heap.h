/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: the commits that a walk has yet to look at, the youngest first. */
#ifndef RANGE_WALK_HEAP_H
#define RANGE_WALK_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_item {
	int64_t date_s;
	uint32_t generation;
	uint32_t node;
};

struct heap {
	struct heap_item *items; /* [n], a binary heap */
	size_t n, cap;
};

void heap_deinit(struct heap *h);
void heap_push(struct heap *h, struct heap_item item);

/** heap_pop() - the item of the highest generation, then the latest date; there must be one */
struct heap_item heap_pop(struct heap *h);

#endif
