/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files below a directory, without asking for the state of each. */
#ifndef BUILD_READS_WALK_H
#define BUILD_READS_WALK_H

#include <stdbool.h>

#include "base/err.h"

/**
 * walk_files() - every file below a directory, in no order; links are files, and are not followed
 * @root: nothing there is success; a file is the only one
 * @each: called with its path, which begins with @root, and its name; returns
 *        false to end the walk
 * @err:  ERR_HOST: a directory that cannot be read
 *
 * A directory .git is passed over.
 */
int walk_files(const char *root, bool (*each)(const char *path, const char *name, void *arg),
	       void *arg, struct err *err);

#endif
