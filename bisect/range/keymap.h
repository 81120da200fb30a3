/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: a hash table from keys of one fixed length (object ids, tuples) to numbers. */
#ifndef RANGE_KEYMAP_H
#define RANGE_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Most strangers are told apart by their tags, without a look at their keys. */
struct keymap_slot {
	uint32_t tag;
	uint32_t at; /* 0: free, else 1 + index into keys */
};

struct keymap {
	size_t key_len;	     /* [bytes], set by keymap_init() */
	unsigned char *keys; /* [n * key_len], in the order they were put */
	uint32_t *values;    /* [n] */
	size_t n, cap;
	struct keymap_slot *slots; /* [n_slots], a power of two */
	size_t n_slots;
};

void keymap_init(struct keymap *m, size_t key_len);
void keymap_deinit(struct keymap *m);

/** keymap_get() - true and the value if @key is there */
bool keymap_get(const struct keymap *m, const void *key, uint32_t *ret);

/** keymap_put() - add @key, which must not be there yet, or with the same value */
void keymap_put(struct keymap *m, const void *key, uint32_t value);

/** keymap_intern() - a number of its own for each different key: 0, 1, 2... in the order met */
uint32_t keymap_intern(struct keymap *m, const void *key);

#endif
