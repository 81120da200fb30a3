/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside objects/ only: an object by its own name, wherever it is kept; what is laid over is above. */
#ifndef RANGE_OBJECTS_RAW_H
#define RANGE_OBJECTS_RAW_H

#include "range/objects/loose.h"
#include "range/objects/places.h"
#include "range/pack/unpack.h"

/* What was found when something was missed: packs come, and others go, while one reads. */
struct raw_late {
	struct places places;
	git_odb *odb; /* of the odd packs; NULL: there are none */
	bool open;
	char *seen; /* the pack directories as they were then */
};

/* One per thread. */
struct raw {
	const struct places *places; /* not owned */
	struct unpacker unpacker;
	unsigned int recent;  /* the pack of the last answer */
	struct loose loose;   /* what the last answer lies in, if it was a file of its own, ... */
	git_odb_object *held; /* ... or came from libgit2 */
	struct raw_late late;
};

/** raw_init() - -1: no memory for an unpacker */
int raw_init(struct raw *r, const struct places *places);
void raw_deinit(struct raw *r);

/**
 * raw_read() - an object
 * @ret: valid until the next call
 * @why: set on failure: what is wrong with it
 *
 * Return: 0; GIT_ENOTFOUND if it is not there; GIT_ERROR with @why set if all that is there is damaged.
 */
int raw_read(struct raw *r, const git_oid *id, struct content *ret, const char **why);

/** raw_has() - whether it is there; it may be damaged */
bool raw_has(struct raw *r, const git_oid *id);

/**
 * raw_find() - the one object whose name begins with some hex digits
 * @hex: [n], 2 <= n < 40, lower case
 *
 * Return: 0; GIT_ENOTFOUND if there is none; GIT_EAMBIGUOUS if there are several.
 */
int raw_find(struct raw *r, const char *hex, size_t n, git_oid *ret);

#endif
