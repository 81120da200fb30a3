// SPDX-License-Identifier: GPL-2.0-or-later
/* What compilers and make print, of source that anybody wrote: one clean line comes of it, or none. */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "build/make/buildlog.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ char *text = xstrndup((const char *)data, size);
	struct buildlog log = { 0 };
	struct err err = { 0 };
	char *next;

	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		buildlog_line(&log, line);
	}
	assert(buildlog_err(&log, &err) == -1);
	assert(err.kind == ERR_HOST || err.kind == ERR_BUILD);
	assert(err.msg[0] && (err.kind == ERR_HOST) == (log.host[0] != '\0'));
	for (const char *c = err.msg; *c; c++)
		assert(!iscntrl((unsigned char)*c));
	assert(!log.first.rank || log.first.msg[0] || log.first.file[0]);
	return 0;
}
