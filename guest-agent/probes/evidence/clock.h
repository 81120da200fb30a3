/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Clocks: how long a copy took, and whether that may be believed. A guest may be stopped, slept or
 * starved while it measures, and a window must not be made of that.
 */
#ifndef PROBES_CLOCK_H
#define PROBES_CLOCK_H

#include <stdint.h>

#include "wire/wire.h"

/* One moment on every clock that counts. */
struct moment {
	int64_t raw_ns;	  /* CLOCK_MONOTONIC_RAW: not slewed while a window is measured */
	int64_t mono_ns;  /* CLOCK_MONOTONIC: stands still in a suspend */
	int64_t boot_ns;  /* CLOCK_BOOTTIME: does not */
	int64_t steal_ns; /* /proc/stat, all CPUs; 0 where it cannot be read */
};

/** moment_start() - now, the raw clock last; the slow looks come before it */
struct moment moment_start(void);
/** moment_end() - now, the raw clock first */
struct moment moment_end(void);

/**
 * clock_doubt() - may the time between two moments be believed?
 *
 * Pure. Return: DOUBT_NONE, or the first of: a suspend between them (boot time ran ahead of
 * monotonic time), clocks that disagree by more than a fiftieth and 2 ms, a quarter of the time or
 * more (and 20 ms at least) stolen by the hypervisor.
 */
enum wire_doubt clock_doubt(const struct moment *start, const struct moment *end);

/** clock_steal_ticks() - the ticks stolen, of the text of /proc/stat; 0 if it is none; pure */
uint64_t clock_steal_ticks(const char *stat);

#endif
