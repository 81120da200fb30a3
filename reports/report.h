/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Last step: a stored run becomes a report, for people (text, HTML), for programs (JSON) and for CI
 * (JUnit XML, KTAP).
 *
 * Everything is taken from the store, and what can be computed from samples is computed again. A
 * run that is still going, was stopped or broke off gives a report that says so.
 *
 * Facts of the run that are used, each of them optional:
 *
 *   run.command, run.started, run.ended, tool.version
 *   run.outcome          "proven", "set", "end", "host", "stopped"; absent or "running" until then
 *   repo, paths, scope, candidates.total, walked.total
 *   run.why              what ended a gate before its end
 *   band.trial           the trial whose copies set the band
 *   good.N, bad          the old ends and the new one, whatever is searched
 *   search.left, search.steps, search.confidence (of the likeliest, where trials may lie)
 *   kernel.release, kernel.source, kernel.config, build.cc, guest.accel, guest.accel_why,
 *   guest.start, guest.start_why
 *   kernel.cc            the compiler that the distribution's config says it is for
 *   build.scope.why      why the scope is what it is; build.scope.warning: what it does not see
 *   build.ahead.built, .used, .saved_ms, .stopped
 *                        builds while guests ran: counts, and how long those that were used took [ms]
 *   build.apply.N        patches for old commits, as they were given
 *   config.DIGITS.file   a config that candidates were built with, in the run's directory; with .digest
 *                        (SHA-256, DIGITS are its first) and .cc, the compiler it was completed for
 *   culprit.commit, culprit.subject, culprit.parents (ids, blank-separated)
 *   culprit.carried      those of its parents that had the change before the ends
 *   culprit.patch_id, culprit.upstream, culprit.upstream.how, culprit.upstream.subject
 *   set (ids, blank-separated), set.why, set.blocker.N (text), set.blocker.N.hides (how many)
 *   end.which ("good", "bad": what it was claimed to be), end.commit, end.verdict, end.why
 *   fork.base, fork.end  where an old end on another branch forked off, and which
 *   fork.state           "before" the change; "mended": after it; "untested"
 *   fork.story, fork.next (a command)
 *   inherit.N.commit, .parent, .parent_subject, .end, .story
 *                        a candidate that is new only since its parent, older than .end, is
 *   turn.N.kind          "again": it came, went and came again; "twice": it came on two ways
 *   turn.N.fresh, .stale the two verdicts that stand against each other
 *   turn.N.PART, .PART.subject, .PART.proven ("yes", "no"), .PART.set
 *                        PART: introducer, repairer; other
 *   options.said         keys of options that a flag set to what is their default
 *   option.KEY           the run's options; bisect.find, bisect.termold and bisect.termnew say what
 *                        the two states are called
 */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "base/err.h"
#include "base/str.h"
#include "store/store.h"

/* The options with which the run's commits were tried, each with a blank before it, as a shell takes them. */
struct report_asked {
	char *test; /* for one commit by itself */
	char *run;  /* for a range */
};

/**
 * report_text() - for a terminal or a mail: 100 columns, no control characters from outside
 * @asked: for the command that tries the culprit again
 * @ret:   the text is added to it
 * @err:   whatever reading the store gives
 */
int report_text(struct store *s, const struct report_asked *asked, struct buf *ret,
		struct err *err);

/** report_json() - for programs; reports/schema/report.schema.json describes it */
int report_json(struct store *s, struct buf *ret, struct err *err);

/** report_html() - one page that needs nothing else: no script, no other file */
int report_html(struct store *s, const struct report_asked *asked, struct buf *ret,
		struct err *err);

/** report_junit() / report_ktap() - for CI: each commit that was tried and each corner of the proof is a test */
int report_junit(struct store *s, struct buf *ret, struct err *err);
int report_ktap(struct store *s, struct buf *ret, struct err *err);

#endif
