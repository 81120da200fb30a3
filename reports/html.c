// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run as one page: the answer, the copies against the prediction, the proof, the way of the
 * search, every commit tried, the run. Nothing is fetched and no script runs; whatever came from a
 * commit or a guest goes through buf_html().
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "reports/builds/builds.h"
#include "reports/history/history.h"
#include "reports/kernel/kernel.h"
#include "reports/metric/metric.h"
#include "reports/model.h"
#include "reports/next/next.h"
#include "reports/picture/picture.h"
#include "reports/style.css.h"
#include "reports/words.h"

static void put_head(struct buf *b, const struct report *r)
{
	buf_puts(b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		    "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'\"><title>amdgpu-bisect: ");
	buf_html(b, r->culprit ? report_subject_of(r, r->culprit) : report_state(r));
	buf_printf(b, "</title><style>%s</style></head>\n<body><main>\n", style_css);
	buf_puts(b, "<header><p>amdgpu-bisect");
	if (report_fact(r, "run.started")) {
		buf_puts(b, " &middot; ");
		buf_html(b, report_fact(r, "run.started"));
	}
	if (report_fact(r, "kernel.release")) {
		buf_puts(b, " &middot; ");
		buf_html(b, report_fact(r, "kernel.release"));
	}
	buf_puts(b, "</p></header>\n");
}

static void put_commit_item(struct buf *b, const struct report *r, const char *id)
{
	buf_puts(b, "<li><span class=\"id\">");
	buf_html(b, id);
	buf_puts(b, "</span> ");
	buf_html(b, report_subject_of(r, id));
	buf_puts(b, "</li>");
}

/* The user's program and its rules. */
static void put_own(struct buf *b, const struct report *r)
{
	if (!report_is_own(r))
		return;
	buf_puts(b, "<p>");
	buf_html(b, report_fact_or(r, "probe.args", ""));
	buf_puts(b, "</p>");
}

static void put_culprit(struct buf *b, const struct report *r)
{
	_cleanup_free_ char *found = report_in_short(r);

	buf_puts(b, "<h1>First ");
	buf_html(b, r->new_word);
	buf_puts(b, " commit</h1><p class=\"subject\">");
	buf_html(b, report_subject_of(r, r->culprit));
	buf_puts(b, "</p><span class=\"id\">");
	buf_html(b, r->culprit);
	buf_puts(b, "</span><p>");
	buf_html(b, found);
	buf_puts(b, "</p>");
	put_own(b, r);
}

static void put_set(struct buf *b, const struct report *r)
{
	buf_puts(b, "<h1>The first ");
	buf_html(b, r->new_word);
	buf_printf(b, " commit is one of %zu</h1><p>", r->set.n);
	buf_html(b, report_fact_or(r, "set.why", ""));
	buf_puts(b, "</p><ul>");
	for (size_t i = 0; i < r->set.n; i++)
		put_commit_item(b, r, r->set.items[i]);
	buf_puts(b, "</ul>");
}

static void put_wrong_end(struct buf *b, const struct report *r)
{
	buf_puts(b, "<h1>No commit is named: the ");
	buf_html(b, report_end_which(r));
	buf_printf(b, "%s</h1><p>", report_end_words(r));
	buf_html(b, report_fact_or(r, "end.why", ""));
	buf_puts(b, "</p>");
	if (report_fact(r, "end.commit")) {
		buf_puts(b, "<ul>");
		put_commit_item(b, r, report_fact(r, "end.commit"));
		buf_puts(b, "</ul>");
	}
}

static void put_tested(struct buf *b, const struct report *r)
{
	const struct store_trial *t = report_tested(r);

	buf_printf(b, "<h1>%s</h1><span class=\"id\">%s</span><p>", report_tested_words(t),
		   t->commit);
	buf_html(b, t->v.reason);
	buf_puts(b, "</p>");
	put_own(b, r);
}

