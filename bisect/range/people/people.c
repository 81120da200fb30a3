// SPDX-License-Identifier: GPL-2.0-or-later
/* Authors, messages and the user: see people.h. */
#include "range/people/people.h"

#include <stdlib.h>

#include "range/change/view.h"
#include "range/gitlib.h"

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
