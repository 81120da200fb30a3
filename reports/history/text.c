// SPDX-License-Identifier: GPL-2.0-or-later
/* What is told beside an answer, as text: see history.h. */
#include <stdlib.h>
#include <string.h>

#include "reports/history/history.h"
#include "reports/words.h"

static void put_upstream(struct buf *b, const struct report *r)
{
	_cleanup_buf_ struct buf line = { 0 };
	const char *id = report_fact(r, "culprit.upstream");

	if (!r->culprit || !id)
		return;
	buf_printf(&line, "%.12s %s (known by: %s)", id,
		   report_fact_or(r, "culprit.upstream.subject", ""),
		   report_fact_or(r, "culprit.upstream.how", "?"));
	buf_plain_wrapped(b, "upstream", line.data);
}

static void put_part(struct buf *b, const char *label, const struct turn_part *p)
{
	_cleanup_buf_ struct buf line = { 0 };

	if (p->commit)
		buf_printf(&line, "%.12s %s%s", p->commit, p->subject ? p->subject : "",
			   p->proven ? "" : " (did not repeat)");
	else if (p->set)
		buf_printf(&line, "one of %s", p->set);
	else
		buf_puts(&line, "not known");
	buf_plain_wrapped(b, label, line.data);
}

static void put_turn(struct buf *b, const struct report *r, const struct turn *t)
{
	if (t->twice) {
		buf_plain_wrapped(b, "twice", "it came in on two ways that share no candidate");
		put_part(b, "other way", &t->other);
		return;
	}
	buf_plain_wrapped(
		b, "turns",
		"it came, went and came again: an older commit has it, and a later one not");
	put_part(b, "came with", &t->introducer);
	put_part(b, "went with", &t->repairer);
	if (r->culprit) {
		const struct turn_part again = { .commit = r->culprit,
						 .subject = report_subject_of(r, r->culprit),
						 .proven = true };

		put_part(b, "again with", &again);
	}
}

static void put_blockers(struct buf *b, const struct report *r)
{
	const char *text;

	for (size_t i = 0; (text = history_numbered(r, "set.blocker", i, "")); i++) {
		const char *n = history_numbered(r, "set.blocker", i, "hides");
		_cleanup_free_ char *line = str_printf("%s (%s of them)", text, n ? n : "?");

		buf_plain_wrapped(b, i ? "" : "hidden by", line);
	}
}

static void put_stories(struct buf *b, const struct report *r)
{
	const char *story;
	struct turn turn;

	put_upstream(b, r);
	buf_plain_wrapped(b, "confidence", report_fact(r, "search.confidence"));
	if (strcmp(report_state(r), "set") == 0)
		put_blockers(b, r);
	for (size_t i = 0; (story = history_numbered(r, "inherit", i, "story")); i++)
		buf_plain_wrapped(b, "before", story);
	if (r->culprit && r->carried.n)
		buf_plain_wrapped(b, "", "the merge that is named brought it back");
	for (size_t i = 0; history_turn(r, i, &turn); i++)
		put_turn(b, r, &turn);
	buf_plain_wrapped(b, "fork", report_fact(r, "fork.story"));
}

void history_text(struct buf *b, const struct report *r)
{
	_cleanup_buf_ struct buf stories = { 0 };

	put_stories(&stories, r);
	if (stories.len)
		buf_printf(b, "%s%s", r->culprit ? "\n" : "", stories.data);
	if (history_is_mended(r)) {
		buf_puts(b, "\n  What took it back is found by\n\n    ");
		buf_plain(b, report_fact_or(r, "fork.next", ""));
		buf_puts(b, "\n");
	}
}
