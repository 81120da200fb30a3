/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: a growing list of nodes. Zero-initialised it is empty. */
#ifndef RANGE_WALK_LIST_H
#define RANGE_WALK_LIST_H

#include <stdint.h>
#include <stdlib.h>

#include "base/str.h"

struct list {
	uint32_t *items;
	size_t n, cap;
};

static inline void list_deinit(struct list *l)
{
	free(l->items);
	*l = (struct list){ 0 };
}

static inline void list_add(struct list *l, uint32_t item)
{
	if (l->n == l->cap) {
		l->cap = l->cap ? 2 * l->cap : 64;
		l->items = xrealloc(l->items, l->cap, sizeof(*l->items));
	}
	l->items[l->n++] = item;
}

#define _cleanup_list_ __attribute__((cleanup(list_deinit)))

#endif
