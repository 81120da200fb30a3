// SPDX-License-Identifier: GPL-2.0-or-later
/* Runtimes: see runtime.h. */
#include "guest-agent/probes/runtime/runtime.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static const struct runtime_ops *const runtimes[] = {
	&runtime_mirror,
	&runtime_hip,
	&runtime_cuda,
	&runtime_none,
};

static const char *const found_names[] = {
	[RUNTIME_READY] = "ready",
	[RUNTIME_NO_LIBRARY] = "no library",
	[RUNTIME_NO_DEVICE] = "no device",
	[RUNTIME_WRONG_VERSION] = "wrong version",
};
static_assert(ARRAY_SIZE(found_names) == RUNTIME_FOUNDS, "an answer has no name");

const char *runtime_found_name(enum runtime_found f)
{
	return (unsigned int)f < RUNTIME_FOUNDS ? found_names[f] : "unknown";
}

const struct runtime_ops *runtime_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(runtimes); i++)
		if (!strcmp(runtimes[i]->name, name))
			return runtimes[i];
	return NULL;
}

const char *runtime_names(void)
{
	static char names[128];
	size_t len = 0;

	for (size_t i = 0; i < ARRAY_SIZE(runtimes) && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s", i ? " " : "",
					runtimes[i]->name);
	return names;
}
