/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compressed bytes to plain ones; inside the guest room only. */
#ifndef GUEST_UNPACK_H
#define GUEST_UNPACK_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/**
 * unpack_memory() - undo whatever compression @data has (xz, zstd, gzip, lz4, ...), or none
 * @exact: stop after this many bytes: what follows the stream does not matter; 0: to its end
 * @max:   refuse more than this [bytes]
 * @name:  what it is, for the message
 * @ret:   appended to
 */
int unpack_memory(const void *data, size_t len, size_t exact, size_t max, const char *name,
		  struct buf *ret, struct err *err);

/** unpack_file() - the same for a whole file */
int unpack_file(const char *path, size_t max, struct buf *ret, struct err *err);

#endif
