// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the controls did in the trials of a corner, against the good end: a proof whose controls moved with the
 * rest would show nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/model.h"

struct rows {
	struct measurement m[MEASURE_MAX];
	size_t n;
};

static int read_rows(struct store *s, int64_t trial, struct rows *ret, struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = NULL;
	size_t n;
	int got;

	if (store_trial_samples(s, trial, &samples, &n, err) < 0)
		return -1;
	got = measure_samples(samples, n, MEASURE_WINDOW_NS, ret->m, err);
	if (got < 0)
		return -1;
	ret->n = (size_t)got;
	return 0;
}

static const struct measurement *same_row(const struct rows *rows, const struct measurement *m)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->m[i].regime == m->regime && rows->m[i].bytes == m->bytes &&
		    rows->m[i].offset == m->offset)
			return &rows->m[i];
	return NULL;
}

/* The row that moved most counts. */
static void add_rows(const struct rows *rows, const struct rows *base, struct report_controls *ret)
{
	for (size_t i = 0; i < rows->n; i++) {
		const struct measurement *m = &rows->m[i];
		const struct measurement *b = same_row(base, m);
		double moved;

		if (m->regime == REGIME_RW_RESIDENT || !m->repeats)
			continue;
		if (m->windows_max > ret->windows)
			ret->windows = m->windows_max;
		if (!b || !b->repeats || b->median_ns <= 0)
			continue;
		moved = (double)m->median_ns / (double)b->median_ns;
		if (ret->known && moved <= ret->moved)
			continue;
		ret->known = true;
		ret->moved = moved;
		ret->median_ns = m->median_ns;
		ret->base_ns = b->median_ns;
	}
}

/* The first good trial of an end: what every other one was held against. */
static const struct store_trial *band_of(const struct report *r)
{
	for (size_t i = 0; i < r->n_trials; i++)
		if (r->trials[i].role == ROLE_GOOD_END && r->trials[i].ended &&
		    r->trials[i].v.verdict == VERDICT_GOOD)
			return &r->trials[i];
	return NULL;
}

int report_controls(struct store *s, struct report *r, struct err *err)
{
	_cleanup_free_ struct rows *base = xcalloc(1, sizeof(*base));
	_cleanup_free_ struct rows *rows = xcalloc(1, sizeof(*rows));
	const struct store_trial *band = band_of(r);

	if (!band)
		return 0;
	if (read_rows(s, band->trial, base, err) < 0)
		return -1;
	for (enum corner c = 0; c < CORNERS; c++)
		for (size_t i = 0; i < r->corners[c].n_trials; i++) {
			if (read_rows(s, r->corners[c].trials[i], rows, err) < 0)
				return -1;
			add_rows(rows, base, &r->corners[c].controls);
		}
	return 0;
}

size_t corner_lines(const struct report_corner *c)
{
	return c->n_seen ? c->n_seen : c->state == CORNER_SHOWN;
}

/* A merge has a trial for each of its parents, so it is said which is whose. */
static struct report_line seen_line(const struct report_corner *c, size_t i)
{
	const struct report_seen *seen = &c->seen[i];
	struct report_line l;

	snprintf(l.text, sizeof(l.text), "%.12s%s%s, trial %lld", c->n_seen > 1 ? seen->id : "",
		 c->n_seen > 1 ? ": " : "", seen->text, (long long)c->trials[i]);
	return l;
}

struct report_line corner_line(const struct report_corner *c, size_t i)
{
	struct report_line l = { "" };
	size_t n = 0;

	if (c->n_seen)
		return seen_line(c, i);
	n += (size_t)snprintf(l.text, sizeof(l.text), "%u windows of %u, trial", c->windows,
			      c->predicted);
	for (size_t k = 0; k < c->n_trials && n < sizeof(l.text); k++)
		n += (size_t)snprintf(l.text + n, sizeof(l.text) - n, "%s %lld", k ? "," : "",
				      (long long)c->trials[k]);
	if (c->controls.known && n < sizeof(l.text))
		snprintf(l.text + n, sizeof(l.text) - n, "; controls x%.1f", c->controls.moved);
	return l;
}
