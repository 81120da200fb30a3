// SPDX-License-Identifier: GPL-2.0-or-later
/* What is told beside an answer, in the page: see history.h. */
#include <stdlib.h>
#include <string.h>

#include "reports/history/history.h"
#include "reports/words.h"

static void put(struct buf *b, const char *label, const char *text)
{
	if (!text || !*text)
		return;
	buf_printf(b, "<dt>%s</dt><dd>", label);
	buf_html(b, text);
	buf_puts(b, "</dd>");
}

static void put_commit(struct buf *b, const char *label, const char *id, const char *subject,
		       const char *note)
{
	buf_printf(b, "<dt>%s</dt><dd><span class=\"id\">", label);
	buf_html(b, id);
	buf_puts(b, "</span> ");
	buf_html(b, subject ? subject : "");
	if (*note) {
		buf_puts(b, " <small>");
		buf_html(b, note);
		buf_puts(b, "</small>");
	}
	buf_puts(b, "</dd>");
}

static void put_upstream(struct buf *b, const struct report *r)
{
	const char *id = report_fact(r, "culprit.upstream");
	_cleanup_free_ char *how = NULL;

	if (!r->culprit || !id)
		return;
	how = str_printf("known by: %s", report_fact_or(r, "culprit.upstream.how", "?"));
	put_commit(b, "upstream", id, report_fact(r, "culprit.upstream.subject"), how);
}

static void put_part(struct buf *b, const char *label, const struct turn_part *p)
{
	if (p->commit)
		put_commit(b, label, p->commit, p->subject, p->proven ? "" : "did not repeat");
	else if (p->set)
		put_commit(b, label, p->set, NULL, "one of these");
	else
		put(b, label, "not known");
}

static void put_turn(struct buf *b, const struct report *r, const struct turn *t)
{
	if (t->twice) {
		put(b, "twice", "It came in on two ways that share no candidate.");
		put_part(b, "other way", &t->other);
		return;
	}
	put(b, "turns",
	    "It came, went and came again: an older commit has it, and a later one not.");
	put_part(b, "came with", &t->introducer);
	put_part(b, "went with", &t->repairer);
	if (r->culprit)
		put_commit(b, "again with", r->culprit, report_subject_of(r, r->culprit), "");
}

static void put_blockers(struct buf *b, const struct report *r)
{
	const char *text;

	for (size_t i = 0; (text = history_numbered(r, "set.blocker", i, "")); i++) {
		const char *n = history_numbered(r, "set.blocker", i, "hides");
		_cleanup_free_ char *line = str_printf("%s (%s of them)", text, n ? n : "?");

		put(b, "hidden by", line);
	}
}

void history_html(struct buf *b, const struct report *r)
{
	_cleanup_buf_ struct buf list = { 0 };
	const char *story;
	struct turn turn;

	put_upstream(&list, r);
	put(&list, "confidence", report_fact(r, "search.confidence"));
	if (strcmp(report_state(r), "set") == 0)
		put_blockers(&list, r);
	for (size_t i = 0; (story = history_numbered(r, "inherit", i, "story")); i++)
		put(&list, "before", story);
	if (r->culprit && r->carried.n)
		put(&list, "carried", "The merge that is named brought it back.");
	for (size_t i = 0; history_turn(r, i, &turn); i++)
		put_turn(&list, r, &turn);
	put(&list, "fork", report_fact(r, "fork.story"));
	if (list.len)
		buf_printf(b, "<dl class=\"story\">%s</dl>", list.data);
	if (history_is_mended(r)) {
		buf_puts(b, "<p>What took it back is found by</p><pre>");
		buf_html(b, report_fact_or(r, "fork.next", ""));
		buf_puts(b, "</pre>");
	}
}
