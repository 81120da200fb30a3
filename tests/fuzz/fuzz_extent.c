// SPDX-License-Identifier: GPL-2.0-or-later
/* Whatever the text, a function's lines are lines of it, in order, and its name stands in them. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "range/change/extent.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct extents e = { 0 };
	uint32_t lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	extents_add(&e, text, size, "f");
	assert(e.n == 0 || extent_mentions(text, size, "f"));
	for (size_t i = 0; i < e.n; i++) {
		assert(e.items[i].first >= 1 && e.items[i].first <= e.items[i].last);
		assert(e.items[i].last <= lines);
		assert(extents_meet(&e, e.items[i].first, 1));
		assert(!extents_meet(&e, e.items[i].first, 0));
	}
	extents_deinit(&e);
	return 0;
}
