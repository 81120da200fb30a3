/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bisect.conf, a file in git-config's syntax, read by libgit2. */
#ifndef RANGE_CONF_H
#define RANGE_CONF_H

#include "base/err.h"

/**
 * conf_read() - give every entry of one file, in order
 * @path: file; ERR_USAGE with path and libgit2's line number if it cannot be read or parsed
 * @each: called with the key in git's canonical form ("section.key", "section.sub.key"; section and
 *        key lower-case); a return of -1 with @err filled ends the reading
 */
int conf_read(const char *path,
	      int (*each)(const char *key, const char *value, void *arg, struct err *err), void *arg,
	      struct err *err);

#endif
