/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: the two ends of a range, resolved and checked. */
#ifndef RANGE_ENDS_H
#define RANGE_ENDS_H

#include "range/gitlib.h"
#include "range/range.h"

struct ends {
	git_oid bad;
	git_oid *good; /* [n_good], each once */
	size_t *given; /* [n_good] where in range_spec.good it was named first */
	size_t n_good;
};

/**
 * ends_resolve() - names to commits, without a look at the history
 * @err: ERR_USAGE: no such commit, no good one, equal ends, a shallow clone; ERR_HOST
 */
int ends_resolve(git_repository *repo, const struct range_spec *spec, struct ends *ret,
		 struct err *err);
void ends_deinit(struct ends *e);

/** ends_name() - an end as people know it: as named, with the id if the name is not the id */
char *ends_name(const char *rev, const git_oid *id);

/** ends_old_word(), ends_new_word() - what errors call the ends */
const char *ends_old_word(const struct range_spec *spec);
const char *ends_new_word(const struct range_spec *spec);

#endif
