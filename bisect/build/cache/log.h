/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log of a build goes with what came of it. Inner to cache.c. */
#ifndef BUILD_CACHE_LOG_H
#define BUILD_CACHE_LOG_H

#include "base/err.h"
#include "build/cache/cache.h"

/** cache_log_keep() - put the end of a draft's log into a directory; no log is none to keep */
int cache_log_keep(const struct cache_draft *d, const char *dir, struct err *err);

/** cache_log_give() - append an entry's log to a file; NULL, or an entry without one, is success */
int cache_log_give(const char *dir, const char *log, struct err *err);

#endif
