// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What each commit measured, down the history: see metric.h. Lengths are in the SVG's own units, 1000 wide. An
 * axis that holds every single run would be bent by the one that the machine disturbed, so it holds the
 * ranges and half as much besides; what lies further ends in an arrow.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "reports/metric/metric.h"

#define WIDTH	 1000
#define LEFT	 200
#define RIGHT	 150 /* for the figure beside a bar that reaches the end */
#define TOP	 12
#define ROW	 22
#define BAR	 11
#define GAP	 16 /* a line that says what lies between two commits */
#define BOTTOM	 40
#define ROWS_MAX 120
#define LINES	 8

/* What is drawn of one commit. */
struct bar {
	const struct report_commit *c;
	const struct spread *s;
	const char *word;   /* what it is in the run, or "" */
	const char *before; /* a head above it, or NULL */
	size_t skipped;	    /* commits of the history since the one before that have no figure */
};

struct axis {
	double from, to, step;
};

static double x_of(const struct axis *a, double value)
{
	double at = (fmin(fmax(value, a->from), a->to) - a->from) / (a->to - a->from);

	return LEFT + at * (WIDTH - LEFT - RIGHT);
}

static const struct store_trial *trial_of(const struct report *r, const struct report_commit *c)
{
	for (size_t i = 0; i < r->n_trials; i++)
		if (r->trials[i].trial == c->trial)
			return &r->trials[i];
	return NULL;
}

static const struct spread *spread_of(const struct report *r, const struct report_commit *c)
{
	return metric_of(r, metric_trial(r, trial_of(r, c)));
}

static bool has_role(const struct report *r, const char *id, enum store_role role)
{
	for (size_t i = 0; i < r->n_trials; i++)
		if (r->trials[i].role == role && strcmp(r->trials[i].commit, id) == 0)
			return true;
	return false;
}

/* Before the candidates, among them, after them, or in no history at all. */
enum place { PLACE_BEFORE, PLACE_CANDIDATE, PLACE_AFTER, PLACE_MADE, PLACES };

static enum place place_of(const struct report *r, const struct report_commit *c)
{
	if (c->candidate)
		return PLACE_CANDIDATE;
	if (has_role(r, c->id, ROLE_TIP_WITHOUT) || has_role(r, c->id, ROLE_TIP_WITH_FOLLOWUP) ||
	    has_role(r, c->id, ROLE_OLD_END_WITH))
		return PLACE_MADE;
	if (has_role(r, c->id, ROLE_TIP) || (r->new &&strcmp(r->new, c->id) == 0))
		return PLACE_AFTER;
	return PLACE_BEFORE;
}

static const char *word_of(const struct report *r, const struct report_commit *c)
{
	if (r->culprit && strcmp(r->culprit, c->id) == 0)
		return "culprit";
	if (strv_has(&r->parents, c->id))
		return "parent";
	if (has_role(r, c->id, ROLE_GOOD_END))
		return "good end";
	if (has_role(r, c->id, ROLE_BAD_END))
		return "bad end";
	if (has_role(r, c->id, ROLE_TIP_WITHOUT))
		return "tip without it";
	if (has_role(r, c->id, ROLE_TIP_WITH_FOLLOWUP))
		return "with follow-up";
	if (has_role(r, c->id, ROLE_OLD_END_WITH))
		return "old end with it";
	return has_role(r, c->id, ROLE_TIP) ? "tip" : "";
}

/* @left: those that there is no room for */
static size_t list_bars(const struct report *r, struct bar *ret, size_t *left)
{
	size_t n = 0, skipped = 0;

	for (enum place p = 0; p < PLACES; p++) {
		const char *head = p == PLACE_MADE ? "made for the proof" : NULL;

		for (size_t i = 0; i < r->n_commits; i++) {
			const struct report_commit *c = &r->commits[i];
			const struct spread *s;

			if (place_of(r, c) != p)
				continue;
			s = spread_of(r, c);
			if (!s) {
				skipped++;
				continue;
			}
			if (n == ROWS_MAX) {
				(*left)++;
				continue;
			}
			ret[n++] = (struct bar){ c, s, word_of(r, c), head, skipped };
			head = NULL;
			skipped = 0;
		}
	}
	return n;
}

