/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Saved guests in the cache; inside the guest room only.
 *
 *	DIR/save-KEY-SUM	a whole one: KEY is of all that it was made from, SUM of its content
 *	DIR/making-PID		one that is being written, by whoever holds the lock
 *	DIR/lock
 *
 * A file gets its last name only when all of it is on the disk, so what has that name was once whole;
 * its digest tells whether it still is.
 */
#ifndef GUEST_SAVE_H
#define GUEST_SAVE_H

#include <stdbool.h>

#include "base/err.h"

#define SAVE_KEY 17 /* 16 hex digits and a NUL */

struct save {
	char *path;  /* the last one found, or NULL */
	char *stamp; /* of it, when it was read whole */
};
void save_deinit(struct save *s);

/**
 * save_find() - the save of @key, undamaged; path in @s
 *
 * The content is read once; after that its size and date tell of a change. A damaged one is removed.
 * Return: 1: found; 0: there is none; -1: there was a damaged one.
 */
int save_find(struct save *s, const char *dir, const char *key);

/** save_drop() - the one found last is of no use: remove it */
void save_drop(struct save *s);

/* One that is being made. */
struct making {
	int lock;
	char *path;
};

/**
 * making_begin() - become the one that makes saves in @dir; removes what a killed one left half done
 * @err: ERR_HOST: another process makes one now, the disk is full, ...
 */
int making_begin(const char *dir, struct making *ret, struct err *err);
void making_deinit(struct making *m); /* what was not kept is removed */

/** making_keep() - what QEMU wrote to @m->path is whole: give it its name; older ones go */
int making_keep(struct making *m, const char *dir, const char *key, struct err *err);

#endif
