// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packs, in memory. The input is the length of an index in four bytes, the index, and the pack. What
 * follows the length is also taken as a base and its delta, for zlib's checksum keeps most changes from
 * ever becoming one.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "fuzz.h"
#include "range/gitlib.h"
#include "range/pack/unpack.h"

#define OBJECTS_MAX 64
#define PLACES_MAX  512
#define RESULT_MAX  (1 << 20) /* of a bare delta; more only takes time */

static void touch(const struct content *c)
{
	unsigned int sum = 0;

	for (size_t i = 0; i < c->len; i++)
		sum += c->data[i];
	if (c->len && sum > 255 * c->len)
		abort();
}

static void read_pack(struct pack *p, unsigned int ring_bytes)
{
	struct unpacker u;
	struct content c;
	const char *why;
	uint64_t offset;

	if (!pack_setup(p) || unpacker_init(&u, ring_bytes) < 0)
		return;
	for (uint32_t i = 0; i < p->fan.n && i < OBJECTS_MAX; i++)
		if (pack_find(p, p->fan.ids + (size_t)i * GIT_ID_LEN, &offset) &&
		    unpack(&u, p, 0, offset, &c, &why) == 0)
			touch(&c);
	for (offset = 0; offset < p->data.len && offset < PLACES_MAX; offset++)
		if (unpack(&u, p, 0, offset, &c, &why) == 0)
			touch(&c);
	unpacker_deinit(&u);
}

static void read_delta(const uint8_t *base, size_t base_len, const uint8_t *delta, size_t len)
{
	_cleanup_free_ unsigned char *out = NULL;
	struct content c = { 0 };

	if (!delta_size(delta, len, &c.len) || c.len > RESULT_MAX)
		return;
	out = xmalloc(c.len + !c.len);
	c.data = out;
	if (delta_apply(delta, len, base, base_len, out, c.len))
		touch(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ unsigned char *idx = NULL;
	_cleanup_free_ unsigned char *pack = NULL;
	struct pack p = { 0 };
	size_t idx_len;

	if (size < 4)
		return 0;
	idx_len = read_be32(data);
	data += 4;
	size -= 4;
	if (idx_len > size)
		return 0;
	read_delta(data, idx_len, data + idx_len, size - idx_len);
	/* Each of exactly its length, so that ASan sees a byte read too many. */
	idx = xmalloc(idx_len + !idx_len);
	pack = xmalloc(size - idx_len + (size == idx_len));
	memcpy(idx, data, idx_len);
	memcpy(pack, data + idx_len, size - idx_len);
	p.idx = (struct mapped){ .data = idx, .len = idx_len };
	p.data = (struct mapped){ .data = pack, .len = size - idx_len };
	read_pack(&p, 4096); /* so small that bases are lost all the time */
	read_pack(&p, 1 << 16);
	return 0;
}
