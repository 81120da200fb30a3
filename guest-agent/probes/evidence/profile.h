/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sampled profile of this process: of the stacks seen, how many are inside of hmm_range_fault() or
 * the driver's amdgpu_hmm_range_get_pages().
 */
#ifndef PROBES_PROFILE_H
#define PROBES_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_FUNCTIONS 2

/* Code of the kernel, from /proc/kallsyms. */
struct profile_span {
	uint64_t start, end; /* both 0 where it is not known */
};

struct profile {
	int fd; /* of the event */
	void *ring;
	size_t ring_bytes;
	struct profile_span functions[PROFILE_FUNCTIONS];
};

/**
 * profile_open() - sample this process by the CPU clock
 * @why: [size] filled if that cannot be done
 * Return: true if it can. profile_close() in any case.
 * Source: perf_event_open(2).
 */
bool profile_open(struct profile *p, char *why, size_t size);
void profile_begin(const struct profile *p);
/** profile_end() - the stacks seen since profile_begin(), and those inside; 0 without a profile */
void profile_end(const struct profile *p, uint32_t *samples, uint32_t *inside);
void profile_close(struct profile *p);

/** profile_find() - where function @name lies, of the text of /proc/kallsyms; pure */
struct profile_span profile_find(const char *kallsyms, const char *name);

#endif
