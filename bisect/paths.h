/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where things lie: the state and cache directories, runs by name, and our own installed parts. */
#ifndef PATHS_H
#define PATHS_H

#include "base/err.h"

/** path_state() / path_cache() - $XDG_STATE_HOME/amdgpu-bisect, $XDG_CACHE_HOME/amdgpu-bisect; owned */
char *path_state(void);
char *path_cache(void);

/** path_cache_make() - path_cache(), made and such that it can be written; ERR_HOST otherwise */
int path_cache_make(char **ret, struct err *err);

/** path_quarantine() - where cards that failed are written down; owned by the caller */
char *path_quarantine(void);

/**
 * path_run_new() - directory for a new run
 * @dir:  as the user said it, or NULL: a new one below the state directory, named by the date and @what
 * @what: "run"; anything else lies in tests/ there, so that it is not taken for a run
 * @ret: owned; not made yet
 */
int path_run_new(const char *dir, const char *what, char **ret, struct err *err);

/** path_run_latest() - remember a run as the latest, for resume, status and report without a name */
void path_run_latest(const char *dir);

/**
 * path_run_find() - a run that exists
 * @name: a directory, a name below the state directory, or NULL: the latest
 * @ret:  owned, absolute
 * @err:  ERR_USAGE: there is none; says how to start one
 */
int path_run_find(const char *name, char **ret, struct err *err);

/**
 * path_part() - one of our own parts: "amdgpu-bisect-agent", "copy-regimes", "mirror"
 * Looked up beside this program in a build tree, then where `cmake --install` puts it.
 * @ret: owned
 */
int path_part(const char *name, char **ret, struct err *err);

/** path_absolute() - against the current directory; owned; need not exist */
char *path_absolute(const char *path);

#endif
