// SPDX-License-Identifier: GPL-2.0-or-later
/* What a killed run wrote down of its card: read, it is written again as the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "guest/gpu/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct journal j;
	struct buf text = { 0 };

	if (!journal_parse((const char *)data, size, &j))
		return 0;
	journal_write(&j, &text);
	if (text.len != size || memcmp(text.data, data, size) != 0)
		abort();
	buf_deinit(&text);
	return 0;
}
