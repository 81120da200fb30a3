/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's config where a distribution keeps it: a file of its own, or within a package. */
#ifndef BUILD_CONFIG_FILE_H
#define BUILD_CONFIG_FILE_H

#include <stddef.h>

#include "base/err.h"

/**
 * config_file_read() - text of a config
 * @path: the file (/boot/config-*, also compressed, as /proc/config.gz is), or a Debian package
 *        that holds one
 * @ret:  NUL-terminated, owned by the caller
 * @err:  ERR_USAGE naming @path: not there, damaged, a package without a config, no config
 *
 * Source: deb(5): an ar archive with data.tar.*, compressed by one of several.
 */
int config_file_read(const char *path, char **ret, struct err *err);

/** config_file_parse() - config_file_read() of bytes in memory; @name stands for them in errors */
int config_file_parse(const void *data, size_t len, const char *name, char **ret, struct err *err);

#endif
