/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: the few things a checkout does to a directory, none of which leaves it. */
#ifndef RANGE_CHECKOUT_DISK_H
#define RANGE_CHECKOUT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Every name is one component below an open directory @dir and is never followed as a link. @path is
 * the whole name, for messages only.
 */

/** disk_open_dir() - open a directory for what lies in it, made if need be
 * @replace: what stands there and is no directory is removed; else it is an error
 * Return: descriptor, or -1 with ERR_HOST.
 */
int disk_open_dir(int dir, const char *name, const char *path, bool replace, struct err *err);

/** disk_write_file() - a whole regular file under a temporary name, then renamed into place */
int disk_write_file(int dir, const char *name, const char *path, const void *data, size_t len,
		    bool executable, struct err *err);

/** disk_write_link() - the same for a symbolic link */
int disk_write_link(int dir, const char *name, const char *path, const char *target,
		    struct err *err);

/** disk_remove() - a file or a whole directory; 1: removed, 0: there was none, -1 */
int disk_remove(int dir, const char *name, const char *path, struct err *err);

/** disk_remove_if_empty() - a directory without entries; others stay, and that is no error */
void disk_remove_if_empty(int dir, const char *name);

/** disk_is_leftover() - whether a file of that name was left behind by a checkout that was killed */
bool disk_is_leftover(const char *name);

/**
 * disk_next_tick() - wait until what is written in @dir is newer than all that was written before
 *
 * A file system's clock goes in steps (1 to 10 ms for most, Linux's coarse clock; 2 s for some), and make
 * takes an object for new that is as old as its source. Costs one step.
 */
int disk_next_tick(int dir, const char *path, struct err *err);

#endif
