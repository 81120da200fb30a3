/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside range/ only: ranges that were walked before, kept below the cache directory.
 *
 * Nothing here fails for its caller: what cannot be found, read or written costs the walk, or the time
 * of the next one.
 */
#ifndef RANGE_CACHE_CACHE_H
#define RANGE_CACHE_CACHE_H

#include "base/str.h"
#include "range/ends.h"

/* Where the answer to one question is kept, whether or not it is there. */
struct kept;

/**
 * kept_find() - the place for a question's answer
 * @dir:   cache directory of the user, made if need be
 * @paths: as gitlib_paths() gave them
 *
 * Call it before the walk: what happens to the repository meanwhile is then seen the next time.
 *
 * Return: owned by the caller, kept_destroy(); NULL if it cannot be told what lies over the history.
 */
struct kept *kept_find(const char *dir, git_repository *repo, const struct ends *ends,
		       const struct strv *paths, bool first_parent);
void kept_destroy(struct kept *k);
DEFINE_CLEANUP(struct kept *, kept_destroy)

/**
 * kept_load() - the kept range, after a look whether the repository still has what it names
 * Return: owned by the caller, range_destroy(); NULL if there is none that is right and whole.
 */
struct range *kept_load(struct kept *k, git_repository *repo);

/** kept_save() - keep a range, in place of what was kept; @weights: [r->n], or NULL */
void kept_save(const struct kept *k, const struct range *r, const uint32_t *weights);

/**
 * cache_place() - put a file there whole, or not at all
 * @b: its content [bytes]
 * As fs_write(), but not synced: after a power cut half a file is found by its sum, and what a slow disk
 * would be waited for takes no longer.
 * Return: false if it could not be written; nothing is left then.
 */
bool cache_place(const char *path, const struct buf *b);

#endif
