// SPDX-License-Identifier: GPL-2.0-or-later
/* A commit as a patch, for a tree of another repository: see change.h. */
#include <git2.h>

#include "base/cleanup.h"
#include "range/change/change.h"
#include "range/change/identity.h"
#include "range/change/view.h"
#include "range/gitlib.h"

static int tell(const struct view *v, const char *id, struct err *err)
{
	return err_set(err, ERR_HOST,
		       "the change of %.12s in %s cannot be read (%s); check with git fsck", id,
		       gitlib_place(v->repo), gitlib_words());
}

bool change_is_binary(const git_diff *diff)
{
	for (size_t i = 0; i < git_diff_num_deltas(diff); i++)
		if (git_diff_get_delta(diff, i)->flags & GIT_DIFF_FLAG_BINARY)
			return true;
	return false;
}

static int to_text(git_diff *diff, struct buf *ret)
{
	git_buf text = { 0 };
	int rc = git_diff_to_buf(&text, diff, GIT_DIFF_FORMAT_PATCH);

	if (rc == 0)
		buf_add(ret, text.ptr, text.size);
	git_buf_dispose(&text);
	return rc;
}

int change_patch(const char *repo, const char *id, struct buf *ret, struct err *err)
{
	_cleanup_(view_trees_deinit) struct view_trees trees = { 0 };
	_cleanup_(git_tree_free_p) git_tree *from = NULL;
	_cleanup_(git_tree_free_p) git_tree *to = NULL;
	_cleanup_(git_diff_free_p) git_diff *diff = NULL;
	_cleanup_(view_deinit) struct view v = { 0 };
	git_diff_options options;
	int rc;

	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	if (view_open(repo, &v, err) < 0 || view_trees(&v, id, &trees, err) < 0)
		return -1;
	if (trees.n_parents != 1)
		return 1;
	if (git_tree_lookup(&from, v.repo, &trees.parents[0]) < 0 ||
	    git_tree_lookup(&to, v.repo, &trees.own) < 0 ||
	    git_diff_tree_to_tree(&diff, v.repo, from, to, &options) < 0)
		return tell(&v, id, err);
	rc = to_text(diff, ret);
	if (rc == GIT_ENOTFOUND) /* a partial clone has not all contents */
		return 1;
	return rc < 0 ? tell(&v, id, err) : change_is_binary(diff);
}
