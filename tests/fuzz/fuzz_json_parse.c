// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes are no JSON, or a tree whose text is JSON again. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "wire/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct json *j = json_parse((const char *)data, size);
	struct json *again;
	char *text;

	if (!j)
		return 0;
	text = json_text(j, size & 1);
	again = json_parse(text, strlen(text));
	assert(again);
	json_destroy(again);
	free(text);
	json_destroy(j);
	return 0;
}
