/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what a kept range depends on besides the ids of its ends. */
#ifndef RANGE_CACHE_STAMP_H
#define RANGE_CACHE_STAMP_H

#include "range/cache/image.h"
#include "range/gitlib.h"

/**
 * stamp_overlay() - what is laid over the history: grafts, shallow ends, replacements
 * @err: ERR_HOST if it cannot be read; the walk says what is wrong
 */
int stamp_overlay(git_repository *repo, char ret[STAMP_SIZE], struct err *err);

/**
 * stamp_store() - which objects there are, by the names, sizes and times of packs, directories of
 * loose objects and alternates; equal stamps mean that nothing came or went
 */
int stamp_store(git_repository *repo, char ret[STAMP_SIZE], struct err *err);

#endif
