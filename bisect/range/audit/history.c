// SPDX-License-Identifier: GPL-2.0-or-later
/* All of a history that touches some paths: a range with no old end. */
#include "range/audit/audit.h"
#include "range/cache/cache.h"
#include "range/make.h"
#include "range/walk/revision.h"

int audit_history(const struct range_spec *spec, struct range **ret, struct err *err)
{
	__attribute__((cleanup(ends_deinit))) struct ends ends = { 0 };
	_cleanup_(git_repository_free_p) git_repository *repo = NULL;
	_cleanup_(kept_destroy_p) struct kept *kept = NULL;
	_cleanup_strv_ struct strv paths = { 0 };
	struct range_spec whole = *spec;
	struct range *r;

	whole.good = NULL;
	whole.n_good = 0;
	whole.may_be_empty = true;
	if (gitlib_open(spec->repo, &repo, err) < 0 ||
	    gitlib_paths(spec->paths, spec->n_paths, &paths, err) < 0)
		return -1;
	if (git_repository_is_shallow(repo) == 1)
		return err_set(err, ERR_USAGE,
			       "%s is a shallow clone, its history is cut off; git -C '%s' fetch "
			       "--unshallow",
			       gitlib_place(repo), gitlib_place(repo));
	if (revision_resolve(repo, spec->bad, &ends.bad, err) < 0)
		return -1;
	if (spec->cache_dir)
		kept = kept_find(spec->cache_dir, repo, &ends, &paths, spec->first_parent);
	r = kept ? kept_load(kept, repo) : NULL;
	if (!r) {
		if (range_make(repo, &whole, &ends, &paths, &r, err) < 0)
			return -1;
		if (kept)
			kept_save(kept, r, NULL);
	}
	r->kept = take_ptr(kept);
	*ret = r;
	return 0;
}
