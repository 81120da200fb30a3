/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ccache under make: what was compiled once, by whichever candidate, is not compiled again.
 *
 * It lies below the cache directory with settings of its own, so that the user's ccache neither changes
 * nor is changed. Whatever is wrong with it costs time and never a build: it is told once, and make goes
 * on without it. CC stays "ccache gcc" even then if it can, since another CC is another command line,
 * and Kbuild would compile everything again.
 *
 * Depend mode: the list of headers that Kbuild lets the compiler write anyway is what a result is found
 * by, so that a miss costs no second run of the preprocessor. A header that appears and hides another of
 * its name would be overlooked by that; so the names of all headers of the varying paths are part of
 * each key. No base directory: Kbuild names files from the tree's root, and with one, __FILE__ of the
 * others would differ from what make alone compiles.
 */
#ifndef BUILD_CCACHE_H
#define BUILD_CCACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/progress.h"
#include "base/str.h"

/* One for all makers of a cache directory; several threads may use it. */
struct ccache;

/**
 * ccache_create() - use ccache, if it is installed and runs
 * @cache_dir: ours; it lies in cache_dir/ccache
 * @max_bytes: of the whole cache_dir; a quarter of it is ccache's
 * @progress:  where a warning goes, or NULL
 *
 * Return: owned by the caller; NULL: there is none, or it does not run (which is told).
 */
struct ccache *ccache_create(const char *cache_dir, uint64_t max_bytes, struct progress *progress);
void ccache_destroy(struct ccache *c);
DEFINE_CLEANUP(struct ccache *, ccache_destroy)

/** ccache_fall_back() - it fails: first it only passes calls on, then it is not called at all */
void ccache_fall_back(struct ccache *c, const char *why);

/** ccache_in_use() - false for NULL, and once it passes calls on */
bool ccache_in_use(const struct ccache *c);

/** ccache_cc() - what CC is to be: "ccache gcc" or, for NULL and one that is not called, @cc; owned */
char *ccache_cc(const struct ccache *c, const char *cc);

/**
 * ccache_env() - for env(1): what else of ccache is set goes, what is ours comes
 * @c:       or NULL: the user's settings go all the same
 * @cc:      the compiler
 * @version: what it says to --version, or NULL: its bytes are looked at at each call
 * @tree:    where make runs; beside it lies the list of its sources, see reads/hidden.h
 */
void ccache_env(const struct ccache *c, const char *cc, const char *version, const char *tree,
		struct strv *argv);

#endif
