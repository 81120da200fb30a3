// SPDX-License-Identifier: GPL-2.0-or-later
/* However a stream is cut (the first byte says how), its lines are those between its newlines. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "wire/wire.h"

/* Holds what the splitter says against the stream itself; @at: where the next line begins. */
static void check_line(const uint8_t *data, size_t size, size_t at, const char *line, size_t len)
{
	assert(len < WIRE_LINE_MAX && at + len < size);
	assert(memcmp(data + at, line, len) == 0 && data[at + len] == '\n');
	assert(!memchr(line, '\n', len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_lines l = { 0 };
	struct err err = { 0 };
	size_t piece, taken = 0, at = 0;

	if (!size)
		return 0;
	/* Small pieces and such as are near the bound. */
	piece = data[0] < 128 ? data[0] + 1U : (data[0] - 127U) * 128;
	data++;
	size--;
	while (taken < size) {
		size_t n = piece < size - taken ? piece : size - taken;
		const char *line;
		size_t used, len;
		int rc = wire_lines_feed(&l, (const char *)data + taken, n, &used, &line, &len,
					 &err);

		if (rc < 0) {
			assert(err.kind == ERR_PROTOCOL && size - at >= WIRE_LINE_MAX);
			assert(!memchr(data + at, '\n', WIRE_LINE_MAX));
			return 0;
		}
		assert(used > 0 && used <= n);
		taken += used;
		if (rc == 1) {
			check_line(data, size, at, line, len);
			at = taken;
		}
	}
	assert(l.total == size && l.len == size - at && l.len < WIRE_LINE_MAX);
	return 0;
}
