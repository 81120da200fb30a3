/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Last step: a stored run becomes a report, for people (text, HTML) and for programs (JSON).
 *
 * Everything is taken from the store, and what can be computed from samples is computed again. A
 * run that is still going, was stopped or broke off gives a report that says so.
 *
 * Facts of the run that are used, each of them optional:
 *
 *   run.command, run.started, run.ended, tool.version
 *   run.outcome          "proven", "set", "end", "host", "stopped"; absent or "running" until then
 *   repo, paths, good.N, bad, scope, candidates.total, walked.total, search.left, search.steps
 *   kernel.release, kernel.source, kernel.config, build.cc, guest.accel, guest.accel_why
 *   culprit.commit, culprit.subject, culprit.parents (ids, blank-separated)
 *   set (ids, blank-separated), set.why, end.which, end.commit, end.verdict, end.why
 *   option.KEY           the run's options
 */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

#include "base/err.h"
#include "base/str.h"
#include "store/store.h"

/**
 * report_text() - for a terminal or a mail: 100 columns, no control characters from outside
 * @ret: the text is added to it
 * @err: whatever reading the store gives
 */
int report_text(struct store *s, struct buf *ret, struct err *err);

/** report_json() - for programs; reports/schema/report.schema.json describes it */
int report_json(struct store *s, struct buf *ret, struct err *err);

/** report_html() - one page that needs nothing else: no script, no other file */
int report_html(struct store *s, struct buf *ret, struct err *err);

#endif