static void put_unfinished(struct buf *b, const struct report *r)
{
	const char *state = report_state(r);
	const char *left = report_fact(r, "search.left");

	if (strcmp(state, "stopped") == 0)
		buf_puts(b, "<h1>The run was stopped before its end</h1><p>");
	else if (strcmp(state, "host") == 0)
		buf_puts(b, "<h1>The run broke off: this machine failed, no commit did</h1><p>");
	else
		buf_puts(
			b,
			"<h1>The run has not ended: it is going on, or it was interrupted</h1><p>");
	if (left) {
		buf_html(b, left);
		buf_printf(b, " of %zu candidates could still be the first ", r->n_candidates);
		buf_html(b, r->new_word);
		buf_puts(b, " one. ");
	}
	buf_puts(b, report_fact(r, "test.commit")
			    ? "A test by itself is made again, there is nothing to go on with.</p>"
			    : "<code>amdgpu-bisect resume</code> goes on.</p>");
}

static void put_answer(struct buf *b, const struct report *r)
{
	buf_printf(b, "<section class=\"card answer%s\">", r->culprit ? " found" : "");
	if (r->culprit)
		put_culprit(b, r);
	else if (strcmp(report_state(r), "set") == 0)
		put_set(b, r);
	else if (strcmp(report_state(r), "end") == 0)
		put_wrong_end(b, r);
	else if (strcmp(report_state(r), "tested") == 0)
		put_tested(b, r);
	history_html(b, r);
	if (!report_is_over(r))
		put_unfinished(b, r);
	buf_puts(b, "</section>\n");
}

static void put_subject_key(struct buf *b, const struct report *r, const struct report_subject *s)
{
	buf_printf(b, "<span><i class=\"%s\"></i>%s <span class=\"id\">%.12s</span></span>",
		   verdict_name(report_part_is(r, s)), s->part, s->id);
}

static void put_evidence_row(struct buf *b, const struct report_subject *s,
			     const struct measurement *m)
{
	buf_printf(b, "<tr%s><td>%s <span class=\"id\">%.12s</span></td><td>%s</td>",
		   m->windows ? " class=\"hot\"" : "", s->part, s->id, regime_name(m->regime));
	buf_printf(b, "<td class=\"n\">%s</td><td class=\"n\">%s</td><td class=\"n\">%s</td>",
		   word_size(m->bytes, m->offset).text, word_windows(m).text,
		   word_ms(m->median_ns).text);
	buf_printf(b, "<td class=\"n\">%s to %s</td><td class=\"n\">%s</td></tr>\n",
		   word_ms(m->min_ns).text, word_ms(m->max_ns).text, word_ms(m->residual_ns).text);
}

