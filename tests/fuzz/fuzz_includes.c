// SPDX-License-Identifier: GPL-2.0-or-later
/* A repository's configuration: what it includes is looked at before libgit2 reads it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz.h"
#include "range/door/includes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_strv_ struct strv found = { 0 };
	_cleanup_free_ char *text = xstrndup((const char *)data, size);

	includes_find(text, &found);
	for (size_t i = 0; i < found.n; i++)
		assert(strlen(found.items[i]) <= strlen(text));
	return 0;
}
