/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside range/ only: a growing array whose items never move, so that other threads may read what is
 * there while one thread adds to it.
 */
#ifndef RANGE_WALK_POOL_H
#define RANGE_WALK_POOL_H

#include <stddef.h>
#include <stdint.h>

#define POOL_FIRST_BITS 12 /* 4096 items in the first segment, twice as many in each that follows */
#define POOL_SEGMENTS	21 /* more items than a uint32_t can number */

struct pool {
	size_t item; /* [bytes] */
	size_t n;
	unsigned char *segments[POOL_SEGMENTS];
};

void pool_init(struct pool *p, size_t item);
void pool_deinit(struct pool *p);

/** pool_add() - a zeroed item at the end; returns its number */
size_t pool_add(struct pool *p);

static inline void *pool_at(const struct pool *p, size_t i)
{
	size_t at = i + ((size_t)1 << POOL_FIRST_BITS);
	unsigned int top = 63 - (unsigned int)__builtin_clzll(at);

	return p->segments[top - POOL_FIRST_BITS] + (at - ((size_t)1 << top)) * p->item;
}

#endif
