// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts that drafts are made of: see draft.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "reports/builds/builds.h"
#include "reports/mail/draft.h"
#include "reports/metric/metric.h"
#include "reports/next/next.h"
#include "reports/words.h"

#define COLUMNS	       75
#define LABEL_COLUMNS  14
#define TABLE_SUBJECTS 2 /* side by side in 75 columns */

static void wrap(struct buf *b, size_t indent, size_t column, const char *text)
{
	_cleanup_buf_ struct buf plain = { 0 };
	bool fresh = true;
	char *save = NULL;

	buf_plain(&plain, text);
	for (char *w = plain.data ? strtok_r(plain.data, " ", &save) : NULL; w;
	     w = strtok_r(NULL, " ", &save)) {
		size_t len = strlen(w);

		if (!fresh && column + 1 + len > COLUMNS) {
			buf_printf(b, "\n%*s", (int)indent, "");
			column = indent;
			fresh = true;
		}
		buf_printf(b, "%s%s", fresh ? "" : " ", w);
		column += len + !fresh;
		fresh = false;
	}
	buf_puts(b, "\n");
}

void draft_wrap(struct buf *b, size_t indent, const char *fmt, ...)
{
	_cleanup_buf_ struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	buf_printf(b, "%*s", (int)indent, "");
	wrap(b, indent, indent, text.data ? text.data : "");
}

void draft_head(struct buf *b, const char *words)
{
	buf_printf(b, "\n%s\n", words);
	for (size_t i = strlen(words); i; i--)
		buf_puts(b, "-");
	buf_puts(b, "\n\n");
}

void draft_fact(struct buf *b, const char *label, const char *value)
{
	if (!value || !*value)
		return;
	buf_printf(b, "  %-*s", LABEL_COLUMNS - 2, label);
	wrap(b, LABEL_COLUMNS, LABEL_COLUMNS, value);
}

void draft_named(struct buf *b, size_t indent, const char *id, const char *subject)
{
	buf_printf(b, "%*s%.12s (\"", (int)indent, "", id);
	buf_plain_cut(b, subject ? subject : "", 200, false);
	buf_puts(b, "\")\n");
}

void draft_placeholder(struct buf *b, const char *words)
{
	_cleanup_free_ char *line = str_printf("[EDIT: %s Then remove this paragraph.]", words);

	draft_wrap(b, 0, "%s", line);
	buf_puts(b, "\n");
}

/* What shows the effect: the last trial of the culprit, of a fix's parent, or of the new end. */
static const struct store_trial *shown_by(const struct report *r)
{
	const char *id = r->new;

	if (r->culprit && r->fix)
		id = r->parents.n ? r->parents.items[0] : NULL;
	else if (r->culprit)
		id = r->culprit;
	return id ? report_last_trial(r, id, ROLES) : NULL;
}

bool draft_is_windows(const struct report *r)
{
	const struct store_trial *t = shown_by(r);

	return t && strcmp(t->v.rule, judge_rule_name(RULE_MECHANISM)) == 0;
}

void draft_effect(const struct draft *d)
{
	const struct report *r = d->r;
	const struct report_corner *before = &r->corners[CORNER_PARENTS_GOOD];
	const struct report_corner *since = &r->corners[CORNER_ITSELF_BAD];
	const struct report_corner *has = r->fix ? before : since, *lacks = r->fix ? since : before;
	const struct store_trial *t = shown_by(r);
	const char *rule = report_fact(r, "option.probe.rule");

	if (!draft_is_windows(r)) {
		draft_wrap(d->b, 0, "What the trials found:");
		draft_wrap(d->b, 2, "%s", t ? t->v.reason : "see the proof");
		if (rule)
			draft_wrap(d->b, 2, "judged by: %s", rule);
		return;
	}
	draft_wrap(d->b, 0,
		   "A copy from a writable private file mapping whose pages are resident waits for "
		   "one whole "
		   "HMM_RANGE_DEFAULT_TIMEOUT (1000 ms) for each 2 MiB extent of it. Read-only "
		   "mappings and "
		   "pages that are not resident are not affected.");
	if (has->predicted)
		draft_wrap(d->b, 0,
			   "%s it %u of the %u predicted timeouts were seen, %s it %u of %u.",
			   r->fix ? "Before" : "With", has->windows, has->predicted,
			   r->fix ? "with" : "before", lacks->windows, lacks->predicted);
	else if (t->v.predicted)
		draft_wrap(d->b, 0, "%u of the %u predicted timeouts were seen.", t->v.windows,
			   t->v.predicted);
}

static void put_metric(const struct draft *d)
{
	_cleanup_strv_ struct strv words = { 0 };

	draft_head(d->b, "Figures");
	draft_wrap(
		d->b, 0,
		"What %s was in the runs of each trial. The range is the part of them that holds "
		"the median of all runs that could be made.",
		metric_label(d->r).text);
	buf_puts(d->b, "\n");
	metric_table(d->b, d->r, false);
	metric_words(d->r, &words);
	buf_puts(d->b, words.n ? "\n" : "");
	for (size_t i = 0; i < words.n; i++)
		draft_wrap(d->b, 0, "%s", words.items[i]);
}

