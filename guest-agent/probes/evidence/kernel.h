/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evidence from inside the kernel, for a pass of its own: how often hmm_range_fault() ran and how
 * it ended, how long the driver's amdgpu_hmm_range_get_pages() had the copy, and where the time
 * went by a sampled profile. Each part is there where the kernel has it.
 */
#ifndef PROBES_KERNEL_H
#define PROBES_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "guest-agent/probes/evidence/profile.h"
#include "guest-agent/probes/evidence/trace.h"

struct kernel_evidence {
	struct trace trace;
	struct profile profile;
	bool any; /* at least one part is there */
};

/**
 * kernel_evidence_open() - put the probes on
 * @why: [size] what is missing and why, for people
 * Return: true if something is missing.
 */
bool kernel_evidence_open(struct kernel_evidence *e, char *why, size_t size);

/* As struct regimes wants them; @arg is a struct kernel_evidence. */
void kernel_evidence_begin(void *arg);
void kernel_evidence_end(struct wire_sample *s, void *arg);

/** kernel_evidence_close() - take the probes off again; also where opening them failed */
void kernel_evidence_close(struct kernel_evidence *e);

#endif
