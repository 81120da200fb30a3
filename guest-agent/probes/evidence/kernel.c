// SPDX-License-Identifier: GPL-2.0-or-later
/* Evidence from inside the kernel: see kernel.h. */
#include "guest-agent/probes/evidence/kernel.h"

#include <stdio.h>

bool kernel_evidence_open(struct kernel_evidence *e, char *why, size_t size)
{
	char no_trace[192] = "", no_profile[192] = "";
	bool trace = trace_open(&e->trace, no_trace, sizeof(no_trace));
	bool profile = profile_open(&e->profile, no_profile, sizeof(no_profile));

	e->any = trace || profile;
	snprintf(why, size, "evidence: %s%s%s", no_trace, *no_trace && *no_profile ? "; " : "",
		 no_profile);
	return *no_trace || *no_profile;
}

void kernel_evidence_begin(void *arg)
{
	struct kernel_evidence *e = arg;

	trace_begin(&e->trace);
	profile_begin(&e->profile);
}

void kernel_evidence_end(struct wire_sample *s, void *arg)
{
	struct kernel_evidence *e = arg;

	profile_end(&e->profile, &s->profile_samples, &s->profile_inside);
	trace_end(&e->trace, s);
}

void kernel_evidence_close(struct kernel_evidence *e)
{
	profile_close(&e->profile);
	trace_close(&e->trace);
}
