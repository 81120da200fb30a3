/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of a run for another process of the same program. */
#ifndef CONTROLLER_OPTIONS_CONF_H
#define CONTROLLER_OPTIONS_CONF_H

#include "build/build.h"
#include "options.h"

/**
 * conf_write() - a file for --config with all values of a command, defaults among them
 * @kernel: as build_find() filled it: that one, whatever is installed meanwhile
 * @err:    ERR_HOST
 */
int conf_write(const struct options *o, enum command command, const struct build_kernel *kernel,
	       const char *path, struct err *err);

#endif
