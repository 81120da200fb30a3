// SPDX-License-Identifier: GPL-2.0-or-later
/* What each draft says. A maintainer reads the first screen; figures and the rest stand below it. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "reports/mail/draft.h"
#include "reports/words.h"

static void put_end(struct buf *b, const char *label, const char *id, const char *version)
{
	_cleanup_free_ char *text = NULL;

	if (!id)
		return;
	text = str_printf("%.12s%s%s%s", id, version ? " (" : "", version ? version : "",
			  version ? ")" : "");
	draft_fact(b, label, text);
}

void draft_ends(const struct draft *d)
{
	const struct report *r = d->r;
	const char *old = r->old.n ? r->old.items[0] : NULL;
	const char *tip = report_fact(r, "proof.tip");
	const char *new = tip &&str_is_commit_id(tip) ? tip : r->new;

	put_end(d->b, r->fix ? "affected" : "works", old, d->src->old_version);
	put_end(d->b, r->fix ? "works" : "affected", new, d->src->new_version);
	draft_wrap(d->b, 2, "%zu of %s commits between them were candidates; %zu trials.",
		   r->n_candidates, report_fact_or(r, "walked.total", "?"), r->n_made);
}

static const char *subject_of_one(const struct draft *d, const char *id)
{
	for (size_t i = 0; i < d->src->n_blamed; i++)
		if (strcmp(d->src->blamed[i].id, id) == 0 && d->src->blamed[i].subject)
			return d->src->blamed[i].subject;
	return report_subject_of(d->r, id);
}

void draft_set(const struct draft *d)
{
	const struct report *r = d->r;

	for (size_t i = 0; i < r->set.n; i++)
		draft_named(d->b, 2, r->set.items[i], subject_of_one(d, r->set.items[i]));
	if (report_fact(r, "set.why"))
		draft_wrap(d->b, 2, "%s", report_fact(r, "set.why"));
}

void draft_repair(const struct draft *d, const char *words)
{
	const struct report_corner *c = &d->r->corners[CORNER_TIP_WITH_FOLLOWUP];
	const struct mail_commit *repair = &d->src->repair;

	if (!*repair->id)
		return;
	draft_wrap(d->b, 0, "%s", words);
	buf_puts(d->b, "\n");
	draft_named(d->b, 2, repair->id, repair->subject);
	if (!d->r->fix)
		draft_wrap(d->b, 2, "on top of the tip: %s", corner_line(c, 0).text);
	buf_puts(d->b, "\n");
}

/*
 * What regzbot knows: a commit of mainline or of a stable tree, so for a distribution's pick the upstream's id.
 * Source: Documentation/admin-guide/reporting-regressions.rst, "How do I report a regression?".
 */
static void put_regzbot(const struct draft *d)
{
	const struct report *r = d->r;
	const struct mail_commit *c = d->src->n_blamed ? &d->src->blamed[0] : NULL;
	const char *upstream = report_fact_or(r, "culprit.upstream", "");
	char old[13] = "", tip[13] = "";

	if (c && *c->upstream)
		upstream = c->upstream;
	if (c && c->is_stable)
		upstream = "";
	if (strspn(upstream, "0123456789abcdef") < 12)
		upstream = "";
	if (r->culprit) {
		buf_printf(d->b, "#regzbot introduced: %.12s\n", *upstream ? upstream : r->culprit);
		return;
	}
	if (r->old.n)
		str_copy(old, sizeof(old), r->old.items[0]);
	if (r->new)
		str_copy(tip, sizeof(tip), r->new);
	buf_printf(d->b, "#regzbot introduced: %s..%s\n", old, tip);
}

/* The one commit, and what other trees call it. */
static void put_culprit(const struct draft *d)
{
	const struct report *r = d->r;
	const char *upstream = report_fact(r, "culprit.upstream");

	draft_named(d->b, 2, r->culprit, report_subject_of(r, r->culprit));
	if (upstream && strspn(upstream, "0123456789abcdef") >= 12 &&
	    strncmp(upstream, r->culprit, 12) != 0)
		draft_wrap(d->b, 2, "which is %.12s upstream (known by: %s)", upstream,
			   report_fact_or(r, "culprit.upstream.how", "unknown"));
}

