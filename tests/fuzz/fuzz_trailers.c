// SPDX-License-Identifier: GPL-2.0-or-later
/* Any message names nothing, or an id that stands in it. */
#include <assert.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fuzz.h"
#include "range/change/trailers.h"

static bool holds(const uint8_t *data, size_t size, const char *id, size_t len)
{
	for (size_t i = 0; i + len <= size; i++)
		if (strncasecmp((const char *)data + i, id, len) == 0)
			return true;
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char id[COMMIT_ID_SIZE];
	enum same_how how = trailers_parse((const char *)data, size, id);
	size_t len = strlen(id);

	assert((how == SAME_NOT) == (len == 0));
	if (!len)
		return 0;
	assert(how == SAME_UPSTREAM || how == SAME_PICK);
	assert(len >= 12 && len <= 40 && strspn(id, "0123456789abcdef") == len);
	assert(holds(data, size, id, len));
	return 0;
}
