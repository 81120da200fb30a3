/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between range/ and search/: the candidates as a graph, and what stored trials say of its nodes. */
#ifndef HALVING_H
#define HALVING_H

#include "base/err.h"
#include "options.h"
#include "range/range.h"
#include "search/search.h"
#include "store/store.h"

/** halving_range() - the range that the options name, in @repo; owned by the caller */
int halving_range(const struct options *o, const char *repo, struct range **ret, struct err *err);

/** halving_search() - a search over the range's candidates without a verdict; owned by the caller */
int halving_search(const struct range *range, struct search **ret, struct err *err);

/** halving_counts() - true if a stored trial ended with a verdict on its commit: good, bad or skip */
bool halving_counts(const struct store_trial *t);

/**
 * halving_settle() - what becomes of a commit whose confirming trial did not repeat its verdict
 * @second: what that trial found
 * @third:  what the one after it found, not the first verdict either
 * Return: the verdict both agree in; SKIP if they do not, since nothing was found twice.
 */
enum verdict halving_settle(enum verdict second, enum verdict third);

/**
 * halving_recall() - give a search the verdicts of stored trials, as the loop gave them
 * @t: [n] in order
 *
 * A confirming trial that did not repeat the verdict says nothing until the one after it has ended:
 * where the controller was killed between the two, both are made again.
 */
void halving_recall(const struct range *range, const struct store_trial *t, size_t n,
		    struct search *search);

#endif
