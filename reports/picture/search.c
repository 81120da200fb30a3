// SPDX-License-Identifier: GPL-2.0-or-later
/* The way of the search: see picture.h. Lengths are in the SVG's own units, 1000 wide. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "reports/picture/picture.h"
#include "reports/words.h"

#define WIDTH	 1000
#define LEFT	 70 /* the trial's number, and the place of what is older than the candidates */
#define RIGHT	 20
#define STRIP	 26 /* y of the candidates */
#define CELL	 18
#define ROWS	 62 /* y of the first trial */
#define ROW	 17
#define ROWS_MAX 120
#define CELL_MIN 2.0
#define GAP_FROM 6.0 /* cells at least so wide are set apart */

static double cell_width(const struct report *r)
{
	return (double)(WIDTH - LEFT - RIGHT) / (double)(r->n_candidates ? r->n_candidates : 1);
}

/* Middle of a commit's cell; what is no candidate (a good end) lies left of them. */
static double x_of(const struct report *r, const char *id)
{
	const struct report_commit *c = report_commit(r, id);

	if (!c || !c->candidate)
		return LEFT - 14;
	return LEFT + ((double)(c - r->commits) + 0.5) * cell_width(r);
}

static void put_cell(struct buf *b, const struct report *r, size_t i)
{
	const struct report_commit *c = &r->commits[i];
	double width = cell_width(r);
	double x = LEFT + (double)i * width;
	double shown = width >= GAP_FROM ? width - 1.5 : fmax(width, CELL_MIN);

	buf_printf(b,
		   "<rect class=\"%s\" x=\"%.2f\" y=\"%d\" width=\"%.2f\" height=\"%d\" rx=\"1\">"
		   "<title>%.12s %s: ",
		   verdict_name(c->v.verdict), x, STRIP, shown, CELL, c->id,
		   c->trial ? verdict_name(c->v.verdict) : "not tried");
	buf_html(b, c->subject);
	buf_puts(b, "</title></rect>");
}

/* Candidates that were not tried are one rectangle; thousands of cells would be one as well. */
static void put_strip(struct buf *b, const struct report *r)
{
	bool cells = cell_width(r) >= CELL_MIN;

	if (!cells)
		buf_printf(b, "<rect class=\"none\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
			   LEFT, STRIP, WIDTH - LEFT - RIGHT, CELL);
	for (size_t i = 0; i < r->n_candidates; i++)
		if (cells || r->commits[i].trial)
			put_cell(b, r, i);
	buf_printf(b, "<text class=\"sub start\" x=\"%d\" y=\"%d\">oldest</text>", LEFT, STRIP - 8);
	buf_printf(b, "<text class=\"sub\" x=\"%d\" y=\"%d\">newest</text>", WIDTH - RIGHT,
		   STRIP - 8);
}

static void put_culprit(struct buf *b, const struct report *r, int height)
{
	double x;

	if (!r->culprit || !report_commit(r, r->culprit))
		return;
	x = x_of(r, r->culprit);
	buf_printf(b,
		   "<path class=\"bad\" d=\"M%.1f %dl-6 -9h12z\"/>"
		   "<line class=\"culprit\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
		   x, STRIP - 2, x, STRIP + CELL, x, height - 4);
}

static void put_way(struct buf *b, const struct report *r, size_t n)
{
	buf_puts(b, "<polyline class=\"way\" points=\"");
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%.1f,%d ", x_of(r, r->trials[i].commit), ROWS + (int)i * ROW + 6);
	buf_puts(b, "\"/>");
}

static void put_trial(struct buf *b, const struct report *r, const struct store_trial *t, int y)
{
	const char *verdict = verdict_name(t->ended ? t->v.verdict : VERDICT_NONE);
	double x = x_of(r, t->commit);

	buf_printf(b, "<text class=\"sub\" x=\"%d\" y=\"%d\">%lld</text>", LEFT - 34, y + 10,
		   (long long)t->trial);
	buf_printf(b,
		   "<circle class=\"%s\" cx=\"%.1f\" cy=\"%d\" r=\"5\"><title>%lld: %.12s %s, %s: ",
		   verdict, x, y + 6, (long long)t->trial, t->commit, store_role_name(t->role),
		   t->ended ? verdict : "not ended");
	buf_html(b, t->ended ? t->v.reason : "");
	buf_puts(b, "</title></circle>");
	/* The word on the side where there is room; a verdict is never told by colour alone. */
	buf_printf(b, "<text class=\"sub word%s\" x=\"%.1f\" y=\"%d\">",
		   x < WIDTH - 120 ? " start" : "", x < WIDTH - 120 ? x + 10 : x - 10, y + 10);
	buf_html(b, t->ended && t->v.verdict != VERDICT_NONE ? report_word(r, t->v.verdict)
							     : "not ended");
	buf_puts(b, "</text>");
}

void picture_search(struct buf *b, const struct report *r)
{
	size_t n = r->n_trials < ROWS_MAX ? r->n_trials : ROWS_MAX;
	int height = ROWS + (int)n * ROW + 4;

	if (!r->n_candidates)
		return;
	buf_printf(
		b,
		"<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"Candidates and the order in "
		"which they were tried\">",
		WIDTH, height);
	put_strip(b, r);
	put_culprit(b, r, height);
	put_way(b, r, n);
	for (size_t i = 0; i < n; i++)
		put_trial(b, r, &r->trials[i], ROWS + (int)i * ROW);
	buf_puts(b, "</svg>\n");
	if (n < r->n_trials)
		buf_printf(b, "<p class=\"note\">The first %zu of %zu trials are drawn.</p>\n", n,
			   r->n_trials);
}
