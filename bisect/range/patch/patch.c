// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Between range and build: what a candidate becomes with its patches.
 *
 * Each question opens the repository anew, with its writes kept in memory, so nothing grows over a long
 * run and nothing reaches the disk. What is remembered are answers: which patches a commit gets, which is
 * the dear part where history has to be walked, and its key.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "base/stop.h"
#include "range/content.h"
#include "range/objects/backend.h"
#include "range/patch/item.h"
#include "range/patch/onto.h"
#include "range/patch/patched.h"
#include "range/range.h"

#define ANSWERS 16 /* a bisect asks for a few commits at a time */

/* What is known of a commit. */
struct answer {
	char id[COMMIT_ID_SIZE]; /* "": nothing */
	bool *gets;		 /* [n], owned */
	struct err err;		 /* ERR_BUILD: it cannot have them all */
	char paths[65];		 /* which the key is for; "": none yet */
	char key[65];
};

struct memory {
	pthread_mutex_t lock; /* over all below */
	struct answer answers[ANSWERS];
	unsigned int oldest;
};

struct patches {
	char *repo;
	struct item *items; /* [n] */
	size_t n;
	char digest[65];
	struct memory *memory;
};

static int open_all(struct patches *p, const char *const *texts, size_t n, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_buf_ struct buf text = { 0 };

	if (n && gitlib_open(p->repo, &git, err) < 0)
		return -1;
	p->items = xcalloc(n + 1, sizeof(*p->items));
	for (; p->n < n; p->n++) {
		if (item_open(git, p->repo, texts[p->n], &p->items[p->n], err) < 0)
			return -1;
		item_identity(&p->items[p->n], &text);
	}
	fs_sha256_text(text.data ? text.data : "", text.len, p->digest);
	return 0;
}

int patches_open(const char *repo, const char *const *texts, size_t n, struct patches **ret,
		 struct err *err)
{
	_cleanup_(patches_destroy_p) struct patches *p = xcalloc(1, sizeof(*p));

	p->repo = xstrdup(repo);
	p->memory = xcalloc(1, sizeof(*p->memory));
	pthread_mutex_init(&p->memory->lock, NULL);
	if (open_all(p, texts, n, err) < 0)
		return -1;
	*ret = take_ptr(p);
	return 0;
}

void patches_destroy(struct patches *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n; i++)
		item_deinit(&p->items[i]);
	for (size_t i = 0; i < ANSWERS; i++)
		free(p->memory->answers[i].gets);
	pthread_mutex_destroy(&p->memory->lock);
	free(p->memory);
	free(p->items);
	free(p->repo);
	free(p);
}

const char *patches_digest(const struct patches *p)
{
	return p->digest;
}

static bool is_below(const struct strv *limits, const char *path)
{
	for (size_t i = 0; i < limits->n; i++) {
		size_t len = strlen(limits->items[i]);

		if (!len ||
		    (strncmp(path, limits->items[i], len) == 0 && (path[len] == '/' || !path[len])))
			return true;
	}
	return false;
}

int patches_check_paths(const struct patches *p, const char *const *paths, size_t n_paths,
			struct err *err)
{
	_cleanup_strv_ struct strv limits = { 0 };

	if (!p || !n_paths)
		return 0;
	if (gitlib_paths(paths, n_paths, &limits, err) < 0)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < p->items[i].paths.n; k++) {
			const char *path = p->items[i].paths.items[k];

			if (!is_below(&limits, path))
				return err_set(err, ERR_USAGE,
					       "--apply %s changes %s, which an overlay does not "
					       "take from a commit; add --path %s, or --tree whole",
					       p->items[i].name, path, path);
		}
	return 0;
}

int patched_open(const char *repo, git_repository **ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;

	if (gitlib_open(repo, &git, err) < 0)
		return -1;
	if (backend_add(git, true) < 0)
		return err_set(err, ERR_HOST, "the objects of %s cannot be read (%s)", repo,
			       gitlib_words());
	*ret = take_ptr(git);
	return 0;
}

/* Under the lock; NULL: nothing is known. */
static struct answer *find_answer(const struct patches *p, const char *id)
{
	for (size_t i = 0; i < ANSWERS; i++)
		if (strcmp(p->memory->answers[i].id, id) == 0)
			return &p->memory->answers[i];
	return NULL;
}