static void put_evidence(struct buf *b, const struct report *r)
{
	if (!r->n_subjects || report_is_own(r))
		return;
	buf_puts(b, "<h2>Copies against the prediction</h2><p class=\"note\">Each bar is a copy's "
		    "time. The defect burns one window of 1000 ms for each 2 MiB extent that is "
		    "resident in a writable private mapping; the diamond is where that would end. "
		    "The other two mappings are controls and burn none in any kernel.</p>"
		    "<section class=\"card\"><div class=\"key\">");
	for (size_t i = 0; i < r->n_subjects; i++)
		put_subject_key(b, r, &r->subjects[i]);
	buf_puts(b, "<span><i class=\"mark\"></i>predicted</span></div><div class=\"scroll\">");
	picture_windows(b, r);
	buf_puts(b, "</div></section>\n<details><summary class=\"note\">The same as a table"
		    "</summary><section class=\"card scroll\"><table><thead><tr><th>commit</th>"
		    "<th>mapping</th><th class=\"n\">size</th><th class=\"n\">windows</th>"
		    "<th class=\"n\">median</th><th class=\"n\">all copies</th>"
		    "<th class=\"n\">rest</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < r->n_subjects; i++)
		for (size_t k = 0; k < r->subjects[i].n_m; k++)
			put_evidence_row(b, &r->subjects[i], &r->subjects[i].m[k]);
	buf_puts(b, "</tbody></table></section></details>\n");
}

static void put_corner(struct buf *b, const struct report *r, enum corner corner)
{
	const struct report_corner *c = &r->corners[corner];
	const char *state = corner_state_name(c->state);

	buf_printf(
		b,
		"<tr><td class=\"tight\">%d</td><td class=\"tight\"><span class=\"v %s\">%s</span>"
		"</td><td>",
		(int)corner + 1, state, state);
	buf_html(b, corner_title(r, corner).text);
	buf_puts(b, "</td><td>");
	if (c->state != CORNER_SHOWN)
		buf_html(b, c->reason);
	for (size_t i = 0; i < corner_lines(c); i++) {
		buf_puts(b, "<p>");
		buf_html(b, corner_line(c, i).text);
		buf_puts(b, "</p>");
	}
	buf_puts(b, "</td></tr>\n");
}

static void put_followup(struct buf *b, const struct report *r)
{
	const char *id = corner_fact(r, CORNER_TIP_WITH_FOLLOWUP, "followup");
	const char *how = corner_fact(r, CORNER_TIP_WITH_FOLLOWUP, "how");
	const char *subject = corner_fact(r, CORNER_TIP_WITH_FOLLOWUP, "subject");

	if (!id || !str_is_commit_id(id))
		return;
	buf_printf(b, "<p>The follow-up is <code>%.12s</code> ", id);
	buf_html(b, subject ? subject : "");
	buf_puts(b, ": ");
	buf_html(b, how ? how : "");
	buf_puts(b, ".</p>\n");
}

static void put_proof(struct buf *b, const struct report *r)
{
	if (!r->culprit)
		return;
	buf_puts(b, "<h2>Proof</h2><section class=\"card scroll\"><table><tbody>\n");
	for (enum corner c = 0; c < CORNERS; c++)
		put_corner(b, r, c);
	buf_puts(b, "</tbody></table></section>\n");
	put_followup(b, r);
}

static void put_search(struct buf *b, const struct report *r)
{
	if (!r->n_candidates)
		return;
	buf_puts(b,
		 "<h2>The way of the search</h2><p class=\"note\">Candidates from left to right, "
		 "oldest first; below, each trial at its candidate, in the order they were made. "
		 "A trial left of all candidates is a good end or a parent before them.</p>"
		 "<section class=\"card\"><div class=\"key\">"
		 "<span><i class=\"good\"></i>");
	buf_html(b, report_word(r, VERDICT_GOOD));
	buf_puts(b, "</span><span><i class=\"bad\"></i>");
	buf_html(b, report_word(r, VERDICT_BAD));
	buf_puts(b, "</span>"
		    "<span><i class=\"skip\"></i>skip</span><span><i class=\"weak\"></i>weak</span>"
		    "<span><i class=\"none\"></i>not tried</span></div><div class=\"scroll\">");
	picture_search(b, r);
	buf_puts(b, "</div></section>\n");
}

static void put_times(struct buf *b, const struct report *r, const struct report_commit *c)
{
	static const char *const stages[] = { "build", "boot", "load", "probe" };

	for (size_t k = 0; k < ARRAY_SIZE(stages); k++) {
		int64_t ns = -1;

		for (size_t i = 0; i < r->n_trials; i++)
			if (r->trials[i].trial == c->trial)
				ns = report_stage_ns(&r->trials[i], stages[k]);
		if (ns < 0)
			buf_puts(b, "<td class=\"n\">-</td>");
		else
			buf_printf(b, "<td class=\"n\">%.1f s</td>", (double)ns / NS_PER_S);
	}
}

static void put_tried(struct buf *b, const struct report *r, const struct report_commit *c)
{
	_cleanup_buf_ struct buf note = { 0 };

	buf_printf(b, "<tr%s><td><span class=\"v %s\">",
		   r->culprit && strcmp(r->culprit, c->id) == 0 ? " class=\"culprit\"" : "",
		   verdict_name(c->v.verdict));
	buf_html(b, report_word(r, c->v.verdict));
	buf_printf(b, "</span></td><td class=\"id tight\">%.12s</td><td class=\"s\">", c->id);
	buf_html(b, report_commit_title(r, c));
	buf_puts(b, "<small>");
	buf_html(b, c->v.reason);
	builds_note(r, c, true, &note);
	if (note.len) {
		buf_puts(b, "</small><small>");
		buf_html(b, note.data);
	}
	if (c->v.predicted)
		buf_printf(b, "</small></td><td class=\"n\">%u of %u</td>", c->v.windows,
			   c->v.predicted);
	else
		buf_printf(b, "</small></td>%s", report_is_own(r) ? "" : "<td class=\"n\">-</td>");
	put_times(b, r, c);
	buf_puts(b, "</tr>\n");
}

static void put_candidates(struct buf *b, const struct report *r)
{
	const bool own = report_is_own(r);
	size_t untried = 0;

	for (size_t i = 0; i < r->n_commits; i++)
		untried += !r->commits[i].trial;
	buf_printf(
		b,
		"<h2>Commits tried</h2><p class=\"note\">Oldest first, with %sthe last trial's "
		"times. %zu of %zu candidates were not tried.</p>"
		"<section class=\"card scroll\"><table><thead><tr><th>verdict</th><th>commit</th>"
		"<th>subject and reason</th>%s<th class=\"n\">build</th>"
		"<th class=\"n\">boot</th><th class=\"n\">load</th><th class=\"n\">probe</th>"
		"</tr></thead><tbody>\n",
		own ? "" : "the windows of those predicted and ", untried, r->n_candidates,
		own ? "" : "<th class=\"n\">windows</th>");
	for (size_t i = 0; i < r->n_commits; i++)
		if (r->commits[i].trial)
			put_tried(b, r, &r->commits[i]);
	buf_puts(b, "</tbody></table></section>\n");
}

static void put_fact(struct buf *b, const struct report *r, const char *label, const char *key)
{
	const char *value = report_fact(r, key);

	if (!value || !*value)
		return;
	buf_puts(b, "<dt>");
	buf_html(b, label);
	buf_puts(b, "</dt><dd>");
	buf_html(b, value);
	buf_puts(b, "</dd>");
}

static void put_builds(struct buf *b, const struct report *r)
{
	const char *label;

	for (size_t i = 0;; i++) {
		_cleanup_buf_ struct buf line = { 0 };

		if (!builds_line(r, i, &label, &line))
			return;
		if (!line.len)
			continue;
		buf_printf(b, "<dt>%s</dt><dd>", label);
		buf_html(b, line.data);
		buf_puts(b, "</dd>");
	}
}

static void put_run(struct buf *b, const struct report *r)
{
	const char *const facts[][2] = {
		{ "started", "run.started" },
		{ "ended", "run.ended" },
		{ "command", "run.command" },
		{ "repository", "repo" },
		{ "paths", "paths" },
		{ r->old_word, "good.0" },
		{ r->new_word, "bad" },
		{ "commits in range", "walked.total" },
		{ "candidates", "candidates.total" },
		{ "kernel", "kernel.release" },
		{ "source", "kernel.source" },
		{ "configuration", "kernel.config" },
		{ "guest", "guest.accel" },
		{ "because", "guest.accel_why" },
		{ "guest starts", "guest.start" },
		{ "because", "guest.start_why" },
		{ "tool", "tool.version" },
	};

	buf_puts(b, "<h2>Run</h2><section class=\"card\"><dl>");
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		put_fact(b, r, facts[i][0], facts[i][1]);
	put_builds(b, r);
	buf_puts(b, "</dl></section>\n");
}

static void put_next(struct buf *b, const struct report *r, const struct report_asked *asked)
{
	_cleanup_strv_ struct strv commands = { 0 };

	buf_puts(b, "<h2>To go on</h2><pre>");
	next_commands(r, asked, &commands);
	for (size_t i = 0; i < commands.n; i++) {
		buf_html(b, commands.items[i]);
		buf_puts(b, "\n");
	}
	if (!report_is_over(r) && !report_fact(r, "test.commit"))
		buf_puts(b, "amdgpu-bisect resume\n");
	buf_puts(b, "amdgpu-bisect report --format json</pre>\n");
}

int report_html(struct store *s, const struct report_asked *asked, struct buf *ret, struct err *err)
{
	struct report r;

	if (report_load(s, &r, err))
		return -1;
	put_head(ret, &r);
	put_answer(ret, &r);
	put_evidence(ret, &r);
	metric_html(ret, &r);
	kernel_html(ret, &r);
	put_proof(ret, &r);
	put_search(ret, &r);
	put_candidates(ret, &r);
	put_run(ret, &r);
	put_next(ret, &r, asked);
	buf_puts(ret, "</main></body></html>\n");
	report_deinit(&r);
	return 0;
}
