/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run as tests that pass or fail, for JUnit XML and KTAP; within reports/ only. */
#ifndef REPORTS_CI_CASES_H
#define REPORTS_CI_CASES_H

#include "reports/model.h"

enum ci_state { CI_PASS, CI_FAIL, CI_SKIP, CI_ERROR, CI_STATES };

struct ci_case {
	char *name;
	const char *rule;   /* what led; "" */
	const char *reason; /* "" for one that passed and has nothing to say */
	enum ci_state state;
	int64_t elapsed_ns;
};

struct ci_suite {
	const char *name;
	struct ci_case *cases; /* [n], owned */
	size_t n;
	size_t count[CI_STATES];
	int64_t elapsed_ns;
};

/* "run", "commits", and "proof" where a culprit is named. */
#define CI_SUITES_MAX 3

struct ci_report {
	struct ci_suite suites[CI_SUITES_MAX];
	size_t n;
};

/**
 * ci_collect() - what CI is told of a run
 * @ret: its texts but the names point into @r; ci_deinit()
 *
 * The suite "run" has one test, that fails with an error as long as the run has not come to its end: what was not
 * measured is never green. "commits" has every commit that was tried: bad fails, skip and weak are skipped,
 * a failure of the machine is an error. "proof" has the corners: a missing one is skipped.
 */
void ci_collect(const struct report *r, struct ci_report *ret);
void ci_deinit(struct ci_report *c);

#endif
