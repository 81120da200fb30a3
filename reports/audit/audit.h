/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An audit's findings, for people (text) and for programs (JSON, SARIF).
 *
 * Nothing here is from the store: whoever audits fills the structs in. Text in them is foreign.
 */
#ifndef REPORTS_AUDIT_AUDIT_H
#define REPORTS_AUDIT_AUDIT_H

#include "base/str.h"
#include "wire/json_out.h"

struct audit_report_commit {
	const char *id; /* full */
	const char *subject;
	int64_t authored_s;
};

struct audit_report_finding {
	const char *rank;   /* "certain" ... */
	const char *reason; /* "reverts", "fixes", "blames", "names", "rewrites", "beside" */
	struct audit_report_commit change, follow_up;
	const char *tree_commit;      /* id by which the tree has the change */
	const char *how;	      /* how that is known */
	const struct strv *functions; /* "PATH: NAME" that both change */
	bool fixes_tag, stable_tag;
	unsigned int undone, in_tree, beside, removed; /* lines, see docs/audit.md */
	int days;				       /* from change to follow-up */
	const char *effect; /* of it on the tree: "repairs", "no effect", ...; NULL: not tried */
	const char *effect_rule, *effect_why;
};

struct audit_report {
	const char *tool; /* version */
	const char *upstream_repo, *upstream_rev, *upstream_id;
	const char *tree_repo, *tree_rev, *tree_id;
	const struct strv *paths;
	const char *since; /* NULL: none */
	const char *min_rank;
	unsigned int distance_days;
	size_t n_upstream, n_tree; /* commits that touch the paths */
	size_t n_carried, n_picked, n_lacking, n_there;
	const struct audit_report_finding *findings; /* [n] */
	size_t n;
	const char *tested; /* where the raw data of what was tried lies; NULL: nothing was */
	const char *tree_word, *tree_why; /* what the tree is by itself, if something was tried */
};

/** audit_text() - grouped by the change that lacks something; 100 columns, no control characters */
void audit_text(const struct audit_report *r, struct buf *ret);

/** audit_json() - reports/schema/audit.schema.json describes it */
void audit_json(const struct audit_report *r, struct json_out *j);

/**
 * audit_sarif() - SARIF 2.1.0, a rule per reason and a result per finding
 * Source: OASIS, Static Analysis Results Interchange Format, 2.1.0, sections 3.13 to 3.30 and 3.49.
 */
void audit_sarif(const struct audit_report *r, struct json_out *j);

/* How a reason reads between two commits; within reports/audit/. */
const char *audit_reason_text(const char *reason);

/* What stable queues do with a commit of such tags: "yes", "maybe", "no"; and why, in words. */
const char *audit_queue(const struct audit_report_finding *f);
const char *audit_queue_why(const struct audit_report_finding *f);

#endif
