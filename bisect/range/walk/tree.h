/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: a few names looked up in a raw tree. Pure. */
#ifndef RANGE_WALK_TREE_H
#define RANGE_WALK_TREE_H

#include <stddef.h>
#include <stdint.h>

#define TREE_ID_LEN 20 /* SHA-1, raw [bytes] */

struct tree_name {
	const char *text;
	size_t len;
};

struct tree_entry {
	uint32_t mode; /* one of those git writes; 0: not there */
	unsigned char id[TREE_ID_LEN];
};

/**
 * tree_find() - the entries of some names
 * @data:  [len] bytes: "mode SP name NUL id" again and again, mode in octal
 * @names: [n], sorted by strcmp(), each once
 * @ret:   [n]; of a name that is there twice the first counts
 *
 * Reads no further than the last of them, so damage behind that is not noticed.
 *
 * Return: 0, or -1 if the tree is malformed.
 * Source: git's decode_tree_entry() and canon_mode(); git-fsck(1).
 */
int tree_find(const unsigned char *data, size_t len, const struct tree_name *names, size_t n,
	      struct tree_entry *ret);

#endif
