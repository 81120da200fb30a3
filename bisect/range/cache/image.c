// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A range as one file: read at one go, and used where it lies as far as subjects go.
 *
 * Whatever is not exactly as it was written is no range: half a file, a changed bit, another version,
 * the answer to another question.
 */
#include "range/cache/image.h"

#include <assert.h>
#include <libdeflate.h>
#include <string.h>

#include "range/gitlib.h"

#define IMAGE_MAGIC "amdrange"
/* Raised when the same question would be written, or answered, otherwise than before. */
#define IMAGE_VERSION 1
#define IMAGE_ORDER   UINT32_C(0x01020304)

struct image_commit {
	unsigned char id[GIT_ID_LEN];
	uint32_t parents; /* twice their number; one more for a merge */
	int64_t date_s;
};

static_assert(sizeof(struct image_head) == 152, "no padding, or old files are misread");
static_assert(sizeof(struct image_commit) == 32, "no padding");

static void put_id(struct buf *b, const char *hex)
{
	git_oid id = { 0 };

	git_oid_fromstr(&id, hex);
	buf_add(b, id.id, GIT_ID_LEN);
}

static void put_commits(struct buf *b, const struct range *r)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct range_commit *c = &r->commits[i];
		struct image_commit raw = { .parents = 2 * c->n_parents + c->merge,
					    .date_s = c->date_s };
		git_oid id = { 0 };

		git_oid_fromstr(&id, c->id);
		memcpy(raw.id, id.id, GIT_ID_LEN);
		buf_add(b, &raw, sizeof(raw));
	}
	/* In the order of the commits, whatever the order in memory: where each begins follows. */
	for (size_t i = 0; i < r->n; i++)
		buf_add(b, r->parents + r->commits[i].parents,
			r->commits[i].n_parents * sizeof(*r->parents));
}

static bool fits(const struct range *r, const char *key, uint64_t *text_len)
{
	*text_len = 0;
	for (size_t i = 0; i < r->n; i++)
		*text_len += strlen(r->commits[i].subject) + 1;
	return r->n < UINT32_MAX / 4 && r->n_parent_edges < UINT32_MAX / 4 &&
	       r->n_good < UINT32_MAX && r->n_bases < UINT32_MAX && strlen(key) < UINT32_MAX &&
	       *text_len < UINT32_MAX;
}

void image_seal(char *data, size_t len)
{
	const size_t from = offsetof(struct image_head, sum) + sizeof(uint32_t);
	uint64_t size_bytes = len;
	uint32_t sum;

	memcpy(data + offsetof(struct image_head, size_bytes), &size_bytes, sizeof(size_bytes));
	sum = libdeflate_crc32(0, data + from, len - from);
	memcpy(data + offsetof(struct image_head, sum), &sum, sizeof(sum));
}

void image_encode(const struct range *r, const uint32_t *weights, const char *key,
		  const char stamp[STAMP_SIZE], struct buf *ret)
{
	struct image_head head = { .version = IMAGE_VERSION,
				   .n_walked = r->n_walked,
				   .order = IMAGE_ORDER,
				   .n = (uint32_t)r->n,
				   .n_good = (uint32_t)r->n_good,
				   .n_bases = (uint32_t)r->n_bases,
				   .bad_node = r->bad_node,
				   .has_weights = weights != NULL };
	uint64_t text_len;
	git_oid bad = { 0 };

	if (!fits(r, key, &text_len))
		return;
	head.key_len = (uint32_t)strlen(key);
	head.text_len = (uint32_t)text_len;
	for (size_t i = 0; i < r->n; i++)
		head.n_edges += r->commits[i].n_parents;
	memcpy(head.magic, IMAGE_MAGIC, sizeof(head.magic));
	git_oid_fromstr(&bad, r->bad_id);
	memcpy(head.bad, bad.id, GIT_ID_LEN);
	memcpy(head.stamp, stamp, sizeof(head.stamp));
	buf_add(ret, &head, sizeof(head));
	buf_puts(ret, key);
	put_commits(ret, r);
	for (size_t i = 0; i < r->n_good; i++)
		put_id(ret, r->good_ids[i]);
	for (size_t i = 0; i < r->n_bases; i++)
		put_id(ret, r->base_ids[i]);
	if (weights)
		buf_add(ret, weights, r->n * sizeof(*weights));
	for (size_t i = 0; i < r->n; i++)
		buf_add(ret, r->commits[i].subject, strlen(r->commits[i].subject) + 1);
	image_seal(ret->data, ret->len);
}

/* What is between here and the end of the file; every part has been counted before it is taken. */
struct cursor {
	char *at;
};

static char *take(struct cursor *c, size_t len)
{
	char *at = c->at;

	c->at += len;
	return at;
}

