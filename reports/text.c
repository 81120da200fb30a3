// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run as text: the answer first, then what it rests on, then everything else. Foreign text goes
 * through buf_plain(), lines are held to 100 columns.
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
#include "reports/words.h"

#define COLUMNS	      100
#define TABLE_COLUMNS 3 /* subjects side by side; more are left to JSON and HTML */

static void put_line(struct buf *b, const char *label, const char *value)
{
	if (!value || !*value)
		return;
	buf_puts(b, "  ");
	buf_plain_cut(b, label, 12, true);
	buf_plain(b, value);
	buf_puts(b, "\n");
}

static void put_commit(struct buf *b, const struct report *r, const char *id)
{
	buf_printf(b, "  %.12s  ", id);
	buf_plain_cut(b, report_subject_of(r, id), COLUMNS - 16, false);
	buf_puts(b, "\n");
}

static void put_culprit(struct buf *b, const struct report *r)
{
	_cleanup_free_ char *found = report_in_short(r);

	buf_puts(b, "First ");
	buf_plain(b, r->new_word);
	buf_puts(b, " commit\n\n  ");
	buf_plain(b, r->culprit);
	buf_puts(b, "\n  ");
	buf_plain_cut(b, report_subject_of(r, r->culprit), COLUMNS - 2, false);
	buf_puts(b, "\n");
	if (report_is_own(r)) {
		buf_plain_wrapped(b, "found", found);
		put_line(b, "by", report_fact(r, "probe.args"));
		buf_puts(b, "\n");
	} else {
		buf_printf(b, "  %s\n\n", found);
	}
	for (size_t i = 0; i < r->parents.n; i++) {
		bool carried;

		buf_puts(b, i ? "         " : "  after  ");
		buf_printf(b, "%.12s ", r->parents.items[i]);
		carried = report_is_carried(r, r->parents.items[i]);
		buf_plain_cut(b, report_subject_of(r, r->parents.items[i]),
			      COLUMNS - (carried ? 39 : 23), false);
		buf_puts(b, carried ? " (had it before)\n" : "\n");
	}
}

static void put_set(struct buf *b, const struct report *r)
{
	buf_puts(b, "The first ");
	buf_plain(b, r->new_word);
	buf_printf(b, " commit is one of %zu\n\n", r->set.n);
	put_line(b, "because", report_fact(r, "set.why"));
	for (size_t i = 0; i < r->set.n; i++)
		put_commit(b, r, r->set.items[i]);
}

static void put_wrong_end(struct buf *b, const struct report *r)
{
	const char *commit = report_fact(r, "end.commit");

	buf_puts(b, "No commit is named: the ");
	buf_plain(b, report_end_which(r));
	buf_printf(b, "%s\n\n", report_end_words(r));
	if (commit)
		put_commit(b, r, commit);
	put_line(b, "because", report_fact(r, "end.why"));
}

/* Of `test`: one revision, which is the whole run. */
static void put_tested(struct buf *b, const struct report *r)
{
	const struct store_trial *t = report_tested(r);

	buf_printf(b, "%s\n\n  %s\n", report_tested_words(t), t->commit);
	buf_plain_wrapped(b, "because", t->v.reason);
	if (report_is_own(r))
		put_line(b, "by", report_fact(r, "probe.args"));
}

static void put_unfinished(struct buf *b, const struct report *r)
{
	const char *state = report_state(r);
	const char *left = report_fact(r, "search.left");

	if (strcmp(state, "stopped") == 0)
		buf_puts(b, "The run was stopped before its end\n\n");
	else if (strcmp(state, "host") == 0)
		buf_puts(b, "The run broke off: this machine failed, no commit did\n\n");
	else
		buf_puts(b, "The run has not ended: it is going on, or it was interrupted\n\n");
	if (left) {
		buf_puts(b, "  ");
		buf_plain(b, left);
		buf_printf(b, " of %zu candidates could still be the first ", r->n_candidates);
		buf_plain(b, r->new_word);
		buf_puts(b, " one\n");
	}
	if (report_fact(r, "test.commit")) {
		buf_puts(b, "  a test by itself is made again, there is nothing to go on with\n");
		return;
	}
	buf_puts(b, "  `amdgpu-bisect status RUN` says how far it is, `amdgpu-bisect resume RUN` "
		    "goes on\n");
}

static void put_answer(struct buf *b, const struct report *r)
{
	if (r->culprit)
		put_culprit(b, r);
	else if (strcmp(report_state(r), "set") == 0)
		put_set(b, r);
	else if (strcmp(report_state(r), "end") == 0)
		put_wrong_end(b, r);
	else if (strcmp(report_state(r), "tested") == 0)
		put_tested(b, r);
	history_text(b, r);
	if (!report_is_over(r)) {
		if (r->culprit)
			buf_puts(b, "\n");
		put_unfinished(b, r);
	}
}

