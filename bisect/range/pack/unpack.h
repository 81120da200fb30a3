/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: one reader's way from a place in a pack to an object's content. */
#ifndef RANGE_PACK_UNPACK_H
#define RANGE_PACK_UNPACK_H

#include "range/pack/pack.h"
#include "range/pack/ring.h"

struct libdeflate_decompressor;
struct delta_link;

/* A buffer that grows and is used again. */
struct room {
	unsigned char *data;
	size_t cap;
};

struct unpacker {
	struct libdeflate_decompressor *inflater;
	struct ring ring;	  /* delta bases */
	struct room plain;	  /* an object that is nobody's base */
	struct room delta;	  /* a delta, inflated */
	struct room large[2];	  /* what the ring has no place for, and its base */
	struct delta_link *links; /* [n_links], from the object towards its base */
	size_t n_links, cap_links;
};

/* An object's content, owned by the unpacker and valid until it unpacks again. */
struct content {
	const unsigned char *data;
	size_t len;
	unsigned int type; /* git_object_t */
};

/** unpacker_init() - @ring_bytes: for delta bases, a multiple of 64, at least 4096; -1: no memory */
int unpacker_init(struct unpacker *u, uint32_t ring_bytes);
void unpacker_deinit(struct unpacker *u);

/**
 * unpack() - the object that starts at @offset
 * @pack_no: of this reader's packs; below 65536
 *
 * Return: 0, or -1 with @why set: what is wrong with the object or with a base of its.
 */
int unpack(struct unpacker *u, const struct pack *p, unsigned int pack_no, uint64_t offset,
	   struct content *ret, const char **why);

/**
 * delta_apply() - what a delta makes of its base
 * @delta: [delta_len]
 * @len:   of the result [bytes], as delta_size() said
 *
 * Return: false if the delta is damaged, or is for another base.
 */
bool delta_apply(const unsigned char *delta, size_t delta_len, const unsigned char *base,
		 size_t base_len, unsigned char *ret, size_t len);

/** delta_size() - the length of what a delta makes; false if it cannot be read, or is out of bounds */
bool delta_size(const unsigned char *delta, size_t delta_len, size_t *ret);

#endif
