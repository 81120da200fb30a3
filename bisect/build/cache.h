/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Artifacts by key: what was built once is not built again, nor is what did not build.
 *
 * artifacts/KEY/ appears whole, by a rename; artifacts/KEY.failed holds a compiler's error.
 */
#ifndef BUILD_CACHE_H
#define BUILD_CACHE_H

#include "base/err.h"
#include "build/build.h"

/**
 * cache_load() - an artifact that was built before
 * @dir: ".../artifacts"
 * @ret: written on 1; artifact_deinit()
 * @err: ERR_BUILD: it was tried before and does not build; the text is the one it had then
 *
 * Each module is compared with the digest taken when it was built; a damaged artifact is removed.
 *
 * Return: 1 found, 0 not there (or damaged), -1 with @err filled.
 */
int cache_load(const char *dir, const char *key, struct artifact *ret, struct err *err);

/**
 * cache_store() - keep an artifact
 * @built: directory on the same file system with NAME.ko for each module; taken over
 * @a:     what it is; the paths of its modules are written by this
 */
int cache_store(const char *dir, const char *built, struct artifact *a, struct err *err);

/** cache_store_failure() - remember that an input does not build, and why */
int cache_store_failure(const char *dir, const char *key, const char *why, struct err *err);

/** cache_draft() - a fresh directory to gather modules in; owned by the caller */
int cache_draft(const char *dir, char **ret, struct err *err);

#endif
