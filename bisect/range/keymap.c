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

/* FNV-1a: keys are short, and mostly hashes already. */
static uint64_t hash_key(const void *key, size_t len)
{
	const unsigned char *p = key;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(0x100000001b3);
	return h ^ h >> 32;
}

/* The slot that holds @key, or the free one where it belongs. */
static size_t find_slot(const struct keymap *m, const void *key)
{
	size_t mask = m->n_slots - 1;
	size_t i = (size_t)hash_key(key, m->key_len) & mask;

	while (m->slots[i] &&
	       memcmp(m->keys + (m->slots[i] - 1) * m->key_len, key, m->key_len) != 0)
		i = (i + 1) & mask;
	return i;
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
	for (size_t i = 0; i < m->n; i++)
		m->slots[find_slot(m, m->keys + i * m->key_len)] = (uint32_t)i + 1;
}

bool keymap_get(const struct keymap *m, const void *key, uint32_t *ret)
{
	size_t slot;

	if (!m->n)
		return false;
	slot = find_slot(m, key);
	if (!m->slots[slot])
		return false;
	*ret = m->values[m->slots[slot] - 1];
	return true;
}

void keymap_put(struct keymap *m, const void *key, uint32_t value)
{
	size_t slot;

	if (m->n == m->cap)
		grow(m);
	slot = find_slot(m, key);
	assert(!m->slots[slot]);
	memcpy(m->keys + m->n * m->key_len, key, m->key_len);
	m->values[m->n++] = value;
	m->slots[slot] = (uint32_t)m->n;
}

uint32_t keymap_intern(struct keymap *m, const void *key)
{
	uint32_t value;

	if (keymap_get(m, key, &value))
		return value;
	value = (uint32_t)m->n;
	keymap_put(m, key, value);
	return value;
}
