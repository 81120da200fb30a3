// SPDX-License-Identifier: GPL-2.0-or-later
#include "unit/range/patch_kit.h"

#include "base/cleanup.h"
#include "range/gitlib.h"
#include "range/patch/patched.h"
#include "unit/range/kit.h"

struct patches *patch_kit_open(const char *repo, const char *text)
{
	struct patches *p = NULL;
	struct err err = { 0 };

	if (patches_open(repo, &text, 1, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

char *patch_kit_tree(const char *repo, const struct patches *p, const char *id, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_tree_free_p) git_tree *tree = NULL;
	char hex[COMMIT_ID_SIZE];

	if (patched_open(repo, &git, err) < 0 || patched_tree(git, p, id, &tree, err) < 0)
		return NULL;
	gitlib_hex(git_tree_id(tree), hex);
	return xstrdup(hex);
}
