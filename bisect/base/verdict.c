// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdict names: see verdict.h. */
#include "base/verdict.h"

#include <assert.h>
#include <string.h>

static const char *const names[] = {
	[VERDICT_NONE] = "none", [VERDICT_GOOD] = "good", [VERDICT_BAD] = "bad",
	[VERDICT_SKIP] = "skip", [VERDICT_WEAK] = "weak", [VERDICT_HOST] = "host",
};
static_assert(sizeof(names) / sizeof(names[0]) == VERDICT_COUNT, "a verdict has no name");

const char *verdict_name(enum verdict v)
{
	return (unsigned int)v < VERDICT_COUNT ? names[v] : "unknown";
}

bool verdict_parse(const char *name, enum verdict *ret)
{
	for (unsigned int i = 0; i < VERDICT_COUNT; i++)
		if (strcmp(name, names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}
