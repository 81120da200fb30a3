/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cache stays below a size: what was used longest ago goes first. */
#ifndef BASE_CAP_H
#define BASE_CAP_H

#include <stdint.h>

#include "base/err.h"

/**
 * cap_trim() - remove entries of a directory, oldest first, until the rest fits
 * @dir:       its entries are files, or directories of files
 * @max_bytes: what may stay
 * @keep:      name of an entry that stays whatever its age, or NULL
 */
int cap_trim(const char *dir, uint64_t max_bytes, const char *keep, struct err *err);

#endif
