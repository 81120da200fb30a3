/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cap on the cached kernels and initramfs; inside the guest room only. */
#ifndef GUEST_KEEP_H
#define GUEST_KEEP_H

#include <stddef.h>

/** keep_used() - remember that a cached file was used now, and its manifest */
void keep_used(const char *path);

/**
 * keep_newest() - of the files in @dir that start with @prefix remove all but the @n used last
 * A manifest goes with its image.
 */
void keep_newest(const char *dir, const char *prefix, size_t n);

#endif
