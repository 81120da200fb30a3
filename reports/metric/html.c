// SPDX-License-Identifier: GPL-2.0-or-later
/* A metric as a part of the page: see metric.h. */
#include "base/cleanup.h"
#include "reports/metric/metric.h"

static void put_row(struct buf *b, const struct report *r, const struct metric_row *row)
{
	const struct spread *s = row->s;

	buf_printf(b, "<tr><td>%s <span class=\"id\">%.12s</span></td>", row->part, row->t->commit);
	if (!s) {
		buf_printf(b, "<td class=\"n\">-</td><td colspan=\"5\">%s</td></tr>\n",
			   metric_nothing(r, row->t).text);
		return;
	}
	buf_printf(b, "<td class=\"n\">%zu</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
		   s->n, metric_number(r, s->value[0]).text, metric_number(r, s->median).text);
	buf_printf(b, "<td class=\"n\">%s</td><td class=\"n\">%s to %s</td><td>%s</td></tr>\n",
		   metric_number(r, s->value[s->n - 1]).text, metric_number(r, s->low).text,
		   metric_number(r, s->high).text, metric_is_like(r, s));
}

static void put_table(struct buf *b, const struct report *r)
{
	_cleanup_free_ struct metric_row *rows = NULL;
	size_t n = metric_rows(r, &rows);

	buf_puts(b, "<section class=\"card scroll\"><table><thead><tr><th>commit</th>"
		    "<th class=\"n\">runs</th><th class=\"n\">least</th><th class=\"n\">median</th>"
		    "<th class=\"n\">most</th><th class=\"n\">range of the median</th>"
		    "<th>is like</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < n; i++)
		put_row(b, r, &rows[i]);
	buf_puts(b, "</tbody></table></section>\n");
}

void metric_html(struct buf *b, const struct report *r)
{
	_cleanup_strv_ struct strv words = { 0 };

	if (!r->metric)
		return;
	buf_puts(b, "<h2>The metric ");
	buf_html(b, metric_label(r).text);
	buf_puts(b, "</h2><p class=\"note\">");
	metric_words(r, &words);
	for (size_t i = 0; i < words.n; i++) {
		buf_puts(b, i ? " " : "");
		buf_html(b, words.items[i]);
	}
	buf_puts(b, "</p>\n");
	put_table(b, r);
	metric_picture(b, r);
}
