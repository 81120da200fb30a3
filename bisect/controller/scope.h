/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --scope auto: the smallest scope that is sound for a range, and why. */
#ifndef CONTROLLER_SCOPE_H
#define CONTROLLER_SCOPE_H

#include "build/build.h"
#include "options.h"
#include "range/range.h"

struct scope_choice {
	enum build_scope scope;
	bool chosen;	   /* by --scope auto, and not given */
	char why[256];	   /* for people: "mm/hmm.c changes in 3 of 64 candidates" */
	char warning[256]; /* what the scope cannot see in this range; empty: nothing */
};

/**
 * scope_choose() - what --scope comes to
 * @range: the question's candidates
 * @err:   as change_touches_such()
 *
 * Module is sound if no candidate changes a file outside of the driver that the driver or the kernel it
 * runs in is built from: what earlier builds read, any header but those of other subsystems, and sources of
 * the kernel and of the modules that amdgpu stands on. A header that the driver does not read may still be
 * one that mm/ reads, so that what builds read adds to the others and takes none away. Documentation,
 * tools, samples and what only other drivers, architectures or file systems consist of do not count.
 *
 * With --tree overlay only the limited paths come from the candidate, and only files there are asked about;
 * with --tree whole all, and the ends are compared as well.
 */
int scope_choose(const struct options *o, const char *repo, const struct range *range,
		 struct scope_choice *ret, struct err *err);

/**
 * scope_settle() - scope_choose(), and the option set to what was chosen
 * A run stores that, so a resumed one asks the same.
 */
int scope_settle(struct options *o, const char *repo, const struct range *range,
		 struct scope_choice *ret, struct err *err);

/**
 * scope_settle_commits() - the same for single commits, by what each changes and where they differ
 * @ids: [n] full ids, n >= 1
 */
int scope_settle_commits(struct options *o, const char *repo, const char *const *ids, size_t n,
			 struct scope_choice *ret, struct err *err);

#endif
