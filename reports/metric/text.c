// SPDX-License-Identifier: GPL-2.0-or-later
/* A metric as text, in a report and in a mail: see metric.h. */
#include <stdio.h>

#include "base/cleanup.h"
#include "reports/metric/metric.h"

static void put_row(struct buf *b, const struct report *r, const struct metric_row *row, bool wide)
{
	const struct spread *s = row->s;
	const int columns = wide ? 10 : 9;
	char range[32] = "-";

	buf_printf(b, "%s%-9s %.10s", wide ? "  " : "", row->part, row->t->commit);
	if (!s) {
		buf_puts(b, "     -  the trial measured nothing\n");
		return;
	}
	snprintf(range, sizeof(range), "%.10s to %.10s", metric_number(s->low).text,
		 metric_number(s->high).text);
	buf_printf(b, " %5zu %*s %*s %*s", s->n, columns, metric_number(s->value[0]).text, columns,
		   metric_number(s->median).text, columns, metric_number(s->value[s->n - 1]).text);
	if (wide)
		buf_printf(b, "  %-24s  %s\n", range, metric_is_like(r, s));
	else
		buf_printf(b, "  %s\n", range);
}

void metric_table(struct buf *b, const struct report *r, bool wide)
{
	_cleanup_free_ struct metric_row *rows = NULL;
	const int columns = wide ? 10 : 9;
	size_t n = metric_rows(r, &rows);

	buf_printf(b, "%s%-20s %5s %*s %*s %*s", wide ? "  " : "", "commit", "runs", columns,
		   "least", columns, "median", columns, "most");
	buf_puts(b, wide ? "  range of the median       is like\n" : "  range\n");
	for (size_t i = 0; i < n; i++)
		put_row(b, r, &rows[i], wide);
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
