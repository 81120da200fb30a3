/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside range/ only: what was unpacked last, kept because the next object is likely its delta.
 *
 * One block of memory, filled in a circle: what is new takes the place of what is oldest, so a place
 * costs neither a malloc nor a list to keep in order. Only a base in use is stepped over.
 */
#ifndef RANGE_PACK_RING_H
#define RANGE_PACK_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring_entry {
	uint64_t key;
	uint32_t bytes; /* of the block, with this head; a multiple of RING_ALIGN */
	uint32_t next;	/* of the same slot, in units of RING_ALIGN, plus one; 0: none */
	uint32_t len;	/* of the content [bytes] */
	uint16_t type;	/* git_object_t */
	uint16_t live;	/* found by its key */
	unsigned char data[];
};

struct ring {
	unsigned char *block;
	uint32_t size;	 /* of the block [bytes] */
	uint32_t at;	 /* the next entry goes here... */
	uint32_t oldest; /* ...and must end before this one, or take its place */
	uint32_t *slots; /* first entry of each, as ring_entry.next */
};

void ring_init(struct ring *r, uint32_t size_bytes);
void ring_deinit(struct ring *r);

/** ring_holds() - true if a content of this many bytes has a place in the ring */
static inline bool ring_holds(const struct ring *r, size_t len)
{
	return len <= r->size / 8;
}

/** ring_get() - what was put under @key; NULL: nothing, or it is gone */
struct ring_entry *ring_get(const struct ring *r, uint64_t key);

/**
 * ring_place() - a place for @len bytes, not found by anybody yet
 * @keep: an entry that stays where it is, or NULL
 */
struct ring_entry *ring_place(struct ring *r, size_t len, const struct ring_entry *keep);

/** ring_put() - from now on ring_get() finds @e under @key, which must not be there yet */
void ring_put(struct ring *r, struct ring_entry *e, uint64_t key);

#endif
