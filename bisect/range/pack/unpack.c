// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A chain of deltas is followed down to a whole object, or to a base that is still in the ring, and built
 * up again from there. The walk goes from new to old and a pack keeps the new whole, so the base of a
 * tree is mostly what was unpacked a moment ago.
 */
#include "range/pack/unpack.h"

#include <libdeflate.h>
#include <stdlib.h>

#include "range/gitlib.h"

#define CHAIN_MAX \
	4096 /* git makes none that is deeper: OE_DEPTH_BITS is 12 in its pack-objects.h */

/* A delta on the way down. */
struct delta_link {
	uint64_t offset;
	struct pack_entry entry;
};

int unpacker_init(struct unpacker *u, uint32_t ring_bytes)
{
	*u = (struct unpacker){ .inflater = libdeflate_alloc_decompressor() };
	if (!u->inflater)
		return -1;
	ring_init(&u->ring, ring_bytes);
	return 0;
}

void unpacker_deinit(struct unpacker *u)
{
	if (u->inflater)
		libdeflate_free_decompressor(u->inflater);
	ring_deinit(&u->ring);
	free(u->plain.data);
	free(u->delta.data);
	free(u->large[0].data);
	free(u->large[1].data);
	free(u->links);
	*u = (struct unpacker){ 0 };
}

static unsigned char *make_room(struct room *room, size_t len)
{
	if (len >= room->cap) {
		free(room->data);
		room->cap = len + len / 2 + 4096;
		room->data = xmalloc(room->cap);
	}
	return room->data;
}

static int inflate_entry(struct unpacker *u, const struct pack_entry *e, unsigned char *out,
			 const char **why)
{
	*why = "it cannot be inflated";
	return libdeflate_zlib_decompress(u->inflater, e->deflated, e->deflated_max, out, e->size,
					  NULL) == LIBDEFLATE_SUCCESS
		       ? 0
		       : -1;
}

static uint64_t key_of(unsigned int pack_no, uint64_t offset)
{
	return (uint64_t)pack_no << 48 | offset;
}

static struct content content_of(const struct ring_entry *e)
{
	return (struct content){ .data = e->data, .len = e->len, .type = e->type };
}

/* An object on its own. A commit goes past the ring: hardly any is a base, and there are many. */
static int unpack_whole(struct unpacker *u, const struct pack_entry *e, uint64_t key,
			struct content *ret, struct ring_entry **from, const char **why)
{
	bool is_base = u->n_links > 0;
	struct ring_entry *place = NULL;
	unsigned char *out;

	if (!ring_holds(&u->ring, e->size)) {
		out = make_room(&u->large[0], e->size);
	} else if (is_base || e->type == GIT_OBJECT_TREE) {
		place = ring_place(&u->ring, e->size, NULL);
		out = place->data;
	} else {
		out = make_room(&u->plain, e->size);
	}
	if (inflate_entry(u, e, out, why) < 0)
		return -1;
	if (place) {
		place->type = (uint16_t)e->type;
		ring_put(&u->ring, place, key);
	}
	*from = place;
	*ret = (struct content){ .data = out, .len = e->size, .type = e->type };
	return 0;
}

static void add_link(struct unpacker *u, uint64_t offset, const struct pack_entry *entry)
{
	if (u->n_links == u->cap_links) {
		u->cap_links = u->cap_links ? 2 * u->cap_links : 64;
		u->links = xrealloc(u->links, u->cap_links, sizeof(*u->links));
	}
	u->links[u->n_links++] = (struct delta_link){ .offset = offset, .entry = *entry };
}

/* Down the chain; @base is where it stops, @from its entry in the ring if it has one. */
static int descend(struct unpacker *u, const struct pack *p, unsigned int pack_no, uint64_t offset,
		   struct content *base, struct ring_entry **from, const char **why)
{
	struct pack_entry e;

	for (u->n_links = 0; u->n_links <= CHAIN_MAX; offset = e.base) {
		*from = ring_get(&u->ring, key_of(pack_no, offset));
		if (*from) {
			*base = content_of(*from);
			return 0;
		}
		if (pack_entry(p, offset, &e, why) < 0)
			return -1;
		if (e.type < PACK_OFS_DELTA)
			return unpack_whole(u, &e, key_of(pack_no, offset), base, from, why);
		add_link(u, offset, &e);
	}
	*why = "its deltas go round in a circle, or are too many";
	return -1;
}

/* One step up: @base becomes what the delta makes of it. */
static int ascend(struct unpacker *u, const struct delta_link *link, unsigned int pack_no,
		  struct content *base, struct ring_entry **from, const char **why)
{
	unsigned char *delta = make_room(&u->delta, link->entry.size);
	struct ring_entry *place = NULL;
	unsigned char *out;
	size_t len;

	if (inflate_entry(u, &link->entry, delta, why) < 0)
		return -1;
	*why = pack_claims_too_much;
	if (!delta_size(delta, link->entry.size, &len))
		return -1;
	if (ring_holds(&u->ring, len)) {
		place = ring_place(&u->ring, len, *from);
		out = place->data;
	} else {
		out = make_room(&u->large[base->data == u->large[0].data], len);
	}
	*why = "a delta does not fit its base";
	if (!delta_apply(delta, link->entry.size, base->data, base->len, out, len))
		return -1;
	if (place) {
		place->type = (uint16_t)base->type;
		ring_put(&u->ring, place, key_of(pack_no, link->offset));
	}
	*from = place;
	base->data = out;
	base->len = len;
	return 0;
}

int unpack(struct unpacker *u, const struct pack *p, unsigned int pack_no, uint64_t offset,
	   struct content *ret, const char **why)
{
	struct ring_entry *from;

	if (descend(u, p, pack_no, offset, ret, &from, why) < 0)
		return -1;
	while (u->n_links) {
		if (ascend(u, &u->links[--u->n_links], pack_no, ret, &from, why) < 0)
			return -1;
	}
	return 0;
}