/* Return: whether the commit is known; @gets: [n] */
static bool recall(const struct patches *p, const char *id, bool *gets, struct err *why)
{
	const struct answer *a;

	pthread_mutex_lock(&p->memory->lock);
	a = find_answer(p, id);
	if (a) {
		memcpy(gets, a->gets, p->n * sizeof(*gets));
		*why = a->err;
	}
	pthread_mutex_unlock(&p->memory->lock);
	return a;
}

static void remember(const struct patches *p, const char *id, const bool *gets,
		     const struct err *why)
{
	struct memory *m = p->memory;

	pthread_mutex_lock(&m->lock);
	if (!find_answer(p, id)) {
		struct answer *a = &m->answers[m->oldest++ % ANSWERS];

		free(a->gets);
		*a = (struct answer){ .err = *why };
		str_copy(a->id, sizeof(a->id), id);
		a->gets = xcalloc(p->n + 1, sizeof(*a->gets));
		memcpy(a->gets, gets, p->n * sizeof(*gets));
	}
	pthread_mutex_unlock(&m->lock);
}

/* 1: all conditions hold; 0: not; -1 */
static int is_wanted(const struct patches *p, const struct item *i, const char *id, struct err *err)
{
	int has = i->diff.n ? 0 : range_is_ancestor(p->repo, i->id, id, err);

	for (size_t k = 0; has == 0 && k < i->unless_has.n; k++)
		has = range_is_ancestor(p->repo, i->unless_has.items[k], id, err);
	if (has)
		return has < 0 ? -1 : 0;
	for (size_t k = 0; k < i->if_has.n; k++) {
		has = range_is_ancestor(p->repo, i->if_has.items[k], id, err);
		if (has <= 0)
			return has;
	}
	return 1;
}

/* @tree: replaced by what it becomes */
static enum onto_rc lay_diff(git_repository *git, const struct item *i, git_oid *tree,
			     struct onto_misfit *why, struct err *err)
{
	struct onto_misfit ignored = { 0 };
	uint64_t moved = 0, back = 0;
	git_oid with, without;
	enum onto_rc rc = onto_diff(git, tree, &i->diff, false, &with, &moved, why, err);
	enum onto_rc undo;

	if (rc == ONTO_FAILED || (rc == ONTO_DONE && !moved)) {
		if (rc == ONTO_DONE)
			git_oid_cpy(tree, &with);
		return rc;
	}
	undo = onto_diff(git, tree, &i->diff, true, &without, &back, &ignored, err);
	if (undo == ONTO_FAILED || (undo == ONTO_DONE && (rc == ONTO_MISFIT || back < moved)))
		return undo;
	if (rc == ONTO_DONE)
		git_oid_cpy(tree, &with);
	return rc;
}

static int apply(git_repository *git, const struct item *i, const char *id, git_oid *tree,
		 bool *gets, struct err *err)
{
	struct onto_misfit why = { 0 };
	git_oid before = *tree;
	enum onto_rc rc;

	if (i->diff.n)
		rc = lay_diff(git, i, tree, &why, err);
	else
		rc = onto_pick(git, &before, i->is_root ? NULL : &i->from, &i->to, &i->paths, tree,
			       NULL, &why, err);
	*gets = rc == ONTO_DONE && !git_oid_equal(&before, tree);
	if (rc == ONTO_MISFIT)
		return err_set(err, ERR_BUILD,
			       "%s does not apply to %.12s: %s; give one that does, or limit it by "
			       "if-has or unless-has",
			       i->name, id, why.where);
	return rc == ONTO_DONE ? 0 : -1;
}

/* @gets: [n]; if @known, these are applied, else they are found out */
static int apply_all(git_repository *git, const struct patches *p, const char *id, bool known,
		     bool *gets, git_oid *tree, struct err *err)
{
	for (size_t i = 0; i < p->n; i++) {
		int wanted = known ? gets[i] : is_wanted(p, &p->items[i], id, err);

		gets[i] = false;
		if (wanted < 0 || stop_check(err) < 0)
			return -1;
		if (wanted && apply(git, &p->items[i], id, tree, &gets[i], err) < 0)
			return -1;
	}
	return 0;
}

