// SPDX-License-Identifier: GPL-2.0-or-later
/* Path proof: see pathlog.h. */
#include "guest-agent/probes/evidence/pathlog.h"

#include <string.h>

#include "base/str.h"

#define SIZE_KEY  "size="
#define BYTES_MAX (UINT64_C(1) << 53)

/* A number of a copy's line, or 0. */
static uint64_t size_of(const char *line, size_t len)
{
	const char *at = memmem(line, len, SIZE_KEY, strlen(SIZE_KEY));
	const char *end = line + len;
	uint64_t n = 0;

	for (at = at ? at + strlen(SIZE_KEY) : end; at < end && *at >= '0' && *at <= '9'; at++) {
		if (n > BYTES_MAX)
			return 0;
		n = n * 10 + (uint64_t)(*at - '0');
	}
	return n > BYTES_MAX ? 0 : n;
}

static bool has(const char *line, size_t len, const char *word)
{
	return memmem(line, len, word, strlen(word)) != NULL;
}

static void add(uint64_t *sum, uint64_t n)
{
	*sum = *sum > BYTES_MAX ? *sum : *sum + n;
}

void pathlog_read(const char *text, size_t len, struct pathlog *ret)
{
	struct pathlog log = { 0 };

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		if (has(text, n, "Copy") && has(text, n, SIZE_KEY) && !has(text, n, "D2H"))
			add(has(text, n, "staged") ? &log.staged_bytes : &log.pinned_bytes,
			    size_of(text, n));
		text += n + !!end;
		len -= n + !!end;
	}
	*ret = log;
}

enum wire_path pathlog_path(const struct pathlog *log, uint64_t bytes)
{
	if (log->staged_bytes > bytes / 2)
		return PATH_STAGED;
	return log->pinned_bytes > bytes / 2 ? PATH_PINNED : PATH_UNKNOWN;
}
