// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a patch meets a tree: files are read from it, changed in memory, and written into a new tree.
 *
 * A patch's files are taken in order, each on top of those before, so that a series in one file works.
 * Two files that change their names with each other are more than that: they are refused, where git
 * takes them.
 */
#include "range/patch/onto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "range/patch/trees.h"

#define MODE_TYPE 0170000

/* What a file has become so far. */
struct state {
	char *path;    /* owned */
	uint32_t mode; /* 0: gone */
	struct buf text;
};

struct laying {
	git_repository *repo;
	git_tree *tree;
	struct state *states; /* [n] */
	size_t n;
	bool reverse;
	uint64_t *moved;
	struct onto_misfit *why;
};

static void laying_deinit(struct laying *l)
{
	for (size_t i = 0; i < l->n; i++) {
		free(l->states[i].path);
		buf_deinit(&l->states[i].text);
	}
	free(l->states);
	git_tree_free(l->tree);
}

__attribute__((format(printf, 2, 3))) static enum onto_rc misfit(struct onto_misfit *why,
								 const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why->where, sizeof(why->where), fmt, ap);
	va_end(ap);
	return ONTO_MISFIT;
}

static struct state *find_state(struct laying *l, const char *path)
{
	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->states[i].path, path) == 0)
			return &l->states[i];
	return NULL;
}

/* @text: taken over */
static void set_state(struct laying *l, const char *path, uint32_t mode, struct buf *text)
{
	struct state *s = find_state(l, path);

	if (!s) {
		l->states = xrealloc(l->states, l->n + 1, sizeof(*s));
		s = &l->states[l->n++];
		*s = (struct state){ .path = xstrdup(path) };
	}
	buf_deinit(&s->text);
	s->mode = mode;
	if (text) {
		s->text = *text;
		*text = (struct buf){ 0 };
	}
}

/* What is called @path now; a mode of 0: nothing. */
static int look(struct laying *l, const char *path, uint32_t *mode, struct buf *ret,
		struct err *err)
{
	const struct state *s = find_state(l, path);
	_cleanup_(git_blob_free_p) git_blob *blob = NULL;
	git_oid id;
	int rc;

	if (s) {
		*mode = s->mode;
		buf_add(ret, s->text.data, s->text.len);
		return 0;
	}
	if (trees_find(l->repo, l->tree, path, mode, &id, err) < 0)
		return -1;
	if (!*mode || *mode == GIT_FILEMODE_TREE || *mode == GIT_FILEMODE_COMMIT)
		return 0;
	rc = git_blob_lookup(&blob, l->repo, &id);
	if (rc < 0)
		return gitlib_object_fail(l->repo, "file", &id, rc, err);
	buf_add(ret, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob));
	return 0;
}

static enum onto_rc look_at_old(struct laying *l, const char *name, uint32_t said, uint32_t *mode,
				struct buf *ret, struct err *err)
{
	if (look(l, name, mode, ret, err) < 0)
		return ONTO_FAILED;
	if (!*mode)
		return misfit(l->why, "%s is not there", name);
	if (*mode == GIT_FILEMODE_TREE || *mode == GIT_FILEMODE_COMMIT)
		return misfit(l->why, "%s is no file", name);
	if (said && (said ^ *mode) & MODE_TYPE)
		return misfit(l->why, "%s is %s", name,
			      *mode == GIT_FILEMODE_LINK ? "a link" : "no link");
	return ONTO_DONE;
}

static enum onto_rc look_for_room(struct laying *l, const char *name, struct err *err)
{
	_cleanup_buf_ struct buf ignored = { 0 };
	uint32_t mode = 0;

	if (look(l, name, &mode, &ignored, err) < 0)
		return ONTO_FAILED;
	/* A directory may lose its last file to the same patch, which shows when it is written. */
	return mode && mode != GIT_FILEMODE_TREE ? misfit(l->why, "%s is there already", name)
						 : ONTO_DONE;
}

static enum onto_rc lay_file(struct laying *l, const struct diff_file *f, struct err *err)
{
	bool undo_copy = l->reverse && f->copied;
	const char *old = l->reverse ? f->new_name : f->old_name;
	const char *new = l->reverse ? (undo_copy ? NULL : f->old_name) : f->new_name;
	uint32_t old_said = l->reverse ? f->new_mode : f->old_mode;
	uint32_t new_said = l->reverse ? f->old_mode : f->new_mode;
	_cleanup_buf_ struct buf text = { 0 };
	_cleanup_buf_ struct buf result = { 0 };
	enum onto_rc rc = ONTO_DONE;
	uint32_t mode = 0;
	size_t hunk;

