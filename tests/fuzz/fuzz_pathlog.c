// SPDX-License-Identifier: GPL-2.0-or-later
/* A GPU runtime's log, and what tracefs prints: sums stay sums, and parts within their wholes. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "guest-agent/probes/evidence/pathlog.h"
#include "guest-agent/probes/evidence/profile.h"
#include "guest-agent/probes/evidence/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct profile_span span;
	struct pathlog log;
	uint64_t calls, busy;
	int64_t ns;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	pathlog_read((const char *)data, size, &log);
	if (pathlog_path(&log, UINT64_C(1) << 54) != PATH_UNKNOWN && !log.pinned_bytes &&
	    !log.staged_bytes)
		abort();
	trace_histogram(text, &calls, &busy);
	if (busy > calls)
		abort();
	trace_inside(text, &calls, &ns);
	if (ns < 0 || (ns && !calls))
		abort();
	span = profile_find(text, "hmm_range_fault");
	if (span.end && span.end <= span.start)
		abort();
	free(text);
	return 0;
}
