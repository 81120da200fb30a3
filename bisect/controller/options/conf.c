// SPDX-License-Identifier: GPL-2.0-or-later
/* For a process that works for a run: see conf.h. */
#include "controller/options/conf.h"

#include <string.h>

#include "base/fs.h"

int conf_write(const struct options *o, enum command command, const struct build_kernel *kernel,
	       const char *path, struct err *err)
{
	_cleanup_buf_ struct buf text = { 0 };

	options_conf(o, command, &text);
	options_conf_value(OPT_RELEASE, kernel->release, &text);
	options_conf_value(OPT_SOURCE, kernel->source, &text);
	options_conf_value(OPT_KCONFIG, kernel->config, &text);
	options_conf_value(OPT_SYMVERS, kernel->symvers, &text);
	options_conf_value(OPT_IMAGE, kernel->image, &text);
	options_conf_value(OPT_MODULES, kernel->modules, &text);
	return fs_write(path, text.data, text.len, err);
}