/* @ret: root tree; @gets: [n] */
static int find_tree(git_repository *git, const struct patches *p, const char *id, git_oid *ret,
		     bool *gets, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	struct err why = { 0 };
	bool known = recall(p, id, gets, &why);
	git_oid tree;

	if (known && why.kind) {
		*err = why;
		return -1;
	}
	if (gitlib_commit_hex(git, id, &commit, err) < 0)
		return -1;
	git_oid_cpy(&tree, git_commit_tree_id(commit));
	if (apply_all(git, p, id, known, gets, &tree, &why) < 0) {
		if (why.kind == ERR_BUILD)
			remember(p, id, gets, &why);
		*err = why;
		return -1;
	}
	remember(p, id, gets, &why);
	git_oid_cpy(ret, &tree);
	return 0;
}

int patched_tree(git_repository *git, const struct patches *p, const char *id, git_tree **ret,
		 struct err *err)
{
	_cleanup_free_ bool *gets = xcalloc((p ? p->n : 0) + 1, sizeof(*gets));
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	git_oid tree;
	int rc;

	if (p && p->n) {
		if (find_tree(git, p, id, &tree, gets, err) < 0)
			return -1;
	} else {
		if (gitlib_commit_hex(git, id, &commit, err) < 0)
			return -1;
		git_oid_cpy(&tree, git_commit_tree_id(commit));
	}
	rc = git_tree_lookup(ret, git, &tree);
	return rc < 0 ? gitlib_object_fail(git, "tree", &tree, rc, err) : 0;
}

int patches_for(const struct patches *p, const char *id, struct strv *ret, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_free_ bool *gets = NULL;
	struct err why = { 0 };
	git_oid tree;

	if (!p || !p->n)
		return 0;
	gets = xcalloc(p->n, sizeof(*gets));
	if (!recall(p, id, gets, &why)) {
		if (patched_open(p->repo, &git, err) < 0 ||
		    find_tree(git, p, id, &tree, gets, err) < 0)
			return -1;
	} else if (why.kind) {
		*err = why;
		return -1;
	}
	for (size_t i = 0; i < p->n; i++)
		if (gets[i])
			strv_add(ret, p->items[i].name);
	return 0;
}

static void hash_paths(const char *repo, const char *const *paths, size_t n, char ret[65])
{
	_cleanup_buf_ struct buf b = { 0 };

	buf_printf(&b, "%s\n", repo);
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s\n", paths[i]);
	fs_sha256_text(b.data, b.len, ret);
}

static bool recall_key(const struct patches *p, const char *id, const char *paths, char ret[65])
{
	const struct answer *a;
	bool known;

	pthread_mutex_lock(&p->memory->lock);
	a = find_answer(p, id);
	known = a && strcmp(a->paths, paths) == 0;
	if (known)
		str_copy(ret, 65, a->key);
	pthread_mutex_unlock(&p->memory->lock);
	return known;
}

static void remember_key(const struct patches *p, const char *id, const char *paths,
			 const char *key)
{
	struct answer *a;

	pthread_mutex_lock(&p->memory->lock);
	a = find_answer(p, id);
	if (a) {
		str_copy(a->paths, sizeof(a->paths), paths);
		str_copy(a->key, sizeof(a->key), key);
	}
	pthread_mutex_unlock(&p->memory->lock);
}

int patches_content_key(const char *repo, const struct patches *p, const char *id,
			const char *const *paths, size_t n_paths, char ret[65], struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_tree_free_p) git_tree *tree = NULL;
	char asked[65];

	if (!p || !p->n)
		return range_content_key(repo, id, paths, n_paths, ret, err);
	hash_paths(repo, paths, n_paths, asked);
	if (recall_key(p, id, asked, ret))
		return 0;
	if (patched_open(repo, &git, err) < 0 || patched_tree(git, p, id, &tree, err) < 0 ||
	    content_key(git, tree, paths, n_paths, ret, err) < 0)
		return -1;
	remember_key(p, id, asked, ret);
	return 0;
}
