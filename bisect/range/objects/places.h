/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside objects/ only: where a repository's objects are, with those of others that it borrows. */
#ifndef RANGE_OBJECTS_PLACES_H
#define RANGE_OBJECTS_PLACES_H

#include "range/objects/pack.h"
#include "range/gitlib.h"

#define PACKS_MAX 4096 /* each takes two of a process's 65530 mappings; more are left to libgit2 */

/** places_find() - @dir and the object directories that its info/alternates lead to, each once */
void places_find(const char *dir, struct strv *ret);

/**
 * places_packs() - map all packs in these directories that can be read here
 * @ret: [*n], owned by the caller, as are the packs in it
 */
void places_packs(const struct strv *dirs, struct pack **ret, unsigned int *n);

#endif
