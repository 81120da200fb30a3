/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration that candidates were built with, kept with the run: DIR/config, and others beside it. */
#ifndef CONTROLLER_KEPT_CONFIG_H
#define CONTROLLER_KEPT_CONFIG_H

#include "base/err.h"
#include "store/store.h"

/**
 * config_keep() - copy a final config into the run, unless it has it
 * @dir:  the run's directory
 * @path: as make completed it
 * @ret:  first digits of its SHA-256, by which trials name it; "" if there is no such file
 * @err:  ERR_HOST: the copy cannot be written
 *
 * The first one is DIR/config, one of another content DIR/config-DIGITS. Facts: config.DIGITS.file,
 * .digest, and .cc, the compiler that it says it is for.
 */
int config_keep(struct store *s, const char *dir, const char *path, char ret[13], struct err *err);

/** config_compiler() - CONFIG_CC_VERSION_TEXT of a config, owned by the caller; NULL: it says nothing */
char *config_compiler(const char *path);

#endif
