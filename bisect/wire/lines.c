// SPDX-License-Identifier: GPL-2.0-or-later
/* A byte stream is split into lines, each bounded: see wire.h. */
#include "wire/wire.h"

#include <assert.h>
#include <string.h>

int wire_lines_feed(struct wire_lines *l, const char *in, size_t len, size_t *used,
		    const char **line, size_t *line_len, struct err *err)
{
	const char *nl = len ? memchr(in, '\n', len) : NULL;
	size_t n = nl ? (size_t)(nl - in) : len;

	assert(l->len < sizeof(l->data));
	/* The newline counts, so one byte of room stays for it. */
	if (n >= sizeof(l->data) - l->len)
		return err_set(err, ERR_PROTOCOL, "a line longer than %d bytes", WIRE_LINE_MAX);
	if (n)
		memcpy(l->data + l->len, in, n);
	*used = n + !!nl;
	l->total += *used;
	if (!nl) {
		l->len += n;
		return 0;
	}
	*line = l->data;
	*line_len = l->len + n;
	l->len = 0;
	return 1;
}
