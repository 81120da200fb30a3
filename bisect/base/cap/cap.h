/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A directory of entries that stays below a size: what was used longest ago goes first. Several processes
 * may use it at once.
 *
 * An entry is a file, or a directory with all below it, and appears whole, by a rename. Who uses one holds it: a
 * shared flock() on the entry itself, which ends with the process however that ends. Who removes one takes
 * that lock alone, and moves the entry out of the way first, so that nobody meets half of it. What is
 * half-made or half-removed is named draft-*, and is nobody's once its lock is free.
 */
#ifndef BASE_CAP_H
#define BASE_CAP_H

#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"

struct cap_hold;

/**
 * cap_hold() - keep an entry from being given up, by this process and all others
 * @ret: written on 1; cap_release()
 *
 * Waits while another process is removing it. Where the file system has no such locks (a directory on
 * NFS) what was used within a day is taken for held.
 *
 * Return: 1 held, 0 there is no such entry (any more), -1 with @err filled.
 */
int cap_hold(const char *path, struct cap_hold **ret, struct err *err);
void cap_release(struct cap_hold *h); /* NULL is fine */
DEFINE_CLEANUP(struct cap_hold *, cap_release)

/**
 * cap_draft() - a fresh directory in which an entry is made; held, also under the name it gets later
 * @dir:  made if need be
 * @ret:  its path, owned by the caller
 * @hold: owned by the caller
 */
int cap_draft(const char *dir, char **ret, struct cap_hold **hold, struct err *err);

/**
 * cap_discard() - remove an entry that is of no use
 * @path: nothing there is success
 * @hold: of this process, given up by this; or NULL
 * Return: 1 gone, 0 another process holds it, -1 with @err filled.
 */
int cap_discard(const char *path, struct cap_hold *hold, struct err *err);

/** cap_bytes() - what all entries take on the disk; 0 for no directory */
uint64_t cap_bytes(const char *dir);

/** cap_sweep() - remove the drafts of processes that were killed; no directory is success */
int cap_sweep(const char *dir, struct err *err);

/**
 * cap_trim() - remove entries, oldest first, until the rest fits; those that are held stay
 * @max_bytes: what may stay
 * @keep:      name of an entry that stays whatever its age, or NULL
 *
 * Age is the entry's own mtime: utimensat() marks a use.
 */
int cap_trim(const char *dir, uint64_t max_bytes, const char *keep, struct err *err);

#endif
