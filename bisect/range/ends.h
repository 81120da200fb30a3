/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: the two ends of a range, resolved and checked. */
#ifndef RANGE_ENDS_H
#define RANGE_ENDS_H

#include "range/gitlib.h"
#include "range/range.h"

struct ends {
	git_oid bad;
	git_oid *good; /* [n_good], each once */
	size_t n_good;
};

/** ends_resolve() - both ends as commits that can bound a bisection; errors as range_open() says */
int ends_resolve(git_repository *repo, const struct range_spec *spec, struct ends *ret,
		 struct err *err);
void ends_deinit(struct ends *e);

#endif