	if (l->reverse && !old_said)
		old_said = f->old_mode;
	if (old)
		rc = look_at_old(l, old, old_said, &mode, &text, err);
	if (rc == ONTO_DONE && new && (!old || strcmp(old, new) != 0))
		rc = look_for_room(l, new, err);
	if (rc != ONTO_DONE)
		return rc;
	hunk = diff_fit(f, l->reverse, text.data ? text.data : "", text.len, &result, l->moved);
	if (hunk) {
		const struct diff_hunk *h = &f->hunks[hunk - 1];

		return misfit(l->why, "%s, hunk %zu at line %u", old ? old : new, hunk,
			      l->reverse ? h->new_start : h->old_start);
	}
	if (!new && !undo_copy && result.len)
		return misfit(l->why, "%s holds more than what is to go", old);
	if (old && (!new || (strcmp(old, new) != 0 && (l->reverse || !f->copied))))
		set_state(l, old, 0, NULL);
	if (new)
		set_state(l, new, new_said ? new_said : mode ? mode : GIT_FILEMODE_BLOB, &result);
	return ONTO_DONE;
}

static enum onto_rc write_states(struct laying *l, const git_oid *tree, git_oid *ret,
				 struct err *err)
{
	_cleanup_free_ struct onto_update *updates = xcalloc(l->n + 1, sizeof(*updates));

	for (size_t i = 0; i < l->n; i++) {
		const struct state *s = &l->states[i];

		updates[i] = (struct onto_update){ .path = s->path, .mode = s->mode };
		if (s->mode &&
		    git_blob_create_from_buffer(&updates[i].id, l->repo,
						s->text.data ? s->text.data : "", s->text.len) < 0)
			return err_set(err, ERR_HOST, "%s cannot be kept in memory (%s)", s->path,
				       gitlib_words());
	}
	return onto_write(l->repo, tree, updates, l->n, ret, l->why, err);
}

enum onto_rc onto_diff(git_repository *repo, const git_oid *tree, const struct diff *d,
		       bool reverse, git_oid *ret, uint64_t *moved, struct onto_misfit *why,
		       struct err *err)
{
	_cleanup_(laying_deinit) struct laying l = {
		.repo = repo, .reverse = reverse, .moved = moved, .why = why
	};
	int rc = git_tree_lookup(&l.tree, repo, tree);

	*moved = 0;
	if (rc < 0)
		return gitlib_object_fail(repo, "tree", tree, rc, err);
	for (size_t i = 0; i < d->n; i++) {
		enum onto_rc done = lay_file(&l, &d->files[reverse ? d->n - 1 - i : i], err);

		if (done != ONTO_DONE)
			return done;
	}
	return write_states(&l, tree, ret, err);
}

/* Files that go first: what comes may need their place. */
static int update_some(git_repository *repo, const git_oid *tree, const struct onto_update *updates,
		       size_t n, bool going, git_oid *ret)
{
	_cleanup_free_ git_tree_update *todo = xcalloc(n + 1, sizeof(*todo));
	_cleanup_(git_tree_free_p) git_tree *base = NULL;
	struct err ignored = { 0 };
	size_t n_todo = 0;
	int rc = git_tree_lookup(&base, repo, tree);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		uint32_t mode = 0;
		git_oid id;

		if (going != !updates[i].mode)
			continue;
		/* What came and went within the patch is not there to be removed. */
		if (going && trees_find(repo, base, updates[i].path, &mode, &id, &ignored) < 0)
			return -1;
		if (going && !mode)
			continue;
		todo[n_todo++] = (git_tree_update){
			.action = going ? GIT_TREE_UPDATE_REMOVE : GIT_TREE_UPDATE_UPSERT,
			.id = updates[i].id,
			.filemode = (git_filemode_t)updates[i].mode,
			.path = updates[i].path,
		};
	}
	git_oid_cpy(ret, tree);
	if (rc == 0 && n_todo)
		rc = git_tree_create_updated(ret, repo, base, n_todo, todo);
	return rc;
}

enum onto_rc onto_write(git_repository *repo, const git_oid *tree,
			const struct onto_update *updates, size_t n, git_oid *ret,
			struct onto_misfit *why, struct err *err)
{
	const git_error *e;
	git_oid without;

	git_error_clear();
	if (update_some(repo, tree, updates, n, true, &without) == 0 &&
	    update_some(repo, &without, updates, n, false, ret) == 0)
		return ONTO_DONE;
	e = git_error_last();
	if (e && e->klass == GIT_ERROR_TREE)
		return misfit(why, "a file and a directory would have the same name (%s)",
			      gitlib_words());
	return err_set(err, ERR_HOST,
		       "the trees that a patch changes cannot be read (%s); check with git fsck",
		       gitlib_words());
}
