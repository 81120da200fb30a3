// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows of measurements as the rules look at them: see rows.h. */
#include "judge/rows.h"

#include <inttypes.h>
#include <stdio.h>

bool row_is_control(const struct measurement *m)
{
	return m->regime != REGIME_RW_RESIDENT;
}

struct row_label row_size(const struct measurement *m)
{
	struct row_label l = { "" };
	int n;

	if (m->bytes && m->bytes % (1 << 20) == 0)
		n = snprintf(l.text, sizeof(l.text), "%" PRIu64 " MiB", m->bytes >> 20);
	else if (m->bytes && m->bytes % 1024 == 0)
		n = snprintf(l.text, sizeof(l.text), "%" PRIu64 " KiB", m->bytes >> 10);
	else
		n = snprintf(l.text, sizeof(l.text), "%" PRIu64 " B", m->bytes);
	if (m->offset)
		snprintf(l.text + n, sizeof(l.text) - (size_t)n, " at +%" PRIu64 " KiB",
			 m->offset >> 10);
	return l;
}

const struct measurement *row_find(const struct measurement *m, size_t n, enum wire_regime regime,
				   const struct measurement *size)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].regime == regime && m[i].bytes == size->bytes &&
		    m[i].offset == size->offset)
			return &m[i];
	return NULL;
}

int64_t row_band_top(const struct judge_facts *f, const struct measurement *m)
{
	const struct measurement *b = NULL;
	double top;

	if (f->base)
		b = row_find(f->base->m, f->base->n, m->regime, m);
	if (!b || !b->repeats)
		return f->limits->ceiling_ns;
	top = f->limits->band_factor * (double)b->median_ns + (double)f->limits->band_slack_ns;
	/* The baseline's times came from a guest, which may say anything. */
	return top < (double)(INT64_MAX / 2) ? (int64_t)top : INT64_MAX / 2;
}

bool row_burns(const struct measurement *m)
{
	return m->regime == REGIME_RW_RESIDENT && m->windows_min >= 1;
}

bool rows_any_windows(const struct judge_facts *f)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->m[i].regime == REGIME_RW_RESIDENT && f->m[i].windows_max)
			return true;
	return false;
}

int64_t rows_slowest_ns(const struct judge_facts *f, bool controls)
{
	int64_t slowest = 0;

	for (size_t i = 0; i < f->n; i++)
		if (row_is_control(&f->m[i]) == controls && f->m[i].median_ns > slowest)
			slowest = f->m[i].median_ns;
	return slowest;
}
