/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Artifacts by key: what was built once is not built again, nor is what did not build.
 *
 * artifacts/KEY/ holds what was built, artifacts/KEY.failed/ a compiler's error, both with the build's log;
 * either appears whole, by a rename. Several controllers may use one cache: an artifact stays in it while
 * any of them has it in hand, which ends with artifact_deinit() or with the process.
 */
#ifndef BUILD_CACHE_H
#define BUILD_CACHE_H

#include "base/cap/cap.h"
#include "base/err.h"
#include "base/progress.h"
#include "build/build.h"

/* So much of a build's log goes with what came of it: its end. */
#define CACHE_LOG_MAX_BYTES (256u << 10)

/** cache_open() - remove what killed controllers left half-made below @dir */
int cache_open(const char *dir, struct err *err);

/**
 * cache_load() - an artifact that was built before
 * @dir:      ".../artifacts"
 * @log:      file that the log of its build is appended to; or NULL
 * @progress: told if the entry was damaged; or NULL
 * @ret:      written on 1; artifact_deinit()
 * @err:      ERR_BUILD: it was tried before and does not build; the text is the one it had then
 *
 * Every file is compared with the digest taken when it was built; a damaged entry is removed.
 *
 * Return: 1 found, 0 not there (or damaged), -1 with @err filled.
 */
int cache_load(const char *dir, const char *key, const char *log, struct progress *progress,
	       struct artifact *ret, struct err *err);

/* What is being built, until it has its name. */
struct cache_draft {
	char *path; /* directory for NAME.ko of each module, vmlinux, and other files to be kept */
	struct cap_hold *hold;
	char *log;	   /* or NULL */
	uint64_t log_from; /* where this build's part of it begins [bytes] */
};

/**
 * cache_draft() - a fresh directory to build into
 * @log: file that this build's output is appended to from here on; or NULL
 */
int cache_draft(const char *dir, const char *log, struct cache_draft *ret, struct err *err);

/** cache_draft_deinit() - remove it, unless it was stored; a zero-initialised one is fine */
void cache_draft_deinit(struct cache_draft *d);

/**
 * cache_store() - keep an artifact
 * @d: taken over on success
 * @a: key, scope, names of the modules, image (the name of a file in the draft) are set. Written by this:
 *     paths, identities, what the modules depend on, and the signature if it is empty
 *
 * If another controller stored the same meanwhile, that is what @a becomes.
 */
int cache_store(const char *dir, struct cache_draft *d, struct artifact *a, struct err *err);

/**
 * cache_store_failure() - remember that an input does not build, and why
 * @d:   with the log; it is not taken over
 * @why: of another kind than ERR_BUILD, or an error that the log does not explain: not remembered
 */
int cache_store_failure(const char *dir, const struct cache_draft *d, const char *key,
			const struct err *why, struct err *err);

/**
 * cache_trim() - give artifacts up, those that were used longest ago first
 * @max_bytes: of the whole cache, trees and all; 0: BUILD_CACHE_MAX_BYTES. A quarter is for artifacts
 * @keep:      key of one that stays
 */
int cache_trim(const char *dir, uint64_t max_bytes, const char *keep, struct err *err);

#endif
