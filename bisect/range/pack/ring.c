// SPDX-License-Identifier: GPL-2.0-or-later
/* The delta bases of one reader. The whole block is always divided into entries, live and dead ones. */
#include "range/pack/ring.h"

#include <assert.h>
#include <stdlib.h>

#include "base/str.h"

#define RING_ALIGN 64
/* A power of two. Small trees are about as many in some ten MiB; sharing a slot is a wait for memory. */
#define RING_SLOTS 32768

static struct ring_entry *entry_at(const struct ring *r, uint32_t at)
{
	return (struct ring_entry *)(void *)(r->block + at);
}

static uint32_t place_of(const struct ring *r, const struct ring_entry *e)
{
	return (uint32_t)((const unsigned char *)e - r->block);
}

static uint32_t *slot_of(const struct ring *r, uint64_t key)
{
	return &r->slots[key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (RING_SLOTS - 1)];
}

/* The space from @from to @to as a dead entry. */
static void bury(struct ring *r, uint32_t from, uint32_t to)
{
	if (from < to)
		*entry_at(r, from) = (struct ring_entry){ .bytes = to - from };
}

void ring_init(struct ring *r, uint32_t size_bytes)
{
	assert(size_bytes % RING_ALIGN == 0);
	*r = (struct ring){ .size = size_bytes };
}

/* At first use: who reads a few loose objects opens it, and needs none of its memory. */
static void furnish(struct ring *r)
{
	r->block = xmalloc(r->size);
	r->slots = xcalloc(RING_SLOTS, sizeof(*r->slots));
	bury(r, 0, r->size);
}

void ring_deinit(struct ring *r)
{
	free(r->block);
	free(r->slots);
	*r = (struct ring){ 0 };
}

struct ring_entry *ring_get(const struct ring *r, uint64_t key)
{
	if (!r->block)
		return NULL;
	for (uint32_t next = *slot_of(r, key); next;) {
		struct ring_entry *e = entry_at(r, (next - 1) * RING_ALIGN);

		if (e->key == key)
			return e;
		next = e->next;
	}
	return NULL;
}

static void forget(struct ring *r, const struct ring_entry *e)
{
	uint32_t name = place_of(r, e) / RING_ALIGN + 1;
	uint32_t *p = slot_of(r, e->key);

	while (*p != name)
		p = &entry_at(r, (*p - 1) * RING_ALIGN)->next;
	*p = e->next;
}

struct ring_entry *ring_place(struct ring *r, size_t len, const struct ring_entry *keep)
{
	uint32_t bytes;
	struct ring_entry *e;

	assert(ring_holds(r, len));
	if (!r->block)
		furnish(r);
	bytes = (uint32_t)(sizeof(*e) + len + RING_ALIGN - 1) / RING_ALIGN * RING_ALIGN;
	while (r->oldest - r->at < bytes) {
		e = entry_at(r, r->oldest);
		if (r->oldest == r->size) {
			bury(r, r->at, r->oldest);
			r->at = r->oldest = 0;
		} else if (e == keep) {
			bury(r, r->at, r->oldest);
			r->at = r->oldest += e->bytes;
		} else {
			if (e->live)
				forget(r, e);
			r->oldest += e->bytes;
		}
	}
	e = entry_at(r, r->at);
	*e = (struct ring_entry){ .bytes = bytes, .len = (uint32_t)len };
	r->at += bytes;
	return e;
}

void ring_put(struct ring *r, struct ring_entry *e, uint64_t key)
{
	uint32_t *slot = slot_of(r, key);

	e->key = key;
	e->live = 1;
	e->next = *slot;
	*slot = place_of(r, e) / RING_ALIGN + 1;
}
