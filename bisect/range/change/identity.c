// SPDX-License-Identifier: GPL-2.0-or-later
/* A commit as a change that other trees may hold as well. */
#include "range/change/identity.h"

#include <assert.h>
#include <string.h>

#include "range/change/trailers.h"

static const char *const how_names[] = {
	[SAME_NOT] = "not",	     [SAME_COMMIT] = "commit",	[SAME_UPSTREAM] = "upstream",
	[SAME_PICK] = "cherry-pick", [SAME_PATCH] = "patch-id",
};
static_assert(ARRAY_SIZE(how_names) == SAME_HOWS, "a way to be the same has no name");

const char *same_how_name(enum same_how how)
{
	return (unsigned int)how < SAME_HOWS ? how_names[how] : "unknown";
}

void identity_deinit(struct identity *i)
{
	free(i->subject);
	*i = (struct identity){ 0 };
}

static int diff_of(struct view *v, const struct view_trees *trees, git_diff **ret, struct err *err)
{
	_cleanup_(git_tree_free_p) git_tree *from = NULL;
	_cleanup_(git_tree_free_p) git_tree *to = NULL;
	git_diff_options options;

	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	/* As git has it since 2.14, diff.indentHeuristic: it decides where a hunk begins. */
	options.flags = GIT_DIFF_INDENT_HEURISTIC;
	if (git_tree_lookup(&from, v->repo, &trees->parents[0]) < 0 ||
	    git_tree_lookup(&to, v->repo, &trees->own) < 0 ||
	    git_diff_tree_to_tree(ret, v->repo, from, to, &options) < 0)
		return err_set(err, ERR_HOST,
			       "two trees of %s cannot be compared (%s); check with git fsck",
			       gitlib_place(v->repo), gitlib_words());
	return 0;
}

int identity_patch_id(struct view *v, const struct view_trees *trees, char ret[COMMIT_ID_SIZE],
		      struct err *err)
{
	_cleanup_(git_diff_free_p) git_diff *diff = NULL;
	git_oid id;
	int rc;

	*ret = '\0';
	if (trees->n_parents != 1)
		return 0;
	if (diff_of(v, trees, &diff, err) < 0)
		return -1;
	if (!git_diff_num_deltas(diff))
		return 0;
	rc = git_diff_patchid(&id, diff, NULL);
	if (rc == GIT_ENOTFOUND) /* a partial clone has not all contents */
		return 0;
	if (rc < 0)
		return err_set(err, ERR_HOST,
			       "a change in %s cannot be read (%s); check with git fsck",
			       gitlib_place(v->repo), gitlib_words());
	/* libgit2 hashes the name of a binary file and nothing of its content */
	if (!change_is_binary(diff))
		gitlib_hex(&id, ret);
	return 0;
}

int identity_of(const char *repo, const char *id, struct identity *ret, struct err *err)
{
	_cleanup_(view_trees_deinit) struct view_trees trees = { 0 };
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	_cleanup_(view_deinit) struct view v = { 0 };
	struct identity i = { 0 };
	const char *message;

	if (view_open(repo, &v, err) < 0 || gitlib_commit_hex(v.repo, id, &commit, err) < 0 ||
	    view_trees(&v, id, &trees, err) < 0 ||
	    identity_patch_id(&v, &trees, i.patch_id, err) < 0)
		return -1;
	message = git_commit_message(commit);
	i.how = trailers_parse(message, strlen(message), i.upstream);
	i.subject = subject_of(commit);
	str_copy(i.id, sizeof(i.id), id);
	*ret = i;
	return 0;
}

bool identity_names(const char *named, const char *id)
{
	return *named && *id && (str_starts(id, named) || str_starts(named, id));
}

enum same_how identity_same(const struct identity *a, const struct identity *b)
{
	if (strcmp(a->id, b->id) == 0)
		return SAME_COMMIT;
	if (identity_names(a->upstream, b->id))
		return a->how;
	if (identity_names(b->upstream, a->id))
		return b->how;
	if (identity_names(a->upstream, b->upstream)) /* as sure as the less sure of the two */
		return a->how > b->how ? a->how : b->how;
	if (*a->patch_id && strcmp(a->patch_id, b->patch_id) == 0)
		return SAME_PATCH;
	return SAME_NOT;
}
