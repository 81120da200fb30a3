// SPDX-License-Identifier: GPL-2.0-or-later
/* A `git bisect log` from anybody: whatever it is, it is read whole or refused, and bounded. */
#include <assert.h>
#include <string.h>

#include "base/cleanup.h"
#include "controller/log/bisect_log.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_(bisect_log_deinit) struct bisect_log log = { 0 };
	struct err err = { 0 };

	if (bisect_log_parse((const char *)data, size, &log, &err) < 0) {
		assert(err.kind == ERR_USAGE && err.msg[0]);
		assert(!log.n_marks && !log.new_end);
		return 0;
	}
	assert(log.start_line && term_is_word(log.old) && term_is_word(log.new));
	assert(strcmp(log.old, log.new) != 0);
	for (size_t i = 0; i < log.n_marks; i++)
		assert(*log.marks[i].rev && log.marks[i].line > log.start_line);
	return 0;
}
