// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fifth step: samples become measurements, see measure.h.
 *
 * The samples are sorted by group and, within it, by time. A group's median sample is then found by
 * its place, and everything said of "the median" is said of that one copy: its time, its windows
 * and the extents that were resident before it belong together.
 */
#include "measure/measure.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/str.h"

/*
 * The kernel counts its timeout in jiffies and starts in the middle of one, and a guest's tick is not
 * its clock: single windows of 997.4 ms were read under emulation (HZ=250). A hundredth of the timeout,
 * one jiffy of HZ=100, is forgiven; 17 ms copies are far from it.
 */
#define SHORT_PART 100

int windows_count(int64_t elapsed_ns, int64_t timeout_ns, struct windows *ret, struct err *err)
{
	if (timeout_ns <= 0)
		return err_set(err, ERR_USAGE,
			       "a window of %" PRId64 " ns; give one that is positive", timeout_ns);
	if (elapsed_ns < 0 || elapsed_ns / timeout_ns > UINT32_MAX)
		return err_set(err, ERR_USAGE,
			       "%" PRId64 " ns cannot be split into windows of %" PRId64 " ns",
			       elapsed_ns, timeout_ns);
	ret->count = (uint32_t)(elapsed_ns / timeout_ns);
	ret->residual_ns = elapsed_ns % timeout_ns;
	if (timeout_ns - ret->residual_ns <= timeout_ns / SHORT_PART && ret->count < UINT32_MAX) {
		ret->count++;
		ret->residual_ns = 0;
	}
	return 0;
}

static int order_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int order_group(const struct wire_sample *a, const struct wire_sample *b)
{
	int d = order_u64(a->regime, b->regime);

	if (!d)
		d = order_u64(a->bytes, b->bytes);
	if (!d)
		d = order_u64(a->offset, b->offset);
	return d;
}

static bool is_left_out(const struct wire_sample *s)
{
	return s->result != 0 || s->doubt != DOUBT_NONE;
}

/* What is left out comes last within a group, so that the counted ones are one sorted run. */
static int order_samples(const void *pa, const void *pb)
{
	const struct wire_sample *a = *(const struct wire_sample *const *)pa;
	const struct wire_sample *b = *(const struct wire_sample *const *)pb;
	int d = order_group(a, b);

	if (!d)
		d = is_left_out(a) - is_left_out(b);
	if (!d)
		d = (a->elapsed_ns > b->elapsed_ns) - (a->elapsed_ns < b->elapsed_ns);
	if (!d)
		d = order_u64(a->resident, b->resident);
	return d;
}

/* A read-only or absent mapping has nothing to copy on write, so it burns no window. */
static uint32_t predict(const struct wire_sample *s)
{
	return s->regime == REGIME_RW_RESIDENT ? s->resident : 0;
}

static int count_sample(const struct wire_sample *s, int64_t timeout_ns, struct measurement *m,
			struct err *err)
{
	uint32_t predicted = predict(s);
	struct windows w = { 0 };
	uint32_t off;

	if (windows_count(s->elapsed_ns, timeout_ns, &w, err))
		return -1;
	off = w.count > predicted ? w.count - predicted : predicted - w.count;
	if (m->repeats == 0 || w.count < m->windows_min)
		m->windows_min = w.count;
	if (w.count > m->windows_max)
		m->windows_max = w.count;
	if (off > m->off)
		m->off = off;
	if (s->restarts > m->restarts_max)
		m->restarts_max = s->restarts;
	m->repeats++;
	return 0;
}

/* @group: [n] of one group, as order_samples() orders them */
static int measure_group(const struct wire_sample *const *group, size_t n, int64_t timeout_ns,
			 struct measurement *ret, struct err *err)
{
	struct measurement m = {
		.regime = group[0]->regime,
		.bytes = group[0]->bytes,
		.offset = group[0]->offset,
	};
	const struct wire_sample *median;
	struct windows w = { 0 };

	for (size_t i = 0; i < n; i++) {
		m.staged |= group[i]->path == PATH_STAGED;
		if (group[i]->doubt) {
			m.voided++;
			m.doubt = group[i]->doubt;
		} else if (group[i]->result)
			m.failed++;
		else if (count_sample(group[i], timeout_ns, &m, err))
			return -1;
	}
	if (m.repeats) {
		median = group[(m.repeats - 1) / 2];
		if (windows_count(median->elapsed_ns, timeout_ns, &w, err))
			return -1;
		m.min_ns = group[0]->elapsed_ns;
		m.median_ns = median->elapsed_ns;
		m.max_ns = group[m.repeats - 1]->elapsed_ns;
		m.windows = w.count;
		m.residual_ns = w.residual_ns;
		m.resident = median->resident;
		m.predicted = predict(median);
	}
	*ret = m;
	return 0;
}

static bool counts(const struct wire_sample *s)
{
	return !s->warmup && !s->read_permission && !s->evidence && !s->kept_mapping &&
	       s->source == SOURCE_FILE;
}

int measure_samples(const struct wire_sample *samples, size_t n, int64_t timeout_ns,
		    struct measurement ret[MEASURE_MAX], struct err *err)
{
	_cleanup_free_ const struct wire_sample **sorted = xcalloc(n, sizeof(*sorted));
	size_t used = 0;
	int groups = 0;

	if (timeout_ns <= 0)
		return err_set(err, ERR_USAGE,
			       "a window of %" PRId64 " ns; give one that is positive", timeout_ns);
	for (size_t i = 0; i < n; i++) {
		if (samples[i].elapsed_ns < 0 || samples[i].elapsed_ns / timeout_ns > UINT32_MAX)
			return err_set(err, ERR_PROTOCOL, "sample %zu took %" PRId64 " ns", i,
				       samples[i].elapsed_ns);
		if (counts(&samples[i]))
			sorted[used++] = &samples[i];
	}
	qsort(sorted, used, sizeof(*sorted), order_samples);
	for (size_t i = 0, end; i < used; i = end) {
		for (end = i + 1; end < used && order_group(sorted[i], sorted[end]) == 0; end++)
			;
		if (groups == MEASURE_MAX)
			return err_set(
				err, ERR_PROTOCOL,
				"samples of more than %d regimes and sizes; ask for fewer sizes",
				MEASURE_MAX);
		if (measure_group(&sorted[i], end - i, timeout_ns, &ret[groups++], err))
			return -1;
	}
	return groups;
}
