// SPDX-License-Identifier: GPL-2.0-or-later
/* See firmware.h. */
#include "controller/firmware.h"

#include <string.h>

#define HOSTS "/lib/firmware" /* Documentation/driver-api/firmware/fw_search_path.rst */

static bool is(const struct options *o, enum option option, const char *value)
{
	return strcmp(options_str(o, option), value) == 0;
}

const char *firmware_dir(const struct options *o, bool *may_lack)
{
	*may_lack = is(o, OPT_FIRMWARE, "auto");
	if (is(o, OPT_FIRMWARE, "off"))
		return NULL;
	if (!*may_lack)
		return options_str(o, OPT_FIRMWARE);
	return !is(o, OPT_GPU, "none") && is(o, OPT_SCOPE, "module") &&
			       is(o, OPT_GUEST, "initramfs")
		       ? HOSTS
		       : NULL;
}
