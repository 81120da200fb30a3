// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * First step of the flow: the question is brought into one form, and answered by what is kept of an
 * earlier walk or by the history.
 */
#include "range/cache/cache.h"
#include "range/make.h"

int range_open(const struct range_spec *spec, struct range **ret, struct err *err)
{
	__attribute__((cleanup(ends_deinit))) struct ends ends = { 0 };
	_cleanup_(git_repository_free_p) git_repository *repo = NULL;
	_cleanup_(kept_destroy_p) struct kept *kept = NULL;
	_cleanup_strv_ struct strv paths = { 0 };
	struct range *r;

	if (gitlib_open(spec->repo, &repo, err) < 0 ||
	    gitlib_paths(spec->paths, spec->n_paths, &paths, err) < 0 ||
	    ends_resolve(repo, spec, &ends, err) < 0)
		return -1;
	if (spec->cache_dir)
		kept = kept_find(spec->cache_dir, repo, &ends, &paths, spec->first_parent);
	r = kept ? kept_load(kept, repo) : NULL;
	if (r && !r->n && !spec->may_be_empty) {
		/* Why no commit changes the paths is for the walk to say. */
		range_destroy(take_ptr(r));
	}
	if (!r) {
		if (range_make(repo, spec, &ends, &paths, &r, err) < 0)
			return -1;
		if (kept)
			kept_save(kept, r, NULL);
	}
	r->kept = take_ptr(kept);
	*ret = r;
	return 0;
}
