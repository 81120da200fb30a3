/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between range/ and search/: the options as a question, the candidates as a graph, and what stored
 * trials say of its nodes.
 */
#ifndef HALVING_H
#define HALVING_H

#include <stdbool.h>

#include "base/err.h"
#include "base/progress.h"
#include "controller/priors.h"
#include "options.h"
#include "range/range.h"
#include "search/search.h"
#include "store/store.h"

/* What the two states are called: --term-old and --term-new, else good and bad by --find. */
struct halving_words {
	const char *old;
	const char *new;
};
struct halving_words halving_words(const struct options *o);

/** halving_find() - what --find asks for */
enum search_find halving_find(const struct options *o);

/** halving_is_old() - true for the verdict of the old state: GOOD, or BAD when a fix is searched */
bool halving_is_old(const struct options *o, enum verdict v);

/** halving_old() / halving_new() - the verdict that each state's commits get */
enum verdict halving_old(const struct options *o);
enum verdict halving_new(const struct options *o);

/**
 * halving_set_ends() - the ends as options, under the flag that means each (--bad is old for a fix)
 * @old: [n_old] revisions, n_old >= 1
 * @new: revision
 */
int halving_set_ends(struct options *o, const char *const *old, size_t n_old, const char *new,
		     enum option_origin origin, struct err *err);

/**
 * halving_range() - the range that the options name, in @repo; owned by the caller
 * @err: ERR_USAGE as range_open(), and for terms that cannot be words of a log
 */
int halving_range(const struct options *o, const char *repo, struct range **ret, struct err *err);

/** halving_range_shown() - the same, with a line of progress for what takes long */
int halving_range_shown(const struct options *o, const char *repo, struct progress *progress,
			struct range **ret, struct err *err);

/**
 * halving_places() - the candidates that some commits have their content from, as range_places()
 * @range: from halving_range()
 */
int halving_places(const struct options *o, const char *repo, const struct range *range,
		   const char *const *ids, size_t n, long *ret, struct err *err);

/**
 * halving_search() - a search by the options' rules over the range's candidates, without a verdict
 * @repo: where --suspect looks
 * @ret:  owned by the caller
 */
int halving_search(const struct options *o, const char *repo, const struct range *range,
		   struct search **ret, struct err *err);

/** halving_priors() - how likely the options make each candidate; owned by the caller */
int halving_priors(const struct options *o, const char *repo, const struct range *range,
		   struct priors *ret, struct err *err);

/**
 * halving_search_by() - halving_search() with priors that are known
 * @n_left_out: candidates that --trust-deps leaves out; they have no part in the search
 */
int halving_search_by(const struct options *o, const struct range *range,
		      const struct priors *priors, struct search **ret, size_t *n_left_out,
		      struct err *err);

/** halving_counts() - true if a stored trial ended with a verdict on its commit: good, bad or skip */
bool halving_counts(const struct store_trial *t);

/**
 * halving_settle() - what becomes of a commit whose confirming trial did not repeat its verdict
 * @second: what that trial found
 * @third:  what the one after it found, not the first verdict either
 * Return: the verdict both agree in; SKIP if they do not, since nothing was found twice.
 */
enum verdict halving_settle(enum verdict second, enum verdict third);

/** halving_tell() - one verdict for the search, a skip with its blocker; others say nothing */
void halving_tell(struct search *search, uint32_t node, const struct store_verdict *v);

/**
 * halving_recall() - give a search the verdicts of stored trials, as the loop gave them
 * @t: [n] in order
 *
 * A confirming trial that did not repeat the verdict says nothing until the one after it has ended:
 * where the controller was killed between the two, both are made again.
 */
void halving_recall(const struct options *o, const struct range *range, const struct store_trial *t,
		    size_t n, struct search *search);

#endif
