// SPDX-License-Identifier: GPL-2.0-or-later
/* The table behind the walk: commit id → node, tree id → what it holds in the limited paths. */
#include "range/keymap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

void keymap_init(struct keymap *m, size_t key_len)
{
	*m = (struct keymap){ .key_len = key_len };
}

void keymap_deinit(struct keymap *m)
{
	free(m->keys);
	free(m->values);
	free(m->slots);
	*m = (struct keymap){ 0 };
}

/* Eight bytes at a time: keys are short, and mostly hashes already. */
static uint64_t hash_key(const void *key, size_t len)
{
	const unsigned char *p = key;
	uint64_t h = len;
	uint64_t word;

	for (; len; len -= len < sizeof(word) ? len : sizeof(word), p += sizeof(word)) {
		word = 0;
		if (len < sizeof(word))
			memcpy(&word, p, len);
		else
			memcpy(&word, p, sizeof(word));
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return h;
}

/* The slot that holds @key, or the free one where it belongs. */
static struct keymap_slot *find_slot(const struct keymap *m, const void *key, uint64_t hash)
{
	size_t mask = m->n_slots - 1;
	uint32_t tag = (uint32_t)(hash >> 32);

	for (size_t i = (size_t)hash & mask;; i = (i + 1) & mask) {
		struct keymap_slot *slot = &m->slots[i];

		if (!slot->at || (slot->tag == tag && memcmp(m->keys + (slot->at - 1) * m->key_len,
							     key, m->key_len) == 0))
			return slot;
	}
}

/* At most half full, so that a search ends soon. */
static void grow(struct keymap *m)
{
	m->cap = m->cap ? 2 * m->cap : 32;
	m->keys = xrealloc(m->keys, m->cap, m->key_len);
	m->values = xrealloc(m->values, m->cap, sizeof(*m->values));
	m->n_slots = 2 * m->cap;
	free(m->slots);
	m->slots = xcalloc(m->n_slots, sizeof(*m->slots));
	for (size_t i = 0; i < m->n; i++) {
		const void *key = m->keys + i * m->key_len;
		uint64_t hash = hash_key(key, m->key_len);

		*find_slot(m, key, hash) = (struct keymap_slot){ .tag = (uint32_t)(hash >> 32),
								 .at = (uint32_t)i + 1 };
	}
}

/* Return: true if @key is there; if not it is added with @value. */
static bool get_or_put(struct keymap *m, const void *key, uint32_t value, uint32_t *ret)
{
	uint64_t hash = hash_key(key, m->key_len);
	struct keymap_slot *slot;

	if (m->n == m->cap)
		grow(m);
	slot = find_slot(m, key, hash);
	if (slot->at) {
		*ret = m->values[slot->at - 1];
		return true;
	}
	memcpy(m->keys + m->n * m->key_len, key, m->key_len);
	m->values[m->n++] = value;
	*slot = (struct keymap_slot){ .tag = (uint32_t)(hash >> 32), .at = (uint32_t)m->n };
	*ret = value;
	return false;
}

bool keymap_get(const struct keymap *m, const void *key, uint32_t *ret)
{
	const struct keymap_slot *slot;

	if (!m->n)
		return false;
	slot = find_slot(m, key, hash_key(key, m->key_len));
	if (!slot->at)
		return false;
	*ret = m->values[slot->at - 1];
	return true;
}

void keymap_put(struct keymap *m, const void *key, uint32_t value)
{
	uint32_t there;

	if (get_or_put(m, key, value, &there))
		assert(there == value);
}

uint32_t keymap_intern(struct keymap *m, const void *key)
{
	uint32_t value;

	get_or_put(m, key, (uint32_t)m->n, &value);
	return value;
}
