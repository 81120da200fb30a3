// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a config or as a package with one: a text with an option comes out, or a reason. */
#include <assert.h>
#include <string.h>

#include "base/cleanup.h"
#include "build/kernel/config_file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = NULL;
	struct err err = { 0 };

	if (config_file_parse(data, size, "any", &text, &err) < 0) {
		assert(!text && err.kind == ERR_USAGE && *err.msg);
		return 0;
	}
	assert(strstr(text, "CONFIG_"));
	return 0;
}
