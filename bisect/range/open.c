// SPDX-License-Identifier: GPL-2.0-or-later
/* First step of the flow: the question is brought into one form, and answered by the history. */
#include "range/make.h"

int range_open(const struct range_spec *spec, struct range **ret, struct err *err)
{
	__attribute__((cleanup(ends_deinit))) struct ends ends = { 0 };
	_cleanup_(git_repository_free_p) git_repository *repo = NULL;
	_cleanup_strv_ struct strv paths = { 0 };

	if (gitlib_open(spec->repo, &repo, err) < 0 ||
	    gitlib_paths(spec->paths, spec->n_paths, &paths, err) < 0 ||
	    ends_resolve(repo, spec, &ends, err) < 0)
		return -1;
	return range_make(repo, spec, &ends, &paths, ret, err);
}
