// SPDX-License-Identifier: GPL-2.0-or-later
/* Trees as patches look at them: see trees.h. */
#include "range/patch/trees.h"

#include <string.h>

int trees_find(git_repository *repo, const git_tree *tree, const char *path, uint32_t *mode,
	       git_oid *ret, struct err *err)
{
	_cleanup_(git_tree_free_p) git_tree *owned = NULL;

	*mode = GIT_FILEMODE_TREE;
	git_oid_cpy(ret, git_tree_id(tree));
	while (*path) {
		size_t len = strcspn(path, "/");
		_cleanup_free_ char *name = xstrndup(path, len);
		const git_tree_entry *e = git_tree_entry_byname(tree, name);
		git_tree *sub = NULL;
		int rc;

		path += len;
		*mode = e ? (uint32_t)git_tree_entry_filemode(e) : 0;
		if (e)
			git_oid_cpy(ret, git_tree_entry_id(e));
		if (!*path)
			return 0;
		path++;
		if (*mode != GIT_FILEMODE_TREE) {
			*mode = 0;
			return 0;
		}
		rc = git_tree_lookup(&sub, repo, ret);
		if (rc < 0)
			return gitlib_object_fail(repo, "tree", ret, rc, err);
		git_tree_free(owned);
		tree = owned = sub;
	}
	return 0;
}

int trees_differ(git_repository *repo, const git_oid *from, const git_oid *to, struct strv *ret,
		 struct err *err)
{
	_cleanup_(git_tree_free_p) git_tree *a = NULL;
	_cleanup_(git_tree_free_p) git_tree *b = NULL;
	_cleanup_(git_diff_free_p) git_diff *diff = NULL;
	git_diff_options opts;

	git_diff_options_init(&opts, GIT_DIFF_OPTIONS_VERSION);
	opts.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_SKIP_BINARY_CHECK;
	opts.ignore_submodules = GIT_SUBMODULE_IGNORE_NONE;
	if ((from && git_tree_lookup(&a, repo, from) < 0) || git_tree_lookup(&b, repo, to) < 0 ||
	    git_diff_tree_to_tree(&diff, repo, a, b, &opts) < 0)
		return err_set(err, ERR_HOST,
			       "two trees cannot be compared (%s); check with git "
			       "fsck",
			       gitlib_words());
	for (size_t i = 0; i < git_diff_num_deltas(diff); i++)
		strv_add(ret, git_diff_get_delta(diff, i)->new_file.path);
	return 0;
}
