/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside objects/ only: objects that are a file each, below objects/00 to objects/ff. */
#ifndef RANGE_OBJECTS_LOOSE_H
#define RANGE_OBJECTS_LOOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "range/gitlib.h"

/* An object as it was inflated: its content lies behind its head. Zero-initialised it is empty. */
struct loose {
	unsigned char *text; /* owned */
	const unsigned char *data;
	size_t len;
	git_object_t type;
};
void loose_deinit(struct loose *l);

/**
 * loose_read() - an object from the first of some object directories that has it whole
 * @why: set on failure: what is wrong with the last copy that was looked at
 *
 * Its hash is checked, as a name is all that says what such a file should hold.
 *
 * Return: 1; 0 if there is none; -1 with @why set if there are only damaged ones.
 * Source: unpack_loose_header() of git's object-file.c.
 */
int loose_read(const struct strv *dirs, const git_oid *id, struct loose *ret, const char **why);

/** loose_has() - whether there is such a file, whatever it holds */
bool loose_has(const struct strv *dirs, const git_oid *id);

/**
 * loose_find() - objects whose names begin with some hex digits
 * @hex:  [n], 2 <= n < 40, lower case
 * @each: called for each; a return other than 0 ends it
 *
 * Return: 0, or what @each returned.
 */
int loose_find(const struct strv *dirs, const char *hex, size_t n,
	       int (*each)(const git_oid *id, void *arg), void *arg);

#endif
