/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: a pack and its index, looked up and taken apart; what it holds is not believed. */
#ifndef RANGE_PACK_H
#define RANGE_PACK_H

#include "range/objects/mapped.h"

#define PACK_MAX_BYTES	 (UINT64_C(1) << 48)
#define OBJECT_MAX_BYTES (UINT64_C(256) << 20) /* no commit and no tree comes near it */
#define PACK_TRAILER_LEN 20		       /* a SHA-1 over the file before it */

/* Types in a pack beside those of git_object_t. Source: gitformat-pack(5). */
enum { PACK_OFS_DELTA = 6, PACK_REF_DELTA = 7 };

/* Never written to once it is set up. */
struct pack {
	struct mapped idx, data;
	struct fan fan;
	const unsigned char *offsets; /* [fan.n] of four bytes */
	const unsigned char *large;   /* [n_large] of eight bytes */
	uint64_t n_large;
};

/**
 * pack_setup() - check an index of version 2 and a pack of version 2 or 3 against each other
 * @p: idx and data are set; the rest is filled
 *
 * Return: false if they are something else, damaged, or cut.
 */
bool pack_setup(struct pack *p);

/** pack_open() - map and set up; false: leave this pack to libgit2. @idx_path ends in ".idx" */
bool pack_open(const char *idx_path, struct pack *ret);
void pack_close(struct pack *p);

/** pack_find() - true and where the object starts [bytes into the pack] */
bool pack_find(const struct pack *p, const unsigned char *id, uint64_t *ret);

/* The reason that spares asking libgit2, which would make room for what is claimed. */
extern const char pack_claims_too_much[];

/* The head of an object in a pack. */
struct pack_entry {
	unsigned int type;	       /* git_object_t, PACK_OFS_DELTA or PACK_REF_DELTA */
	size_t size;		       /* inflated [bytes], at most OBJECT_MAX_BYTES */
	const unsigned char *deflated; /* zlib's stream; ends before the trailer */
	size_t deflated_max;	       /* [bytes] up to the trailer */
	uint64_t base;		       /* of a delta: where its base starts */
};

/**
 * pack_entry() - take the head of an object apart
 * @offset: anything
 *
 * Return: 0, or -1 with @why set.
 */
int pack_entry(const struct pack *p, uint64_t offset, struct pack_entry *ret, const char **why);

#endif
