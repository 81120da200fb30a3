// SPDX-License-Identifier: GPL-2.0-or-later
/* Packs: "PACK", version, count, then objects: type and size, for a delta its base, and zlib's stream. */
#include "range/pack/pack.h"

#include <stdlib.h>

#include "range/gitlib.h"

#define IDX_HEAD_LEN	8  /* "\377tOc", version */
#define IDX_TRAILER_LEN 40 /* the pack's trailer, and the index's own */
#define PACK_HEAD_LEN	12
#define LARGE		0x80000000u /* of an offset: the rest numbers one of eight bytes */

#define DEFLATE_RATIO_MAX 1032 /* 258 bytes for two bits; zlib's "Maximum Compression Factor" */

const char pack_claims_too_much[] = "it claims more bytes than a commit or tree can have";

/* Where the tables of an index lie, and that they fill it exactly. */
static bool setup_idx(struct pack *p)
{
	const unsigned char *d = p->idx.data;
	uint64_t left = p->idx.len;
	uint64_t tables;

	if (left < IDX_HEAD_LEN + FAN_BYTES + IDX_TRAILER_LEN ||
	    memcmp(d, "\377tOc\0\0\0\2", IDX_HEAD_LEN) != 0)
		return false;
	p->fan.counts = d + IDX_HEAD_LEN;
	if (!fan_count(p->fan.counts, &p->fan.n))
		return false;
	left -= IDX_HEAD_LEN + FAN_BYTES + IDX_TRAILER_LEN;
	tables = (uint64_t)p->fan.n * (GIT_ID_LEN + 4 + 4); /* ids, checksums, offsets */
	if (left < tables || (left - tables) % 8 || (left - tables) / 8 > p->fan.n)
		return false;
	p->fan.ids = p->fan.counts + FAN_BYTES;
	p->offsets = p->fan.ids + (size_t)p->fan.n * (GIT_ID_LEN + 4);
	p->large = p->offsets + (size_t)p->fan.n * 4;
	p->n_large = (left - tables) / 8;
	return true;
}

bool pack_setup(struct pack *p)
{
	const unsigned char *d = p->data.data;
	size_t len = p->data.len;

	if (!setup_idx(p) || len < PACK_HEAD_LEN + PACK_TRAILER_LEN || len > PACK_MAX_BYTES)
		return false;
	if (memcmp(d, "PACK", 4) != 0 || (read_be32(d + 4) != 2 && read_be32(d + 4) != 3) ||
	    read_be32(d + 8) != p->fan.n)
		return false;
	return memcmp(d + len - PACK_TRAILER_LEN, p->idx.data + p->idx.len - IDX_TRAILER_LEN,
		      PACK_TRAILER_LEN) == 0;
}

bool pack_open(const char *idx_path, struct pack *ret)
{
	int stem = (int)(strlen(idx_path) - strlen(".idx"));
	_cleanup_free_ char *path = str_printf("%.*s.pack", stem, idx_path);
	struct pack p = { 0 };

	if (mapped_open(idx_path, &p.idx) < 0 || mapped_open(path, &p.data) < 0 ||
	    !pack_setup(&p)) {
		pack_close(&p);
		return false;
	}
	*ret = p;
	return true;
}

void pack_close(struct pack *p)
{
	mapped_close(&p->idx);
	mapped_close(&p->data);
}

bool pack_find(const struct pack *p, const unsigned char *id, uint64_t *ret)
{
	uint32_t at;
	uint32_t offset;

	if (!fan_find(&p->fan, id, &at))
		return false;
	offset = read_be32(p->offsets + (size_t)at * 4);
	if (!(offset & LARGE)) {
		*ret = offset;
		return true;
	}
	if ((offset & ~LARGE) >= p->n_large)
		return false;
	*ret = read_be64(p->large + (size_t)(offset & ~LARGE) * 8);
	return true;
}

/* How far back the base of a delta lies: seven bits a byte, each longer form starting where one ends. */
static int read_base_offset(const unsigned char **p, const unsigned char *end, uint64_t *ret)
{
	uint64_t v;

	if (*p == end)
		return -1;
	v = **p & 0x7f;
	while (*(*p)++ & 0x80) {
		if (*p == end || v > PACK_MAX_BYTES >> 7)
			return -1;
		v = (v + 1) << 7 | (**p & 0x7f);
	}
	*ret = v;
	return 0;
}

static int read_base(const struct pack *p, uint64_t offset, const unsigned char **at,
		     const unsigned char *end, struct pack_entry *e, const char **why)
{
	uint64_t back;

	if (e->type == PACK_OFS_DELTA) {
		*why = "a delta's base lies outside its pack";
		if (read_base_offset(at, end, &back) < 0 || !back || back > offset)
			return -1;
		e->base = offset - back;
		return 0;
	}
	*why = "a delta's base is not in its pack";
	if (end - *at < GIT_ID_LEN || !pack_find(p, *at, &e->base))
		return -1;
	*at += GIT_ID_LEN;
	return 0;
}

int pack_entry(const struct pack *p, uint64_t offset, struct pack_entry *ret, const char **why)
{
	const unsigned char *end = p->data.data + p->data.len - PACK_TRAILER_LEN;
	struct pack_entry e = { 0 };
	const unsigned char *at;
	uint64_t size;
	unsigned int shift = 4;

	*why = "it starts outside its pack";
	if (offset < PACK_HEAD_LEN || offset >= p->data.len - PACK_TRAILER_LEN)
		return -1;
	at = p->data.data + offset;
	e.type = *at >> 4 & 7;
	size = *at & 15;
	while (*at++ & 0x80) {
		*why = pack_claims_too_much;
		if (at == end || shift > 40)
			return -1;
		size |= (uint64_t)(*at & 0x7f) << shift;
		shift += 7;
	}
	*why = pack_claims_too_much;
	if (size > OBJECT_MAX_BYTES)
		return -1;
	*why = "its type is unknown";
	if (e.type == 0 || e.type == 5)
		return -1;
	if (e.type >= PACK_OFS_DELTA && read_base(p, offset, &at, end, &e, why) < 0)
		return -1;
	*why = pack_claims_too_much;
	if (size > (uint64_t)(end - at) * DEFLATE_RATIO_MAX)
		return -1;
	e.size = size;
	e.deflated = at;
	e.deflated_max = (size_t)(end - at);
	*ret = e;
	return 0;
}
