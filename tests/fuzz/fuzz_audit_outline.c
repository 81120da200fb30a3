// SPDX-License-Identifier: GPL-2.0-or-later
/* Any file of a tree has lines, each in a function that has a name or in none. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "range/audit/outline.h"

/* Indented otherwise it is the same line. */
static void check_hash(const char *line, size_t len)
{
	_cleanup_buf_ struct buf moved = { 0 };

	buf_puts(&moved, "\t ");
	buf_add(&moved, line, len);
	assert(line_hash(moved.data, moved.len) == line_hash(line, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *end = text + size;
	struct outline o = { 0 };

	outline_read(text, size, &o);
	for (size_t i = 0; i < o.n_lines; i++)
		assert(o.of_line[i] == OUTLINE_NONE || o.of_line[i] < o.names.n);
	assert(!outline_at(&o, 0) && !outline_at(&o, (int)o.n_lines + 1));
	for (size_t i = 0; i < o.names.n; i++)
		assert(*o.names.items[i]);
	for (const char *at = text; at < end;) {
		const char *nl = memchr(at, '\n', (size_t)(end - at));
		const char *stop = nl ? nl : end;

		check_hash(at, (size_t)(stop - at));
		at = nl ? nl + 1 : end;
	}
	outline_deinit(&o);
	return 0;
}
