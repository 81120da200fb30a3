/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fifth step: samples become measurements: per regime and size the windows, what was predicted, and
 * the residual. Pure.
 */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/wire.h"

/* HMM_RANGE_DEFAULT_TIMEOUT, include/linux/hmm.h: one window. */
#define MEASURE_WINDOW_NS INT64_C(1000000000)

struct windows {
	uint32_t count;	     /* whole timeouts in elapsed */
	int64_t residual_ns; /* the rest [ns], in [0, timeout); 0 where the last window was read short */
};

/**
 * windows_count() - split an elapsed time into whole timeouts and the rest
 * @elapsed_ns: one copy, start to synchronised end [ns], >= 0
 * @timeout_ns: HMM_RANGE_DEFAULT_TIMEOUT of the kernel under test [ns], > 0
 * @ret:        written on success only; a plain value
 * @err:        ERR_USAGE if a parameter is out of its range, or the count out of 32 bits
 *
 * A restart takes a little longer than its timeout (1002 to 1006 ms), so the rest grows with the
 * count: 16 windows are 16 019 ms. Whole timeouts are counted; a near-multiple is not required. A
 * last window that is short of its end by up to a hundredth counts as whole: the kernel counts in
 * jiffies.
 *
 * Return: 0, or -1 with @err filled.
 * Source: include/linux/hmm.h; the window law in docs/window-law.md.
 */
int windows_count(int64_t elapsed_ns, int64_t timeout_ns, struct windows *ret, struct err *err);

/* One regime at one size and offset, over its repeats (warm-ups left out). */
struct measurement {
	enum wire_regime regime;
	uint64_t bytes;
	uint64_t offset;
	uint32_t repeats;      /* samples counted */
	uint32_t failed;       /* samples with a result other than 0; not counted otherwise */
	uint32_t voided;       /* samples whose time means nothing; not counted otherwise */
	enum wire_doubt doubt; /* why, of one of these */
	bool staged;	       /* a copy went through the runtime's own buffer, not through HMM */
	int64_t min_ns, median_ns, max_ns; /* elapsed [ns]; the lower median of an even number */
	uint32_t windows;		   /* of the median sample */
	uint32_t windows_min, windows_max;
	uint32_t predicted;  /* resident extents before the copy, of the median sample; 0 for
					 * controls: a read-only or absent mapping burns none */
	uint32_t resident;   /* resident extents of the median sample */
	uint32_t off;	     /* largest |windows - prediction| over the repeats */
	int64_t residual_ns; /* of the median sample [ns] */
	uint32_t restarts_max;
};

#define MEASURE_MAX 256

/**
 * measure_samples() - group samples by regime, size and offset
 * @samples:    [n], in any order
 * @timeout_ns: MEASURE_WINDOW_NS unless the kernel under test differs
 * @ret:        [MEASURE_MAX], ordered by regime, bytes, offset. Left out: warm-ups, read_permission, evidence,
 *              anonymous memory and kept mappings
 * @err:        ERR_PROTOCOL if there are more groups than MEASURE_MAX, or a time is
 *              negative or beyond any clock;
 *              ERR_USAGE if @timeout_ns is not positive
 *
 * A group of which every copy failed is there with repeats == 0 and no figures.
 *
 * Return: number of measurements, or -1 with @err filled (@ret is then undefined).
 */
int measure_samples(const struct wire_sample *samples, size_t n, int64_t timeout_ns,
		    struct measurement ret[MEASURE_MAX], struct err *err);

#endif