/* 1, 2 or 5 times a power of ten: at most LINES of them. */
static double step_of(double width)
{
	double power = pow(10, floor(log10(width / LINES)));
	double times = width / LINES / power;

	return power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static void take(struct axis *a, const struct spread *s)
{
	a->from = fmin(a->from, s->low);
	a->to = fmax(a->to, s->high);
}

static struct axis make_axis(const struct report *r, const struct bar *bars, size_t n)
{
	struct axis a = { bars[0].s->low, bars[0].s->high, 0 };
	struct axis all = a;
	double room;

	for (size_t i = 0; i < n; i++) {
		take(&a, bars[i].s);
		all.from = fmin(all.from, bars[i].s->value[0]);
		all.to = fmax(all.to, bars[i].s->value[bars[i].s->n - 1]);
	}
	if (r->metric->good)
		take(&a, &r->metric->ends.good);
	if (r->metric->bad)
		take(&a, &r->metric->ends.bad);
	room = (a.to - a.from) / 2;
	a.from = fmax(a.from - room, all.from);
	a.to = fmin(a.to + room, all.to);
	room = (a.to - a.from) / 20;
	if (room <= fmax(fabs(a.from), fabs(a.to)) * 1e-9) /* all the same */
		room = fmax(fmax(fabs(a.from), fabs(a.to)) / 20, 0.5);
	a.from -= room;
	a.to += room;
	a.step = step_of(a.to - a.from);
	return a;
}

static void put_lines(struct buf *b, const struct report *r, const struct axis *a, int height)
{
	double first = ceil(a->from / a->step);

	for (int i = 0; i <= LINES + 1; i++) {
		double value = (first + i) * a->step;

		if (value > a->to)
			break;
		buf_printf(b,
			   "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
			   "<text class=\"tick\" x=\"%.1f\" y=\"%d\">%s</text>",
			   x_of(a, value), TOP - 6, x_of(a, value), height - BOTTOM + 4,
			   x_of(a, value), height - BOTTOM + 18, metric_tick(value, a->step).text);
	}
	buf_printf(b, "<text class=\"tick\" x=\"%.1f\" y=\"%d\">", x_of(a, (a->from + a->to) / 2),
		   height - 6);
	buf_html(b, metric_label(r).text);
	buf_puts(b, "</text>");
}

/* The range of an end, down the whole picture. */
static void put_band(struct buf *b, const struct axis *a, const char *verdict,
		     const struct spread *s, int height)
{
	double x = x_of(a, s->low);

	if (!s->n)
		return;
	buf_printf(b, "<rect class=\"band %s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
		   verdict, x, TOP - 6, fmax(x_of(a, s->high) - x, 1), height - BOTTOM - TOP + 10);
}

/* From the least run to the most; an arrow where that is beyond the axis. */
static void put_whisker(struct buf *b, const struct axis *a, const struct spread *s, double y)
{
	double least = s->value[0], most = s->value[s->n - 1];
	double from = x_of(a, least), to = x_of(a, most);

	buf_printf(b, "<line class=\"whisker\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>",
		   from, y, to, y);
	if (least < a->from)
		buf_printf(b, "<path class=\"whisker\" d=\"M%.1f %.1fl-5 3l5 3z\"/>", from, y - 3);
	if (most > a->to)
		buf_printf(b, "<path class=\"whisker\" d=\"M%.1f %.1fl5 3l-5 3z\"/>", to, y - 3);
}

static void put_bar(struct buf *b, const struct report *r, const struct axis *a,
		    const struct bar *bar, int y)
{
	const struct spread *s = bar->s;
	double low = x_of(a, s->low), high = x_of(a, s->high), median = x_of(a, s->median);
	double mid = y + BAR / 2.0;

	buf_printf(b, "<g><title>%.12s %s in %zu runs: %s to %s, range %s to %s, median %s: ",
		   bar->c->id, verdict_name(bar->c->v.verdict), s->n,
		   metric_number(r, s->value[0]).text, metric_number(r, s->value[s->n - 1]).text,
		   metric_number(r, s->low).text, metric_number(r, s->high).text,
		   metric_number(r, s->median).text);
	buf_html(b, report_commit_title(r, bar->c));
	buf_puts(b, "</title>");
	buf_printf(b,
		   "<text class=\"sub start\" x=\"4\" y=\"%d\">%s</text>"
		   "<text class=\"%s id\" x=\"%d\" y=\"%d\">%.12s</text>",
		   y + BAR - 1, bar->word, strcmp(bar->word, "culprit") == 0 ? "label" : "sub",
		   LEFT - 14, y + BAR - 1, bar->c->id);
	put_whisker(b, a, s, mid);
	buf_printf(b,
		   "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>"
		   "<line class=\"median\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
		   verdict_name(bar->c->v.verdict), low, y, fmax(high - low, 1.5), BAR, median,
		   y - 2, median, y + BAR + 2);
	buf_printf(b, "<text class=\"value\" x=\"%d\" y=\"%d\">%s ", WIDTH - RIGHT + 14,
		   y + BAR - 1, metric_number(r, s->median).text);
	buf_html(b, report_word(r, bar->c->v.verdict));
	buf_puts(b, "</text></g>\n");
}

static void put_between(struct buf *b, const struct bar *bar, int y)
{
	buf_printf(b, "<text class=\"sub\" x=\"%d\" y=\"%d\">", LEFT - 14, y + GAP - 7);
	if (bar->before)
		buf_puts(b, bar->before);
	else
		buf_printf(b, "%zu not measured", bar->skipped);
	buf_puts(b, "</text>");
}

static bool has_head(const struct bar *bar)
{
	return bar->before || bar->skipped;
}

static void put_key(struct buf *b, const struct report *r)
{
	buf_puts(b, "<section class=\"card\"><div class=\"key\"><span><i class=\"good\"></i>");
	buf_html(b, report_word(r, VERDICT_GOOD));
	buf_puts(b, "</span><span><i class=\"bad\"></i>");
	buf_html(b, report_word(r, VERDICT_BAD));
	buf_puts(b,
		 "</span><span><i class=\"skip\"></i>skip</span><span>shaded: the ranges of the "
		 "ends</span><span>bar: range of the median</span><span>thin line: all runs</span>"
		 "</div><div class=\"scroll\">");
}

void metric_picture(struct buf *b, const struct report *r)
{
	_cleanup_free_ struct bar *bars = xcalloc(ROWS_MAX, sizeof(*bars));
	size_t left = 0, n = list_bars(r, bars, &left);
	int height = TOP + BOTTOM + (int)n * ROW, y = TOP;
	struct axis a;

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		height += has_head(&bars[i]) ? GAP : 0;
	a = make_axis(r, bars, n);
	put_key(b, r);
	buf_printf(
		b,
		"<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"What each commit measured, "
		"oldest first\">",
		WIDTH, height);
	put_band(b, &a, "good", &r->metric->ends.good, height);
	put_band(b, &a, "bad", &r->metric->ends.bad, height);
	put_lines(b, r, &a, height);
	for (size_t i = 0; i < n; i++, y += ROW) {
		if (has_head(&bars[i])) {
			put_between(b, &bars[i], y);
			y += GAP;
		}
		put_bar(b, r, &a, &bars[i], y);
	}
	buf_puts(b, "</svg></div></section>\n");
	if (left)
		buf_printf(b,
			   "<p class=\"note\">%zu more commits have figures and no room in the "
			   "picture; the JSON report has them.</p>\n",
			   left);
}