static void put_evidence(struct buf *b, const struct report *r)
{
	if (!r->n_subjects || report_is_own(r))
		return;
	buf_puts(b, "\nWindows of 1000 ms (of those predicted), and the median copy\n\n");
	buf_printf(b, "  %-17s %-13s", "mapping", "size");
	for (size_t i = 0; i < r->n_subjects && i < TABLE_COLUMNS; i++)
		buf_printf(b, "  %-8s %.10s", r->subjects[i].part, r->subjects[i].id);
	buf_puts(b, "\n");
	/* Rows of any subject, each once, in the order measure/ gives them. */
	for (size_t i = 0; i < r->n_subjects; i++)
		for (size_t k = 0; k < r->subjects[i].n_m; k++) {
			bool seen = false;

			for (size_t j = 0; j < i; j++)
				seen |= report_row(&r->subjects[j], &r->subjects[i].m[k]) != NULL;
			if (!seen)
				buf_row(b, "  ", r, &r->subjects[i].m[k], TABLE_COLUMNS);
		}
	if (r->n_subjects > TABLE_COLUMNS)
		buf_printf(b, "  and %zu more; see the HTML or JSON report\n",
			   r->n_subjects - TABLE_COLUMNS);
}

/* What a rule of the user's saw is foreign, and as long as it likes. */
static void put_corner_seen(struct buf *b, const struct report_corner *c)
{
	buf_puts(b, "\n");
	if (c->state != CORNER_SHOWN)
		buf_plain_wrapped(b, "", c->reason);
	for (size_t i = 0; i < c->n_seen; i++)
		buf_plain_wrapped(b, "", corner_line(c, i).text);
}

static void put_corner(struct buf *b, const struct report *r, enum corner corner)
{
	const struct report_corner *c = &r->corners[corner];

	buf_printf(b, "  %d  %-7s  ", (int)corner + 1, corner_state_name(c->state));
	buf_plain_cut(b, corner_title(r, corner).text, 35, !c->n_seen);
	if (c->n_seen) {
		put_corner_seen(b, c);
		return;
	}
	buf_puts(b, " ");
	buf_plain_cut(b, c->state == CORNER_SHOWN ? corner_line(c, 0).text : c->reason,
		      COLUMNS - 50, false);
	buf_puts(b, "\n");
}

/* What took the tip back, and why it is thought to. */
static void put_followup(struct buf *b, const struct report *r)
{
	const char *id = corner_fact(r, CORNER_TIP_WITH_FOLLOWUP, "followup");
	const char *how = corner_fact(r, CORNER_TIP_WITH_FOLLOWUP, "how");
	const char *subject = corner_fact(r, CORNER_TIP_WITH_FOLLOWUP, "subject");

	if (!id || !str_is_commit_id(id))
		return;
	buf_printf(b, "  follow-up  %.12s  ", id);
	buf_plain_cut(b, subject ? subject : "", COLUMNS - 27, false);
	buf_puts(b, "\n             ");
	buf_plain_cut(b, how ? how : "", COLUMNS - 13, false);
	buf_puts(b, "\n");
}

static void put_proof(struct buf *b, const struct report *r)
{
	if (!r->culprit)
		return;
	buf_puts(b, "\nProof\n\n");
	for (enum corner c = 0; c < CORNERS; c++)
		put_corner(b, r, c);
	put_followup(b, r);
}

/* As wide as the longer of the two states' names, or "skip". */
static size_t word_columns(const struct report *r)
{
	size_t old = strlen(r->old_word), new = strlen(r->new_word);
	size_t most = old > new ? old : new;

	return most < 4 ? 4 : most > 12 ? 12 : most;
}

static void put_below(struct buf *b, const char *text)
{
	buf_puts(b, "                 ");
	buf_plain_cut(b, text, COLUMNS - 17, false);
	buf_puts(b, "\n");
}

static void put_tried(struct buf *b, const struct report *r, const struct report_commit *c)
{
	_cleanup_buf_ struct buf note = { 0 };
	bool why = c->v.verdict != VERDICT_GOOD && c->v.verdict != VERDICT_BAD;
	bool is_culprit = r->culprit && strcmp(r->culprit, c->id) == 0;
	int64_t ns = 0;

	for (size_t i = 0; i < r->n_trials; i++)
		if (strcmp(r->trials[i].commit, c->id) == 0)
			for (size_t k = 0; k < r->trials[i].n_stages; k++)
				ns = clock_add_ns(ns, r->trials[i].stages[k].elapsed_ns);
	buf_printf(b, "%s %.12s  ", is_culprit ? "->" : "  ", c->id);
	buf_plain_cut(b, report_word(r, c->v.verdict), word_columns(r), true);
	/* What was not built, or only told by a log, has no windows, and the latter no time either. */
	if (c->v.predicted)
		buf_printf(b, "  %2u of %-2u  ", c->v.windows, c->v.predicted);
	else if (!report_is_own(r))
		buf_puts(b, "      -     ");
	if (ns)
		buf_printf(b, "%6.1f s  ", (double)ns / NS_PER_S);
	else
		buf_puts(b, "      -   ");
	buf_plain_cut(b, report_commit_title(r, c), COLUMNS - 39 - word_columns(r), false);
	buf_puts(b, "\n");
	builds_note(r, c, why, &note);
	if (note.len)
		put_below(b, note.data);
	if (why)
		put_below(b, c->v.reason);
}

