// SPDX-License-Identifier: GPL-2.0-or-later
/* Authors, messages and the user: see people.h. */
#include "range/people/people.h"

#include <stdlib.h>

#include "range/change/view.h"
#include "range/gitlib.h"

#define CHANGED_FILE_MAX (4 << 20) /* what is larger counts as binary */

void people_commit_deinit(struct people_commit *c)
{
	free(c->author_name);
	free(c->author_email);
	free(c->message);
}

int people_commit(const char *repo, const char *id, struct people_commit *ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	const git_signature *author;

	if (gitlib_open(repo, &git, err) < 0 || gitlib_commit_hex(git, id, &commit, err) < 0)
		return -1;
	author = git_commit_author(commit);
	ret->author_name = xstrdup(author && author->name ? author->name : "");
	ret->author_email = xstrdup(author && author->email ? author->email : "");
	ret->message = xstrdup(git_commit_message(commit));
	return 0;
}

struct files {
	struct strv *ret;
	size_t left;
};

static int add_file(void *arg, const struct tree_change *c, struct err *err)
{
	struct files *f = arg;

	(void)err;
	if (!f->left)
		return 1;
	f->left--;
	strv_add(f->ret, c->path);
	return 0;
}

int people_files(const char *repo, const char *id, size_t max, struct strv *ret, struct err *err)
{
	_cleanup_(view_deinit) struct view v = { 0 };
	_cleanup_(view_trees_deinit) struct view_trees trees = { 0 };
	struct files f = { .ret = ret, .left = max };
	struct treediff_ask ask = { .changed = add_file, .arg = &f };

	if (view_open(repo, &v, err) < 0 || view_trees(&v, id, &trees, err) < 0)
		return -1;
	return treediff_run(v.diff, trees.n_parents ? &trees.parents[0] : NULL, &trees.own, &ask,
			    err) < 0
		       ? -1
		       : 0;
}

struct changes {
	struct buf *ret;
	size_t max;
};

static int add_change(const git_diff_delta *delta, const git_diff_hunk *hunk,
		      const git_diff_line *l, void *arg)
{
	struct changes *c = arg;

	(void)delta;
	(void)hunk;
	if (l->origin != GIT_DIFF_LINE_ADDITION && l->origin != GIT_DIFF_LINE_DELETION)
		return 0;
	buf_add(c->ret, l->content, l->content_len);
	if (l->content_len && l->content[l->content_len - 1] != '\n')
		buf_puts(c->ret, "\n");
	return c->ret->len >= c->max;
}

static int trees_of(git_repository *git, const char *id, git_tree **from, git_tree **to,
		    struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	_cleanup_(git_commit_free_p) git_commit *parent = NULL;

	if (gitlib_commit_hex(git, id, &commit, err) < 0)
		return -1;
	if (git_commit_tree(to, commit) < 0 ||
	    (git_commit_parentcount(commit) &&
	     (git_commit_parent(&parent, commit, 0) < 0 || git_commit_tree(from, parent) < 0)))
		return err_set(err, ERR_HOST,
			       "cannot read the trees of %.12s (%s); check with git fsck", id,
			       gitlib_words());
	return 0;
}

int people_changes(const char *repo, const char *id, const struct strv *files, size_t max,
		   struct buf *ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_tree_free_p) git_tree *from = NULL;
	_cleanup_(git_tree_free_p) git_tree *to = NULL;
	_cleanup_(git_diff_free_p) git_diff *diff = NULL;
	struct changes c = { .ret = ret, .max = ret->len + max };
	git_diff_options o;
	int rc;

	git_diff_options_init(&o, GIT_DIFF_OPTIONS_VERSION);
	o.flags = GIT_DIFF_DISABLE_PATHSPEC_MATCH;
	o.context_lines = 0;
	o.max_size = CHANGED_FILE_MAX;
	o.pathspec = (git_strarray){ .strings = files->items, .count = files->n };
	if (gitlib_open(repo, &git, err) < 0 || trees_of(git, id, &from, &to, err) < 0)
		return -1;
	rc = git_diff_tree_to_tree(&diff, git, from, to, &o);
	if (rc == 0)
		rc = git_diff_foreach(diff, NULL, NULL, NULL, add_change, &c);
	return rc < 0 && rc != GIT_EUSER
		       ? err_set(err, ERR_HOST,
				 "cannot compare %.12s with its parent (%s); check with git fsck",
				 id, gitlib_words())
		       : 0;
}

static char *value_of(git_config *config, const char *key)
{
	const char *value;

	return git_config_get_string(&value, config, key) == 0 && *value ? xstrdup(value) : NULL;
}

void people_user(const char *repo, char **name, char **email)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_config_free_p) git_config *config = NULL;
	_cleanup_(git_config_free_p) git_config *snapshot = NULL;
	struct err ignored;

	gitlib_init();
	if (repo && gitlib_open(repo, &git, &ignored) == 0)
		git_repository_config(&config, git);
	if (!config && git_config_open_default(&config) < 0)
		return;
	if (git_config_snapshot(&snapshot, config) < 0)
		return;
	*name = value_of(snapshot, "user.name");
	*email = value_of(snapshot, "user.email");
}