static void put_rest(const struct draft *d)
{
	draft_figures(d);
	draft_proof(d);
	draft_reproduce(d);
	draft_setting(d);
}

void draft_regression(const struct draft *d)
{
	struct buf *b = d->b;

	buf_puts(b, "Hi,\n\n");
	if (d->r->culprit) {
		draft_wrap(b, 0, "I bisected a regression in amdgpu to this commit:");
		buf_puts(b, "\n");
		put_culprit(d);
	} else {
		draft_wrap(b, 0,
			   "I bisected a regression in amdgpu. No single commit could be named; it "
			   "is one of "
			   "these %zu:",
			   d->r->set.n);
		buf_puts(b, "\n");
		draft_set(d);
	}
	buf_puts(b, "\n");
	draft_effect(d);
	buf_puts(b, "\n");
	put_regzbot(d);
	buf_puts(b, "\n");
	draft_ends(d);
	buf_puts(b, "\n");
	draft_repair(d, "This commit repairs it, and the tip lacks it:");
	draft_wrap(b, 0, "Figures, proof, how to reproduce it, and the configuration are below.");
	put_rest(d);
}

/* Source: Documentation/process/stable-kernel-rules.rst, option 2 and the rule on performance issues. */
void draft_stable(const struct draft *d)
{
	const struct report *r = d->r;
	const struct mail_commit *c = &d->src->repair;
	const char *series = d->src->series ? d->src->series : "SERIES";
	const char *affected = r->fix ? d->src->old_version : d->src->new_version;
	struct buf *b = d->b;

	buf_puts(b, "Hi,\n\n");
	draft_wrap(b, 0, "please apply this commit to %s:", series);
	buf_puts(b, "\n  subject:  ");
	buf_plain_cut(b, c->subject ? c->subject : "", 200, false);
	buf_printf(b, "\n  commit:   %s\n  series:   %s", *c->upstream ? c->upstream : c->id,
		   series);
	if (affected)
		buf_printf(b, ", shown on %s; no other was tried", affected);
	buf_puts(b, "\n\n");
	if (r->fix) {
		draft_wrap(b, 0,
			   "A search for the commit that mends the following found it: the tree "
			   "before it "
			   "shows this, and with it no longer.");
	} else {
		draft_wrap(b, 0,
			   "It repairs a regression that came with this commit, which the series "
			   "has:");
		buf_puts(b, "\n");
		put_culprit(d);
	}
	buf_puts(b, "\n");
	draft_effect(d);
	buf_puts(b, "\n");
	draft_repair(d, r->fix ? "The commit in the tree that was tested:"
			       : "What was seen with it applied:");
	if (draft_is_windows(r))
		draft_wrap(
			b, 0,
			"The visible impact: programs that load large files through such mappings "
			"stand still for seconds to minutes, with nothing in the log.");
	draft_wrap(b, 0, "Proof, figures and how to reproduce it are below.");
	draft_proof(d);
	draft_figures(d);
	draft_reproduce(d);
	draft_setting(d);
}

void draft_bug(const struct draft *d)
{
	const struct report *r = d->r;
	struct buf *b = d->b;

	buf_puts(b, "Summary\n-------\n\n");
	draft_effect(d);
	buf_puts(b, "\n");
	if (r->fix)
		draft_wrap(b, 0, "It is repaired by this commit, which the affected kernel lacks:");
	else if (r->culprit)
		draft_wrap(b, 0, "It is there since this commit:");
	else
		draft_wrap(b, 0, "It came with one of these %zu commits:", r->set.n);
	buf_puts(b, "\n");
	if (r->culprit)
		put_culprit(d);
	else
		draft_set(d);
	buf_puts(b, "\n");
	if (!r->fix)
		draft_repair(d, "This commit repairs it; please take it:");
	draft_fact(b, "kernel", report_fact(r, "kernel.release"));
	draft_ends(d);
	draft_reproduce(d);
	draft_head(b, "What happens, and what should");
	draft_wrap(b, 0, "%s",
		   draft_is_windows(r)
			   ? "A copy should take the same time, a few milliseconds, whether or not "
			     "the pages of a private mapping are resident. It waits whole seconds "
			     "instead; the figures are below."
			   : "The figures are below.");
	draft_figures(d);
	draft_proof(d);
	draft_setting(d);
}