static void put_gap(struct buf *b, size_t *untried)
{
	if (*untried)
		buf_printf(b, "   ... %zu not tried\n", *untried);
	*untried = 0;
}

static void put_candidates(struct buf *b, const struct report *r)
{
	size_t untried = 0;
	bool others = false;

	buf_printf(b, "\nCandidates, oldest first: verdict, %stime, subject\n\n",
		   report_is_own(r) ? "" : "windows of those predicted, ");
	for (size_t i = 0; i < r->n_commits; i++) {
		const struct report_commit *c = &r->commits[i];

		if (!c->candidate && !others) {
			put_gap(b, &untried);
			buf_puts(b, "   outside the candidates:\n");
			others = true;
		}
		if (!c->trial) {
			untried++;
			continue;
		}
		put_gap(b, &untried);
		put_tried(b, r, c);
	}
	put_gap(b, &untried);
}

static void put_builds(struct buf *b, const struct report *r)
{
	const char *label;

	for (size_t i = 0;; i++) {
		_cleanup_buf_ struct buf line = { 0 };

		if (!builds_line(r, i, &label, &line))
			return;
		if (line.len)
			buf_plain_wrapped(b, label, line.data);
	}
}

static void put_run(struct buf *b, const struct report *r)
{
	_cleanup_buf_ struct buf ends = { 0 };
	_cleanup_buf_ struct buf range = { 0 };
	char new_end[13]; /* as short as the old ones */

	for (size_t i = 0; i < r->old.n; i++)
		buf_printf(&ends, "%s%.12s", i ? " " : "", r->old.items[i]);
	snprintf(new_end, sizeof(new_end), "%.12s", report_fact_or(r, "bad", ""));
	buf_printf(&range, "%zu of %s commits are candidates, %zu trials", r->n_candidates,
		   report_fact_or(r, "walked.total", "?"), r->n_made);
	buf_puts(b, "\nRun\n\n");
	put_line(b, "started", report_fact(r, "run.started"));
	put_line(b, "ended", report_fact(r, "run.ended"));
	put_line(b, "command", report_fact(r, "run.command"));
	put_line(b, "repository", report_fact(r, "repo"));
	put_line(b, "paths", report_fact(r, "paths"));
	put_line(b, r->old_word, ends.data);
	put_line(b, r->new_word, new_end);
	if (r->n_candidates || !report_fact(r, "test.commit"))
		put_line(b, "range", range.data);
	put_line(b, "kernel", report_fact(r, "kernel.release"));
	put_line(b, "source", report_fact(r, "kernel.source"));
	put_builds(b, r);
	put_line(b, "guest", report_fact(r, "guest.accel"));
	put_line(b, "", report_fact(r, "guest.accel_why"));
	put_line(b, "start", report_fact(r, "guest.start"));
	put_line(b, "", report_fact(r, "guest.start_why"));
	put_line(b, "tool", report_fact(r, "tool.version"));
}

static void put_next(struct buf *b, const struct report *r, const struct report_asked *asked)
{
	_cleanup_strv_ struct strv commands = { 0 };

	buf_puts(b, "\nTo go on\n\n");
	next_commands(r, asked, &commands);
	for (size_t i = 0; i < commands.n; i++) {
		buf_puts(b, "  ");
		buf_plain(b, commands.items[i]);
		buf_puts(b, "\n");
	}
	if (!report_is_over(r) && !report_fact(r, "test.commit"))
		buf_puts(b,
			 "  amdgpu-bisect resume                    go on where the run stands\n");
	buf_puts(b, "  amdgpu-bisect report --format html      the same as a page with pictures\n");
}

int report_text(struct store *s, const struct report_asked *asked, struct buf *ret, struct err *err)
{
	struct report r;

	if (report_load(s, &r, err))
		return -1;
	put_answer(ret, &r);
	put_evidence(ret, &r);
	metric_text(ret, &r);
	kernel_text(ret, &r);
	put_proof(ret, &r);
	put_candidates(ret, &r);
	put_run(ret, &r);
	put_next(ret, &r, asked);
	report_deinit(&r);
	return 0;
}
