/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /etc/ld.so.cache; inside the guest room only. */
#ifndef GUEST_LDCACHE_H
#define GUEST_LDCACHE_H

#include <stdbool.h>

/**
 * ldcache_find() - where ldconfig found a library
 * @name:   soname
 * @suits:  takes a path, says whether it is for the right machine
 *
 * Return: path, owned by the caller, or NULL (no cache, unknown form, not in it).
 * Source: glibc, sysdeps/generic/dl-cache.h: struct cache_file_new.
 */
char *ldcache_find(const char *name, bool (*suits)(const char *path));

#endif
