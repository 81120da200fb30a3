// SPDX-License-Identifier: GPL-2.0-or-later
/* Bars of time, cut into windows: see picture.h. Lengths are in the SVG's own units, 1000 wide. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "reports/picture/picture.h"
#include "reports/words.h"

#define WIDTH	  1000
#define LEFT	  190 /* for the labels of regime and size */
#define RIGHT	  150 /* for the label of a bar that reaches the end */
#define TOP	  26
#define BAR	  13
#define BAR_STEP  17
#define ROW_GAP	  14
#define BOTTOM	  34
#define MARK	  5
#define MAX_LINES 12 /* about as many window lines as can be told apart */

struct scale {
	double ns_per_unit;
	int64_t max_ns;
};

static double x_of(const struct scale *s, double ns)
{
	return LEFT + ns / s->ns_per_unit;
}

/* The axis ends at the first whole window past everything that is drawn. */
static struct scale make_scale(const struct report *r)
{
	int64_t max = MEASURE_WINDOW_NS;
	struct scale s;

	for (size_t i = 0; i < r->n_subjects; i++)
		for (size_t k = 0; k < r->subjects[i].n_m; k++) {
			const struct measurement *m = &r->subjects[i].m[k];

			if (m->max_ns > max)
				max = m->max_ns;
			if (m->predicted * MEASURE_WINDOW_NS > max)
				max = m->predicted * MEASURE_WINDOW_NS;
		}
	s.max_ns = (max / MEASURE_WINDOW_NS + 1) * MEASURE_WINDOW_NS;
	s.ns_per_unit = (double)s.max_ns / (WIDTH - LEFT - RIGHT);
	return s;
}

static void put_lines(struct buf *b, const struct scale *s, int height)
{
	int64_t windows = s->max_ns / MEASURE_WINDOW_NS;
	int64_t step = 1;

	while (windows / step > MAX_LINES)
		step *= 2;
	for (int64_t i = 0; i <= windows; i += step) {
		double x = x_of(s, (double)(i * MEASURE_WINDOW_NS));

		buf_printf(b,
			   "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
			   "<text class=\"tick\" x=\"%.1f\" y=\"%d\">%lld</text>",
			   x, TOP - 6, x, height - BOTTOM + 4, x, height - BOTTOM + 18,
			   (long long)i);
	}
	buf_printf(b, "<text class=\"tick\" x=\"%.1f\" y=\"%d\">windows of 1000 ms</text>",
		   x_of(s, (double)s->max_ns / 2), height - 2);
}

static void put_points(struct buf *b, const struct scale *s, const struct report_subject *sub,
		       const struct measurement *m, int y)
{
	for (size_t i = 0; i < sub->n_samples; i++) {
		const struct wire_sample *w = &sub->samples[i];

		if (w->warmup || w->read_permission || w->result || w->regime != m->regime ||
		    w->bytes != m->bytes || w->offset != m->offset)
			continue;
		buf_printf(b, "<circle class=\"point\" cx=\"%.1f\" cy=\"%.1f\" r=\"2\"/>",
			   x_of(s, (double)w->elapsed_ns), y + BAR / 2.0);
	}
}

static void put_mark(struct buf *b, const struct scale *s, const struct measurement *m, int y)
{
	double x = x_of(s, (double)m->predicted * MEASURE_WINDOW_NS);
	double mid = y + BAR / 2.0;

	if (!m->predicted)
		return;
	buf_printf(b, "<path class=\"mark\" d=\"M%.1f %.1fl%d %dl-%d %dl-%d -%dz\"/>", x,
		   mid - MARK, MARK, MARK, MARK, MARK, MARK, MARK);
}

static void put_bar(struct buf *b, const struct report *r, const struct scale *s,
		    const struct report_subject *sub, const struct measurement *m, int y)
{
	double end = x_of(s, (double)m->median_ns);
	double label = x_of(s, (double)m->max_ns) + 12;
	double mark = x_of(s, (double)m->predicted * MEASURE_WINDOW_NS);

	/* A label beside the mark, not under it. */
	if (m->predicted && label < mark + 12 && label > mark - 130)
		label = mark + 12;
	buf_printf(b, "<g><title>%s %.12s, %s, %s: %s</title>", sub->part, sub->id,
		   regime_name(m->regime), word_size(m->bytes, m->offset).text, word_split(m).text);
	buf_printf(b,
		   "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>",
		   verdict_name(report_part_is(r, sub)), LEFT, y, fmax(end - LEFT, 1.5), BAR);
	put_points(b, s, sub, m, y);
	put_mark(b, s, m, y);
	buf_printf(b, "<text class=\"value\" x=\"%.1f\" y=\"%d\">%s</text></g>", label, y + BAR - 2,
		   m->repeats ? word_split(m).text : "every copy failed");
}

/* All bars of one regime, size and offset. Return: y below them. */
static int put_row(struct buf *b, const struct report *r, const struct scale *s,
		   const struct measurement *row, int y)
{
	buf_printf(b,
		   "<text class=\"label\" x=\"%d\" y=\"%d\">%s</text>"
		   "<text class=\"sub\" x=\"%d\" y=\"%d\">%s</text>",
		   LEFT - 12, y + BAR - 2, regime_name(row->regime), LEFT - 12, y + BAR + 13,
		   word_size(row->bytes, row->offset).text);
	for (size_t i = 0; i < r->n_subjects; i++) {
		const struct measurement *m = report_row(&r->subjects[i], row);

		if (!m)
			continue;
		put_bar(b, r, s, &r->subjects[i], m, y);
		y += BAR_STEP;
	}
	return y;
}

static size_t bars_of(const struct report *r, const struct measurement *row)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_subjects; i++)
		n += report_row(&r->subjects[i], row) != NULL;
	return n;
}

/* Rows are those of the first subject that measured any; the others were asked the same. */
static const struct report_subject *rows_of(const struct report *r)
{
	for (size_t i = 0; i < r->n_subjects; i++)
		if (r->subjects[i].n_m)
			return &r->subjects[i];
	return NULL;
}

/* A row's label has two lines, so a row with one bar is as high as one with two. */
static int row_height(const struct report *r, const struct measurement *row)
{
	size_t bars = bars_of(r, row);

	return BAR_STEP * (int)(bars < 2 ? 2 : bars) + ROW_GAP;
}

void picture_windows(struct buf *b, const struct report *r)
{
	const struct report_subject *rows = rows_of(r);
	struct scale s = make_scale(r);
	int height = TOP + BOTTOM;
	int y = TOP;

	if (!rows)
		return;
	for (size_t k = 0; k < rows->n_m; k++)
		height += row_height(r, &rows->m[k]);
	buf_printf(b,
		   "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Time of each copy against "
		   "the windows predicted\">",
		   WIDTH, height);
	put_lines(b, &s, height);
	for (size_t k = 0; k < rows->n_m; k++) {
		put_row(b, r, &s, &rows->m[k], y);
		y += row_height(r, &rows->m[k]);
	}
	buf_puts(b, "</svg>\n");
}
