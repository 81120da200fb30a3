// SPDX-License-Identifier: GPL-2.0-or-later
/* A metric as text, in a report and in a mail: see metric.h. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "reports/metric/metric.h"

/* As wide as the figures are, but not narrower than a table of short ones looks well. */
struct layout {
	int figure, range;
	bool wide, apart; /* apart: the range stands below, since the line would be too long */
};

static struct word range_of(const struct report *r, const struct spread *s)
{
	struct word w;

	snprintf(w.text, sizeof(w.text), "%.20s to %.20s", metric_number(r, s->low).text,
		 metric_number(r, s->high).text);
	return w;
}

static int wider(int is, struct word w)
{
	int len = (int)strlen(w.text);

	return len > is ? len : is;
}

static struct layout lay_out(const struct report *r, const struct metric_row *rows, size_t n,
			     bool wide)
{
	struct layout l = { .figure = wide ? 10 : 9, .range = wide ? 24 : 0, .wide = wide };

	for (size_t i = 0; i < n; i++) {
		const struct spread *s = rows[i].s;

		if (!s)
			continue;
		l.figure = wider(l.figure, metric_number(r, s->value[0]));
		l.figure = wider(l.figure, metric_number(r, s->median));
		l.figure = wider(l.figure, metric_number(r, s->value[s->n - 1]));
		l.range = wider(l.range, range_of(r, s));
	}
	/* The commit and its runs, three figures, and the range; wide, with what it is like. */
	l.apart = 26 + 3 * (1 + l.figure) + 2 + l.range + (wide ? 2 + 10 : 0) > (wide ? 100 : 75);
	return l;
}

static void put_row(struct buf *b, const struct report *r, const struct metric_row *row,
		    const struct layout *l)
{
	const struct spread *s = row->s;
	const char *indent = l->wide ? "  " : "";

	buf_printf(b, "%s%-9s %.10s", indent, row->part, row->t->commit);
	if (!s) {
		buf_printf(b, "     -  %s\n", metric_nothing(r, row->t).text);
		return;
	}
	buf_printf(b, " %5zu %*s %*s %*s", s->n, l->figure, metric_number(r, s->value[0]).text,
		   l->figure, metric_number(r, s->median).text, l->figure,
		   metric_number(r, s->value[s->n - 1]).text);
	if (!l->apart)
		buf_printf(b, "  %-*s", l->wide ? l->range : 0, range_of(r, s).text);
	if (l->wide)
		buf_printf(b, "  %s", metric_is_like(r, s));
	if (l->apart)
		buf_printf(b, "\n%s%-9s range %s", indent, "", range_of(r, s).text);
	buf_puts(b, "\n");
}

void metric_table(struct buf *b, const struct report *r, bool wide)
{
	_cleanup_free_ struct metric_row *rows = NULL;
	size_t n = metric_rows(r, &rows);
	struct layout l = lay_out(r, rows, n, wide);

	buf_printf(b, "%s%-20s %5s %*s %*s %*s", wide ? "  " : "", "commit", "runs", l.figure,
		   "least", l.figure, "median", l.figure, "most");
	if (!l.apart)
		buf_printf(b, "  %-*s", wide ? l.range : 0, wide ? "range of the median" : "range");
	buf_puts(b, wide ? "  is like\n" : "\n");
	for (size_t i = 0; i < n; i++)
		put_row(b, r, &rows[i], &l);
}

void metric_text(struct buf *b, const struct report *r)
{
	_cleanup_strv_ struct strv words = { 0 };

	if (!r->metric)
		return;
	buf_puts(b, "\nThe metric ");
	buf_plain(b, metric_label(r).text);
	buf_puts(b, "\n\n");
	metric_table(b, r, true);
	metric_words(r, &words);
	for (size_t i = 0; i < words.n; i++) {
		buf_puts(b, i ? "  " : "\n  ");
		buf_plain(b, words.items[i]);
		buf_puts(b, "\n");
	}
}
