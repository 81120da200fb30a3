// SPDX-License-Identifier: GPL-2.0-or-later
/* A line is refused with an error, or it is a message that can be sent and means the same again. */
#include <assert.h>
#include <string.h>

#include "fuzz.h"
#include "wire/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char line[WIRE_LINE_MAX];
	struct wire_msg msg, again;
	struct err err = { 0 };
	int len;

	if (wire_decode((const char *)data, size, &msg, &err) < 0) {
		assert(err.kind == ERR_PROTOCOL && err.msg[0]);
		return 0;
	}
	assert(err.kind == ERR_NONE);
	len = wire_encode(&msg, line, &err);
	assert(len > 0 && line[len - 1] == '\n');
	len = wire_decode(line, (size_t)len - 1, &again, &err);
	assert(len == 0 && memcmp(&msg, &again, sizeof(msg)) == 0);
	return 0;
}