static bool is_head(const struct image_head *h, const char *data, size_t len, const char *key)
{
	const size_t from = offsetof(struct image_head, sum) + sizeof(uint32_t);
	uint64_t want = sizeof(*h) + (uint64_t)h->key_len +
			(uint64_t)h->n * sizeof(struct image_commit) +
			(uint64_t)h->n_edges * sizeof(uint32_t) +
			((uint64_t)h->n_good + h->n_bases) * GIT_ID_LEN +
			(h->has_weights ? (uint64_t)h->n * sizeof(uint32_t) : 0) + h->text_len;

	return memcmp(h->magic, IMAGE_MAGIC, sizeof(h->magic)) == 0 &&
	       h->version == IMAGE_VERSION && h->order == IMAGE_ORDER && h->size_bytes == len &&
	       want == len && h->has_weights <= 1 && h->n_good &&
	       (h->n ? h->bad_node < h->n : h->bad_node == UINT32_MAX) &&
	       h->n_walked <= UINT32_MAX &&
	       libdeflate_crc32(0, data + from, len - from) == h->sum &&
	       h->key_len == strlen(key) && memcmp(data + sizeof(*h), key, h->key_len) == 0;
}

static void take_id(struct cursor *c, char ret[COMMIT_ID_SIZE])
{
	git_oid id;

	memcpy(id.id, take(c, GIT_ID_LEN), GIT_ID_LEN);
	gitlib_hex(&id, ret);
}

/* Return: false if the parents are not @n_edges, or one does not come before its child. */
static bool take_graph(struct cursor *c, struct range *r, size_t n_edges)
{
	size_t edge = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct range_commit *to = &r->commits[i];
		struct image_commit raw;
		git_oid id;

		memcpy(&raw, take(c, sizeof(raw)), sizeof(raw));
		memcpy(id.id, raw.id, GIT_ID_LEN);
		gitlib_hex(&id, to->id);
		to->date_s = raw.date_s;
		to->merge = raw.parents & 1;
		to->n_parents = raw.parents >> 1;
		to->parents = (uint32_t)edge;
		edge += to->n_parents;
	}
	if (edge != n_edges)
		return false;
	r->parents = xcalloc(n_edges, sizeof(*r->parents));
	r->n_parent_edges = n_edges;
	memcpy(r->parents, take(c, n_edges * sizeof(*r->parents)), n_edges * sizeof(*r->parents));
	for (size_t i = 0; i < r->n; i++)
		for (uint32_t p = 0; p < r->commits[i].n_parents; p++)
			if (r->parents[r->commits[i].parents + p] >= i)
				return false;
	return true;
}

static bool take_weights(struct cursor *c, struct range *r)
{
	r->weights = xcalloc(r->n, sizeof(*r->weights));
	memcpy(r->weights, take(c, r->n * sizeof(*r->weights)), r->n * sizeof(*r->weights));
	for (size_t i = 0; i < r->n; i++)
		if (!r->weights[i] || r->weights[i] > i + 1)
			return false;
	return true;
}

static bool take_subjects(struct cursor *c, struct range *r, size_t left)
{
	for (size_t i = 0; i < r->n; i++) {
		const char *end = left ? memchr(c->at, '\0', left) : NULL;
		size_t len;

		if (!end)
			return false;
		len = (size_t)(end - c->at) + 1;
		r->commits[i].subject = take(c, len);
		left -= len;
	}
	return !left;
}

bool image_decode(char *data, size_t len, const char *key, struct range **ret,
		  char stamp[STAMP_SIZE])
{
	_cleanup_(range_destroy_p) struct range *r = xcalloc(1, sizeof(*r));
	struct cursor c = { .at = data };
	struct image_head h;
	git_oid bad;

	r->text = data;
	if (len < sizeof(h))
		return false;
	memcpy(&h, take(&c, sizeof(h)), sizeof(h));
	if (!is_head(&h, data, len, key))
		return false;
	take(&c, h.key_len);
	r->n = h.n;
	r->commits = xcalloc(r->n, sizeof(*r->commits));
	if (!take_graph(&c, r, h.n_edges))
		return false;
	r->good_ids = xcalloc(h.n_good, sizeof(*r->good_ids));
	for (r->n_good = 0; r->n_good < h.n_good; r->n_good++)
		take_id(&c, r->good_ids[r->n_good]);
	r->base_ids = xcalloc(h.n_bases, sizeof(*r->base_ids));
	for (r->n_bases = 0; r->n_bases < h.n_bases; r->n_bases++)
		take_id(&c, r->base_ids[r->n_bases]);
	if ((h.has_weights && !take_weights(&c, r)) || !take_subjects(&c, r, h.text_len))
		return false;
	memcpy(bad.id, h.bad, GIT_ID_LEN);
	gitlib_hex(&bad, r->bad_id);
	r->bad_node = h.bad_node;
	r->n_walked = (size_t)h.n_walked;
	r->cached = true;
	memcpy(stamp, h.stamp, sizeof(h.stamp));
	stamp[sizeof(h.stamp)] = '\0';
	*ret = take_ptr(r);
	return true;
}
