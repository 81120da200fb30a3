/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fifth step: samples become measurements: per regime and size the windows, what was predicted, and
 * the residual. Pure.
 */
#ifndef MEASURE_MEASURE_H
#define MEASURE_MEASURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/wire.h"

/* HMM_RANGE_DEFAULT_TIMEOUT, include/linux/hmm.h: one window. */
#define MEASURE_WINDOW_NS INT64_C(1000000000)

struct windows {
	uint32_t count;		/* whole timeouts in elapsed */
	int64_t residual_ns;	/* the rest [ns], in [0, timeout) */
};

/** windows_count() - see style guide: elapsed >= 0, timeout > 0, else ERR_USAGE */
int windows_count(int64_t elapsed_ns, int64_t timeout_ns, struct windows *ret, struct err *err);

/* One regime at one size and offset, over its repeats (warm-ups left out). */
struct measurement {
	enum wire_regime regime;
	uint64_t bytes;
	uint64_t offset;
	uint32_t repeats;		/* samples counted */
	uint32_t failed;		/* samples with a result other than 0; not counted otherwise */
	int64_t min_ns, median_ns, max_ns; /* elapsed [ns] */
	uint32_t windows;		/* of the median sample */
	uint32_t windows_min, windows_max;
	uint32_t predicted;		/* resident extents before the copy, of the median sample; 0 for
					 * controls: a read-only or absent mapping burns none */
	uint32_t resident;		/* resident extents of the median sample */
	uint32_t off;			/* largest |windows - prediction| over the repeats */
	int64_t residual_ns;		/* of the median sample [ns] */
	uint32_t restarts_max;
};

#define MEASURE_MAX 256

/**
 * measure_samples() - group samples by regime, size and offset
 * @samples:    [n]
 * @timeout_ns: MEASURE_WINDOW_NS unless the kernel under test differs
 * @ret:        [MEASURE_MAX], ordered by regime, bytes, offset; read_permission samples are left out
 * @err:        ERR_PROTOCOL if there are more groups than MEASURE_MAX
 * Return: number of measurements, or -1.
 */
int measure_samples(const struct wire_sample *samples, size_t n, int64_t timeout_ns,
		    struct measurement ret[MEASURE_MAX], struct err *err);

#endif
