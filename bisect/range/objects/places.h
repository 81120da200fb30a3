/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: where a repository's objects are, with those of others that it borrows. */
#ifndef RANGE_OBJECTS_PLACES_H
#define RANGE_OBJECTS_PLACES_H

#include "range/pack/pack.h"
#include "range/gitlib.h"

#define PACKS_MAX 4096 /* each takes two of a process's 65530 mappings; more are left to libgit2 */

/* Object directories and what could be mapped of their packs. Zero-initialised it is empty. */
struct places {
	struct strv dirs;
	struct pack *packs; /* [n_packs] */
	unsigned int n_packs;
	struct strv
		odd; /* indexes of packs that are for libgit2: of version 1, or beyond PACKS_MAX */
};

/** places_open() - those of the object directory @dir; never written to again */
void places_open(const char *dir, struct places *ret);
void places_close(struct places *p);

/**
 * places_find() - @dir and the object directories that its info/alternates lead to, each once
 * Source: link_alt_odb_entries() of git's object-file.c; gitrepository-layout(5).
 */
void places_find(const char *dir, struct strv *ret);

/**
 * places_lend() - every repository that is opened from now on has the objects of one more directory
 * @dir: NULL: of none any more
 */
void places_lend(const char *dir);

#endif
