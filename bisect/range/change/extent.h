/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: where functions stand in C text. Pure. */
#ifndef RANGE_CHANGE_EXTENT_H
#define RANGE_CHANGE_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct extent {
	uint32_t first, last; /* lines, counted from 1 */
};

/* Several, as a function may be defined once for each branch of an #ifdef. */
struct extents {
	struct extent *items;
	size_t n, cap;
};
void extents_deinit(struct extents *e);

/** extent_mentions() - whether a name stands in a text as a word */
bool extent_mentions(const char *text, size_t len, const char *name);

/**
 * extents_add() - the definitions of a function, added to what is there
 * @text: [len], any bytes
 *
 * In the kernel's style: a definition begins in column 0, and ends where its braces close or with a
 * closing brace in column 0, whichever comes first. Text in comments and strings is not told apart.
 *
 * Source: Documentation/process/coding-style.rst, 3) and 6).
 */
void extents_add(struct extents *e, const char *text, size_t len, const char *name);

/** extents_meet() - whether one of @n lines from @first on is inside */
bool extents_meet(const struct extents *e, uint32_t first, uint32_t n);

#endif
