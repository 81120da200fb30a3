/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: a range out of the history itself, whatever a cache may know of it. */
#ifndef RANGE_MAKE_H
#define RANGE_MAKE_H

#include "range/ends.h"

/**
 * range_make() - walk between two ends, keep what the paths need
 * @spec:  the question; names the ends in errors
 * @ends:  from ends_resolve()
 * @paths: from gitlib_paths(); none: no limit
 * @ret:   owned by the caller, range_destroy()
 * @err:   all that range_open() says and only the history can tell
 */
int range_make(git_repository *repo, const struct range_spec *spec, const struct ends *ends,
	       const struct strv *paths, struct range **ret, struct err *err);

#endif