void draft_figures(const struct draft *d)
{
	const struct report *r = d->r;
	struct buf *b = d->b;

	if (r->metric) {
		put_metric(d);
		return;
	}
	if (!r->n_subjects || !r->subjects[0].n_m)
		return;
	draft_head(b, "Figures");
	draft_wrap(b, 0,
		   "Windows, whole timeouts of 1000 ms in a copy, of those predicted from what was "
		   "resident, and the median copy. The first two mappings are controls.");
	buf_printf(b, "\n%-17s %-13s", "mapping", "size");
	for (size_t i = 0; i < r->n_subjects && i < TABLE_SUBJECTS; i++)
		buf_printf(b, "  %-8s %.10s", r->subjects[i].part, r->subjects[i].id);
	buf_puts(b, "\n");
	for (size_t i = 0; i < r->n_subjects && i < TABLE_SUBJECTS; i++)
		for (size_t k = 0; k < r->subjects[i].n_m; k++)
			if (!i || !report_row(&r->subjects[0], &r->subjects[i].m[k]))
				buf_row(b, "", r, &r->subjects[i].m[k], TABLE_SUBJECTS);
}

void draft_proof(const struct draft *d)
{
	const struct report *r = d->r;

	if (!r->culprit)
		return;
	draft_head(d->b, "Proof");
	for (enum corner c = 0; c < CORNERS; c++) {
		const struct report_corner *is = &r->corners[c];

		buf_printf(d->b, "%d %-8s ", (int)c + 1, corner_state_name(is->state));
		buf_plain_cut(d->b, corner_title(r, c).text, 60, false);
		buf_puts(d->b, "\n");
		if (is->state != CORNER_SHOWN)
			draft_wrap(d->b, 11, "%s", is->reason);
		for (size_t i = 0; i < corner_lines(is); i++)
			draft_wrap(d->b, 11, "%s", corner_line(is, i).text);
	}
}

/* A command is quoted as a shell takes it, so it is never broken. */
static void put_command(struct buf *b, const char *command)
{
	buf_puts(b, "  ");
	buf_plain(b, command);
	buf_puts(b, "\n");
}

void draft_reproduce(const struct draft *d)
{
	const struct report *r = d->r;
	_cleanup_free_ char *again = next_again(r, d->src->asked, COMMIT_ID_SIZE - 1);
	const char *command = report_fact(r, "run.command");

	draft_head(d->b, "How to reproduce");
	draft_wrap(d->b, 0,
		   "With amdgpu-bisect %s, in a clone of the tree (no GPU is needed unless the "
		   "command asks for "
		   "one); the whole search:",
		   report_fact_or(r, "tool.version", AMDGPU_BISECT_VERSION));
	buf_puts(d->b, "\n");
	put_command(d->b, command ? command : "amdgpu-bisect run GOOD..BAD");
	if (again) {
		buf_puts(d->b, "\n");
		draft_wrap(d->b, 0, "%s",
			   r->metric ? "This commit and its parents alone:" : "This commit alone:");
		buf_puts(d->b, "\n");
		put_command(d->b, again);
	}
}

/* What the copies went through, as far as the run's options say. */
static const char *measured_with(const struct report *r)
{
	const char *gpu = report_fact_or(r, "option.guest.gpu", "none");

	if (!draft_is_windows(r))
		return NULL;
	if (strcmp(gpu, "none") != 0)
		return "the GPU runtime, on a card passed through to the guest";
	return "a small module in the guest that calls the candidate's own "
	       "amdgpu_hmm_range_get_pages(); no GPU";
}

/* How the search saved time is nothing to people who read of what it found. */
static bool is_of_interest(const char *label)
{
	return *label && strcmp(label, "ahead") != 0 && strcmp(label, "same") != 0;
}

static void put_builds(struct buf *b, const struct report *r)
{
	const char *label;

	for (size_t i = 0;; i++) {
		_cleanup_buf_ struct buf line = { 0 };

		if (!builds_line(r, i, &label, &line))
			return;
		if (line.len && is_of_interest(label))
			draft_fact(b, label, line.data);
	}
}

void draft_setting(const struct draft *d)
{
	const struct report *r = d->r;
	_cleanup_free_ char *guest = NULL;
	const char *why = report_fact(r, "guest.accel_why");

	guest = str_printf("QEMU, %s%s%s", report_fact_or(r, "guest.accel", "unknown"),
			   why ? ": " : "", why ? why : "");
	draft_head(d->b, "Kernel, config and machine");
	draft_fact(d->b, "kernel", report_fact(r, "kernel.release"));
	draft_fact(d->b, "source", report_fact(r, "kernel.source"));
	draft_fact(d->b, "config", report_fact(r, "kernel.config"));
	put_builds(d->b, r);
	draft_fact(d->b, "guest", guest);
	draft_fact(d->b, "measured by", measured_with(r));
	draft_fact(d->b, "paths", report_fact(r, "paths"));
	draft_fact(d->b, "run", report_fact(r, "run.started"));
}
