/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --scope auto: the smallest scope that is sound for a range, and why. */
#ifndef CONTROLLER_SCOPE_H
#define CONTROLLER_SCOPE_H

#include "build/build.h"
#include "options.h"
#include "range/range.h"

struct scope_choice {
	enum build_scope scope;
	char why[256];	   /* for people: "mm/hmm.c changes in 3 of 64 commits" */
	char warning[256]; /* what the scope cannot see in this range; empty: nothing */
};

/**
 * scope_choose() - what --scope comes to
 * @range: the question's candidates
 * @err:   as range_touches()
 *
 * Module is sound if no candidate changes a file outside the driver's directory that the driver is
 * compiled against (what builds read, if one is known; else any header) or that is built into the kernel.
 * Documentation, tools, samples and what only other drivers consist of do not count.
 */
int scope_choose(const struct options *o, const char *repo, const struct range *range,
		 struct scope_choice *ret, struct err *err);

/**
 * scope_settle() - scope_choose(), and the option set to what was chosen
 * A run stores that, so a resumed one asks the same.
 */
int scope_settle(struct options *o, const char *repo, const struct range *range,
		 struct scope_choice *ret, struct err *err);

#endif
