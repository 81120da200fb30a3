/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was built, in each form: at which scope and why, with which config and compiler, which commits were
 * mended by a patch, and which were not booted since their artifact is another's.
 * Within reports/ only; the facts are in reports/report.h.
 */
#ifndef REPORTS_BUILDS_BUILDS_H
#define REPORTS_BUILDS_BUILDS_H

#include "reports/model.h"
#include "wire/json.h"

/** builds_verdict_trial() - the trial that a commit's verdict comes from, or NULL */
const struct store_trial *builds_verdict_trial(const struct report *r,
					       const struct report_commit *c);

/**
 * builds_note() - "same as 1a2b3c4d5e6f; patched by x.patch; on worker 2"; foreign text, empty for most commits
 * @beside_reason: the verdict's reason is shown as well, so what it says is left out
 */
void builds_note(const struct report *r, const struct report_commit *c, bool beside_reason,
		 struct buf *ret);

/** builds_line() - what is said of all builds under a label: scope, why, compiler, ...; false: no more */
bool builds_line(const struct report *r, size_t n, const char **label, struct buf *ret);

/** builds_json_run() - "scope_why" and "scope_warning" of the run */
void builds_json_run(struct json *run, const struct report *r);
/** builds_json() - "build" */
void builds_json(struct json *root, const struct report *r);
/** builds_json_trial() - "signature", "key", "config", "same_as", "patches"; @t: NULL: all of them null */
void builds_json_trial(struct json *obj, const struct store_trial *t);

#endif
