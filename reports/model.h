/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stored run as the reports see it: read once, then only looked at. Within reports/ only. */
#ifndef REPORTS_MODEL_H
#define REPORTS_MODEL_H

#include "judge/judge.h"
#include "reports/report.h"

/* A commit of the report: a candidate, or another commit that was tried (an end, a parent). */
struct report_commit {
	char id[COMMIT_ID_SIZE];
	const char *subject; /* "" if it is not stored */
	bool candidate;
	uint32_t node;		/* of a candidate */
	struct store_verdict v; /* the final one; VERDICT_NONE as long as there is none */
	int64_t trial;		/* that it comes from; 0: none */
};

/* A commit whose copies are shown: the culprit and its parents, or else the ends. */
struct report_subject {
	const char *part; /* "culprit", "parent", "good-end", "bad-end" */
	char id[COMMIT_ID_SIZE];
	int64_t trial;
	struct wire_sample *samples; /* [n_samples], owned */
	size_t n_samples;
	struct wire_sample *kernel; /* [n_kernel], owned: copies under the kernel's probes */
	size_t n_kernel;
	struct measurement m[MEASURE_MAX];
	size_t n_m;
};

enum corner_state { CORNER_SHOWN, CORNER_MISSING, CORNER_FAILED, CORNER_STATES };

/* One of the runs that prove a culprit. */
enum corner {
	CORNER_PARENTS_GOOD,
	CORNER_ITSELF_BAD,
	CORNER_TIP_WITHOUT,
	CORNER_TIP_WITH_FOLLOWUP,
	CORNER_GOOD_END_WITH,
	CORNERS
};

/* The control that moved most between the good end and a corner's trials. */
struct report_controls {
	bool known;
	uint32_t windows;	    /* most of any copy; 0 unless something is wrong */
	double moved;		    /* median against the good end's */
	int64_t median_ns, base_ns; /* of that row [ns] */
};

/* What the user's rule saw in one trial of a corner. */
struct report_seen {
	char id[COMMIT_ID_SIZE];
	char text[512];
};

struct report_corner {
	enum corner_state state;
	struct strv commits; /* full ids */
	int64_t *trials;     /* [n_trials], owned */
	size_t n_trials;
	uint32_t windows, predicted; /* over its trials */
	char reason[512];	     /* why it is missing or failed; "" if shown */
	struct report_seen
		*seen; /* [n_seen], owned; one for each of its trials, none with copies */
	size_t n_seen;
	struct report_controls controls;
};

struct report {
	struct strv keys, values; /* facts */
	struct store_candidate *candidates;
	size_t n_candidates;
	struct store_trial *trials;
	size_t n_trials;
	bool several;		       /* made at several places: workers, cards */
	size_t n_made;		       /* of them, those that were made, and not told by a log */
	struct report_commit *commits; /* candidates in topological order, then the others */
	size_t n_commits;
	struct strv old;     /* the ends before the change, full ids */
	const char *new;     /* the end after it; NULL: not stored, or no id */
	struct strv parents; /* of the culprit */
	struct strv carried; /* those of them that had the change before the ends */
	struct strv set;
	const char *culprit;  /* NULL: none */
	bool fix;	      /* the first good one is searched */
	const char *old_word; /* what the two states are called */
	const char *new_word;
	struct report_subject *subjects;
	size_t n_subjects;
	struct report_corner corners[CORNERS];
	struct metric *metric; /* reports/metric; NULL: no rule of the run asks for one */
};

/** report_load() - read all of a run; @ret is to be report_deinit()ed */
int report_load(struct store *s, struct report *ret, struct err *err);
void report_deinit(struct report *r);

/** report_fact() - a fact's value, or NULL */
const char *report_fact(const struct report *r, const char *key);

/** report_fact_or() - a fact's value, or @other */
const char *report_fact_or(const struct report *r, const char *key, const char *other);

/** report_commit() - by full id, or NULL */
const struct report_commit *report_commit(const struct report *r, const char *id);

/** report_subject_of() - a commit's subject line, "" if it is not known */
const char *report_subject_of(const struct report *r, const char *id);

/** report_commit_title() - its subject, or for one that is no candidate why it was tried */
const char *report_commit_title(const struct report *r, const struct report_commit *c);

/* A sentence by value. */
struct report_line {
	char text[768];
};

/** report_in_short() - what was measured of the culprit and its parents, in one sentence; owned by the caller */
char *report_in_short(const struct report *r);

/** report_old() / report_new() - the verdict of the state before and after the change */
enum verdict report_old(const struct report *r);
enum verdict report_new(const struct report *r);

/** report_word() - a verdict as the user calls it; foreign text, to be escaped */
const char *report_word(const struct report *r, enum verdict v);

/** report_part_is() - the verdict that a part of the proof should have */
enum verdict report_part_is(const struct report *r, const struct report_subject *s);

/** report_tested() - of a run of one revision by itself: its trial, once that has ended; else NULL */
const struct store_trial *report_tested(const struct report *r);

/** report_tested_words() - "The commit tested is good", or that it was only measured */
const char *report_tested_words(const struct store_trial *t);

/** report_state() - "running", "stopped", "host", "proven", "set", "end", or "tested": one revision by itself */
const char *report_state(const struct report *r);

/** report_is_own() - a program of the user's ran in the place of the copies, so there are no windows */
bool report_is_own(const struct report *r);

/** report_is_over() - true if the run needs no resume */
bool report_is_over(const struct report *r);

/**
 * report_last_trial() - the last trial of a commit that led to good, bad or skip
 * @role: in this role; ROLES: in any
 */
const struct store_trial *report_last_trial(const struct report *r, const char *id,
					    enum store_role role);

/** report_stage_ns() - how long a stage of a trial took [ns]; -1: not reached */
int64_t report_stage_ns(const struct store_trial *t, const char *stage);

/** report_row() - the row of @m's regime, size and offset in @s, or NULL */
const struct measurement *report_row(const struct report_subject *s, const struct measurement *m);

/** report_prove() - fill the corners; called by report_load() */
void report_prove(struct report *r);

/** corner_fact() - a fact of a corner whose commit the run made, "proof.NAME.@key", or NULL */
const char *corner_fact(const struct report *r, enum corner c, const char *key);

/** report_controls() - fill in how the controls moved; called by report_load() after report_prove() */
int report_controls(struct store *s, struct report *r, struct err *err);

/** corner_lines() - how many lines tell what was seen: one if it is shown; of a user's rule one for each trial, shown or not */
size_t corner_lines(const struct report_corner *c);

/** corner_line() - the @i-th: windows, trials and controls, or what the rule saw in the trial of which commit */
struct report_line corner_line(const struct report_corner *c, size_t i);

const char *corner_name(enum corner c);					/* "parents_good", ... */
struct report_line corner_title(const struct report *r, enum corner c); /* "its parents are good" */
const char *corner_state_name(enum corner_state s); /* "shown", "missing", "failed" */

/** report_is_carried() - true for a parent of the culprit that had the change before the ends */
bool report_is_carried(const struct report *r, const char *id);

/** report_end_which() - the end that ended the run, as the user calls it */
const char *report_end_which(const struct report *r);

/** report_end_words() - what is said of an end that ended the run; a skip is no false claim */
const char *report_end_words(const struct report *r);

#endif
