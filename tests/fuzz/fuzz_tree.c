// SPDX-License-Identifier: GPL-2.0-or-later
/* A raw tree, looked up for a few names; what is found must stand in the bytes just so. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "fuzz.h"
#include "range/walk/tree.h"

static const struct tree_name names[] = {
	{ "a", 1 },
	{ "a-b", 3 },
	{ "drivers", 7 },
	{ "x", 1 },
};

#define N (sizeof(names) / sizeof(names[0]))

/* "SP name NUL id" of an entry that was found, after a digit, is in the tree. */
static void check_found(const uint8_t *data, size_t size, const struct tree_name *name,
			const struct tree_entry *e)
{
	unsigned char bytes[64] = " ";
	size_t len = 1 + name->len + 1 + TREE_ID_LEN;
	const uint8_t *at = data;

	assert(e->mode == 0100644 || e->mode == 0100755 || e->mode == 0120000 ||
	       e->mode == 0040000 || e->mode == 0160000);
	memcpy(bytes + 1, name->text, name->len);
	memcpy(bytes + 1 + name->len + 1, e->id, TREE_ID_LEN);
	do {
		at = memmem(at + 1, size - (size_t)(at + 1 - data), bytes, len);
		assert(at);
	} while (at[-1] < '0' || at[-1] > '7');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tree_entry all[N], one;
	int rc = tree_find(data, size, names, N, all);

	for (size_t i = 0; rc == 0 && i < N; i++) {
		if (all[i].mode)
			check_found(data, size, &names[i], &all[i]);
		/* Looked for alone it is the same, though less of the tree is read. */
		assert(tree_find(data, size, &names[i], 1, &one) == 0);
		assert(memcmp(&one, &all[i], sizeof(one)) == 0);
	}
	return 0;
}
