/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mirror's sources: their identity, and a copy to build in. */
#ifndef BUILD_MIRROR_H
#define BUILD_MIRROR_H

#include <stddef.h>

#include "base/err.h"

/** mirror_hash() - SHA-256 over the names and contents of a directory's files */
int mirror_hash(const char *dir, char ret[65], struct err *err);

/** mirror_copy() - copy the files, leaving alone those that are equal, so that make stays lazy */
int mirror_copy(const char *from, const char *to, struct err *err);

/** mirror_put() - write a file of the build directory unless it holds that already */
int mirror_put(const char *dir, const char *name, const void *data, size_t len, struct err *err);

#endif
