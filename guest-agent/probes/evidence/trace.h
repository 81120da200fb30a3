/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kprobes by tracefs: hmm_range_fault() is counted by its return value in the kernel, since a
 * futile retry calls it a million times a second; the driver's few calls are timed one by one.
 */
#ifndef PROBES_TRACE_H
#define PROBES_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/wire.h"

struct trace {
	bool hmm, driver; /* which are probed */
};

/**
 * trace_open() - mount tracefs if it is not, put the probes on, in an instance of our own
 * @why: [size] filled with what is missing, if something is
 * Return: true if at least one function is probed. trace_close() in any case.
 * Source: Documentation/trace/kprobetrace.rst, histogram.rst.
 */
bool trace_open(struct trace *t, char *why, size_t size);
void trace_begin(const struct trace *t);
void trace_end(const struct trace *t, struct wire_sample *s);
void trace_close(struct trace *t);

/** trace_histogram() - calls, and those of them that returned -EBUSY, of a hist file's text; pure */
void trace_histogram(const char *text, uint64_t *calls, uint64_t *busy);

/** trace_inside() - pairs of driver_in and driver_out of a trace's text, and the time in them; pure */
void trace_inside(const char *text, uint64_t *calls, int64_t *ns);

#endif
