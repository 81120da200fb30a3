/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts of a run that the loop writes to the store and reads back; keys in reports/report.h. */
#ifndef RUN_FACTS_H
#define RUN_FACTS_H

#include "base/err.h"
#include "controller/scope.h"
#include "lab.h"
#include "range/range.h"
#include "run.h"
#include "store/store.h"

/** facts_start() - options, ends as full ids, kernel, candidates: all that resume needs */
int facts_start(struct store *s, const struct options *o, const char *repo,
		const struct range *range, const struct lab *lab, struct err *err);

/**
 * facts_probe() - what tries a commit, with the keys of a run's facts: for a test by itself, which has no range
 * @asked: the probe's arguments, or the user's program with its rules; may be NULL
 */
int facts_probe(struct store *s, const struct options *o, const char *asked, struct err *err);

/** facts_scope() - why the scope is what it is, and what it does not see */
int facts_scope(struct store *s, const struct scope_choice *scope, struct err *err);

/** facts_begun() - true if the run in @dir got as far as facts_start(), so that it can be resumed */
bool facts_begun(const char *dir);

/**
 * facts_recall() - options of the run into @o, unless a flag of this call set them
 * @repo:   owned by the caller
 * @result: filled if the run is over
 * Return: 0 go on; 1 the run is over, there is nothing to do; -1 error.
 */
int facts_recall(struct store *s, struct options *o, char **repo, struct run_result *result,
		 struct err *err);

/**
 * facts_question() - what the run asks, whatever its state: options and ends into @o
 * @repo: owned by the caller
 */
int facts_question(struct store *s, struct options *o, char **repo, struct err *err);

/* Key and value; a list of them ends with a NULL key, and those without a value are left out. */
struct fact {
	const char *key;
	const char *value;
};
/** facts_put() - those that are not stored as they are already, so that a resumed run adds nothing */
int facts_put(struct store *s, const struct fact *f, struct err *err);
/** facts_join() - blank-separated, owned by the caller */
char *facts_join(const struct strv *v);

int facts_lab(struct store *s, const struct lab *lab, struct err *err);
/** facts_left() - how far the search is; @confidence: of the likeliest, < 0: trials do not lie */
int facts_left(struct store *s, size_t left, unsigned int steps, double confidence,
	       struct err *err);
/** facts_parents() - of the culprit; @carried: those of them that were new before the ends */
int facts_parents(struct store *s, const struct strv *parents, const struct strv *carried,
		  struct err *err);
int facts_culprit(struct store *s, const char *id, const char *subject, struct err *err);
int facts_set(struct store *s, const struct range *range, const uint32_t *nodes, size_t n,
	      const char *why, struct err *err);
int facts_end_wrong(struct store *s, const char *which, const char *id,
		    const struct store_verdict *v, struct err *err);
/** facts_end_again() - take back what was said of a wrong end, since it is tried again */
int facts_end_again(struct store *s, struct err *err);
int facts_outcome(struct store *s, enum run_outcome outcome, struct err *err);

/** facts_outcome_name() - "proven", "set", "end", "host", "stopped" */
const char *facts_outcome_name(enum run_outcome o);

#endif
