/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of the user's in the place of the copies: from the options into the guest, and from what it did
 * there to rows and a verdict.
 */
#ifndef CONTROLLER_RULE_RULE_H
#define CONTROLLER_RULE_RULE_H

#include "base/err.h"
#include "base/str.h"
#include "guest/guest.h"
#include "judge/judge.h"
#include "judge/rule.h"
#include "options.h"
#include "store/store.h"

struct own {
	struct rules rules;
	struct strv files;    /* of this machine, that are packed beside the probes */
	char *program;	      /* its name there, or a path in the guest */
	const char *args;     /* of the options, or NULL */
	unsigned int repeats; /* runs in each trial */
	int64_t limit_ms;     /* of each run */
	char *asked;	      /* all of it in one line, files by their content */
};

/**
 * own_open() - what --exec and what goes with it say
 * @o:   must outlive @ret
 * @ret: owned by the caller, own_close(); NULL if there is no --exec
 * @err: ERR_USAGE: a file that is not there or is no program, two of one name, a rule that is none, a metric with
 *       too few runs, and rules or files without --exec
 */
int own_open(const struct options *o, struct own **ret, struct err *err);
void own_close(struct own *own);

/** own_spec() - a trial that runs it; @own: NULL changes nothing */
void own_spec(const struct own *own, struct trial_spec *spec);

/**
 * own_weigh() - what a trial did, stored, and what that means
 * @role: says whether an end is tried
 * @base: what the ends measured so far, or NULL
 * @last: a weak result is not tried again: it is a skip
 * @ret:  verdict, rule and reason are written, on success only
 */
int own_weigh(const struct own *own, struct store *s, int64_t trial, const struct trial *t,
	      enum store_role role, const struct baseline *base, bool last,
	      struct store_verdict *ret, struct err *err);

/**
 * own_recall() - the same verdict from what is stored
 * @ret: rule "" if the trial has stored nothing of a program
 */
int own_recall(const struct own *own, struct store *s, int64_t trial, enum store_role role,
	       const struct baseline *base, struct rule_verdict *ret, struct err *err);

/**
 * own_recall_end() - what a trial that was found to be what an end was claimed to be measured
 * @role: ROLE_GOOD_END or ROLE_BAD_END
 * @ends: the side that @role names is filled, unless it is already or no rule is for a metric
 */
int own_recall_end(const struct own *own, struct store *s, int64_t trial, enum store_role role,
		   struct gap_ends *ends, struct err *err);

#endif
