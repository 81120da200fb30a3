// SPDX-License-Identifier: GPL-2.0-or-later
/* Under the walk: segments that double. Of the last one only the touched pages cost memory. */
#include "range/walk/pool.h"

#include <assert.h>
#include <stdlib.h>

#include "base/str.h"

void pool_init(struct pool *p, size_t item)
{
	*p = (struct pool){ .item = item };
}

void pool_deinit(struct pool *p)
{
	for (size_t i = 0; i < POOL_SEGMENTS; i++)
		free(p->segments[i]);
	*p = (struct pool){ 0 };
}

size_t pool_add(struct pool *p)
{
	size_t at = p->n + ((size_t)1 << POOL_FIRST_BITS);

	if (!(at & (at - 1))) { /* a power of two: the first item of a segment */
		unsigned int segment = (unsigned int)__builtin_ctzll(at) - POOL_FIRST_BITS;

		assert(segment < POOL_SEGMENTS);
		p->segments[segment] = xcalloc(at, p->item);
	}
	return p->n++;
}
