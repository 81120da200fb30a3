// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kept range is refused, or it is a graph that can be walked and is written again as the same bytes.
 * The sum would keep all but whole files out, so each input is also tried with a sum that fits.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "range/cache/image.h"

static void check(const struct range *r)
{
	size_t edges = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct range_commit *c = &r->commits[i];

		assert(str_is_commit_id(c->id));
		assert(strlen(c->subject) < SIZE_MAX);
		assert(c->parents == edges);
		edges += c->n_parents;
		for (uint32_t p = 0; p < c->n_parents; p++)
			assert(r->parents[c->parents + p] < i);
		assert(!r->weights || (r->weights[i] && r->weights[i] <= i + 1));
	}
	assert(edges == r->n_parent_edges);
	assert(!r->n || r->bad_node < r->n);
	assert(str_is_commit_id(r->bad_id) && r->n_good && r->cached);
	for (size_t i = 0; i < r->n_good; i++)
		assert(str_is_commit_id(r->good_ids[i]));
	for (size_t i = 0; i < r->n_bases; i++)
		assert(str_is_commit_id(r->base_ids[i]));
}

static void decode(const char *data, size_t len, const char *key)
{
	_cleanup_(range_destroy_p) struct range *r = NULL;
	_cleanup_buf_ struct buf again = { 0 };
	char stamp[STAMP_SIZE];
	char *own = xmalloc(len);

	memcpy(own, data, len);
	if (!image_decode(own, len, key, &r, stamp)) {
		assert(!r);
		return;
	}
	check(r);
	image_encode(r, r->weights, key, stamp, &again);
	assert(again.len == len && memcmp(again.data, data, len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *copy = NULL;
	_cleanup_free_ char *key = NULL;
	struct image_head head = { 0 };

	if (size < sizeof(head)) {
		decode((const char *)data, size, "");
		return 0;
	}
	memcpy(&head, data, sizeof(head));
	size -= sizeof(head);
	key = xstrndup((const char *)data + sizeof(head),
		       head.key_len < size ? head.key_len : size);
	size += sizeof(head);
	decode((const char *)data, size, key);
	copy = xmalloc(size);
	memcpy(copy, data, size);
	image_seal(copy, size);
	decode(copy, size, key);
	return 0;
}
