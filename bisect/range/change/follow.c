// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The other names of files: amdgpu_mn.c was what amdgpu_hmm.c is.
 *
 * Round by round: the range limited to the names found last gives the few commits where one of them
 * appears or vanishes, and only those are searched for what the file was before or became.
 */
#include <string.h>

#include "base/stop.h"
#include "range/change/change.h"
#include "range/change/view.h"
#include "range/walk/revision.h"

/*
 * Files whose content is compared with one that appears or vanishes; as git has it, diff.renameLimit.
 * Equal content is found beyond that.
 */
#define RENAME_LIMIT 1000

struct follow {
	struct view *view;
	struct strv *names;	/* all so far; @given of them come first and may be directories */
	const char *const *now; /* [n_now] names of this round */
	size_t n_now;
};

/* What one commit adds and takes away. */
struct moves {
	struct tree_file {
		char *path;
		git_oid id;
	} * items;
	size_t n, cap;
};

struct commit_moves {
	struct moves added, gone;
};

static void moves_add(struct moves *m, const char *path, const git_oid *id)
{
	if (m->n == m->cap) {
		m->cap = m->cap ? 2 * m->cap : 64;
		m->items = xrealloc(m->items, m->cap, sizeof(*m->items));
	}
	m->items[m->n].path = xstrdup(path);
	git_oid_cpy(&m->items[m->n++].id, id);
}

static void moves_deinit(struct moves *m)
{
	for (size_t i = 0; i < m->n; i++)
		free(m->items[i].path);
	free(m->items);
}

static void commit_moves_deinit(struct commit_moves *m)
{
	moves_deinit(&m->added);
	moves_deinit(&m->gone);
}

static int add_move(void *arg, const struct tree_change *c, struct err *err)
{
	struct commit_moves *m = arg;

	(void)err;
	if (!c->from.mode)
		moves_add(&m->added, c->path, &c->to.id);
	else if (!c->to.mode)
		moves_add(&m->gone, c->path, &c->from.id);
	return 0;
}

static const struct tree_file *find_file(const struct moves *m, const char *path)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->items[i].path, path) == 0)
			return &m->items[i];
	return NULL;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* A name may be followed already, or lie in a directory that is followed as a whole. */
static void note_name(struct follow *f, const char *name)
{
	for (size_t i = 0; i < f->names->n; i++) {
		const char *known = f->names->items[i];
		size_t len = strlen(known);

		if (str_starts(name, known) && (name[len] == '\0' || name[len] == '/'))
			return;
	}
	strv_add(f->names, name);
}

/* Those that are compared with a file: all, or the likely ones if there are too many. */
static void choose(const char *path, const struct moves *others, struct strv *ret)
{
	bool few = others->n <= RENAME_LIMIT;
	size_t dir = (size_t)(base_of(path) - path);

	for (size_t i = 0; i < others->n && ret->n < RENAME_LIMIT; i++) {
		const char *other = others->items[i].path;
		bool near = (size_t)(base_of(other) - other) == dir && !strncmp(other, path, dir);

		if (few || near || strcmp(base_of(other), base_of(path)) == 0)
			strv_add(ret, other);
	}
}

static int similar(struct follow *f, const git_oid trees[2], struct strv *paths, git_diff **ret,
		   struct err *err)
{
	_cleanup_(git_tree_free_p) git_tree *from = NULL;
	_cleanup_(git_tree_free_p) git_tree *to = NULL;
	git_diff_options options;
	git_diff_find_options renames;
	int rc;

	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.flags = GIT_DIFF_DISABLE_PATHSPEC_MATCH;
	options.pathspec = (git_strarray){ .strings = paths->items, .count = paths->n };
	git_diff_find_options_init(&renames, GIT_DIFF_FIND_OPTIONS_VERSION);
	renames.flags = GIT_DIFF_FIND_RENAMES;
	renames.rename_limit = RENAME_LIMIT;
	if (git_tree_lookup(&from, f->view->repo, &trees[0]) < 0 ||
	    git_tree_lookup(&to, f->view->repo, &trees[1]) < 0 ||
	    git_diff_tree_to_tree(ret, f->view->repo, from, to, &options) < 0)
		rc = -1;
	else
		rc = git_diff_find_similar(*ret, &renames);
	if (rc < 0 &&
	    rc != GIT_ENOTFOUND) /* contents that a partial clone lacks are like no other */
		return err_set(err, ERR_HOST,
			       "renames in %s cannot be found (%s); check with git fsck",
			       gitlib_place(f->view->repo), gitlib_words());
	return 0;
}

/* What a file that appears was before, or one that vanishes became. */
static int follow_file(struct follow *f, const git_oid trees[2], const struct tree_file *file,
		       const struct moves *others, struct err *err)
{
	_cleanup_(git_diff_free_p) git_diff *diff = NULL;
	_cleanup_strv_ struct strv paths = { 0 };

	for (size_t i = 0; i < others->n; i++)
		if (git_oid_equal(&others->items[i].id, &file->id)) {
			note_name(f, others->items[i].path);
			return 0;
		}
	choose(file->path, others, &paths);
	if (!paths.n)
		return 0;
	strv_add(&paths, file->path);
	if (similar(f, trees, &paths, &diff, err) < 0)
		return -1;
	for (size_t i = 0; i < git_diff_num_deltas(diff); i++) {
		const git_diff_delta *d = git_diff_get_delta(diff, i);

		if (d->status != GIT_DELTA_RENAMED)
			continue;
		if (strcmp(d->old_file.path, file->path) == 0)
			note_name(f, d->new_file.path);
		else if (strcmp(d->new_file.path, file->path) == 0)
			note_name(f, d->old_file.path);
	}
	return 0;
}

/* One side of one commit. Most only change a followed file, and are passed over cheaply. */
static int follow_step(struct follow *f, const git_oid *from, const git_oid *to, struct err *err)
{
	_cleanup_(commit_moves_deinit) struct commit_moves m = { 0 };
	const struct treediff_ask ask = { .changed = add_move, .arg = &m };
	const git_oid trees[2] = { *from, *to };

	if (treediff_run(f->view->diff, from, to, &ask, err) < 0)
		return -1;
	for (size_t i = 0; i < f->n_now && m.added.n && m.gone.n; i++) {
		const struct tree_file *added = find_file(&m.added, f->now[i]);
		const struct tree_file *gone = find_file(&m.gone, f->now[i]);

		if ((added && follow_file(f, trees, added, &m.gone, err) < 0) ||
		    (gone && follow_file(f, trees, gone, &m.added, err) < 0))
			return -1;
	}
	return 0;
}

/* A merge brings what its branches did; those are looked at on their own, unless they are not walked. */
static int follow_commit(struct follow *f, const char *id, bool first_parent, struct err *err)
{
	_cleanup_(view_trees_deinit) struct view_trees trees = { 0 };

	if (stop_check(err) < 0 || view_trees(f->view, id, &trees, err) < 0)
		return -1;
	if (!trees.n_parents || (trees.n_parents > 1 && !first_parent))
		return 0;
	return follow_step(f, &trees.parents[0], &trees.own, err);
}

static int follow_round(struct follow *f, const struct range_spec *spec, struct err *err)
{
	_cleanup_(range_destroy_p) struct range *range = NULL;
	struct range_spec limited = *spec;

	limited.paths = f->now;
	limited.n_paths = f->n_now;
	limited.may_be_empty = true;
	if (range_open(&limited, &range, err) < 0)
		return -1;
	for (size_t i = 0; i < range->n; i++)
		if (follow_commit(f, range->commits[i].id, spec->first_parent, err) < 0)
			return -1;
	return 0;
}

/* Whether a name is a directory at one of the ends: those are not followed. */
static int is_dir_at(struct follow *f, const char *rev, const char *path, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	_cleanup_(git_tree_free_p) git_tree *tree = NULL;
	git_tree_entry *entry = NULL;
	bool is_dir = false;
	git_oid id;

	if (revision_resolve(f->view->repo, rev, &id, err) < 0 ||
	    gitlib_commit(f->view->repo, &id, &commit, err) < 0)
		return -1;
	if (git_commit_tree(&tree, commit) < 0)
		return gitlib_object_fail(f->view->repo, "tree", git_commit_tree_id(commit),
					  GIT_ERROR, err);
	if (*path && git_tree_entry_bypath(&entry, tree, path) == 0)
		is_dir = git_tree_entry_type(entry) == GIT_OBJECT_TREE;
	git_tree_entry_free(entry);
	return !*path || is_dir;
}

static int keep_files(struct follow *f, const struct range_spec *spec, struct strv *ret,
		      struct err *err)
{
	for (size_t i = 0; i < f->names->n; i++) {
		const char *path = f->names->items[i];
		int dir = is_dir_at(f, spec->bad, path, err);

		for (size_t g = 0; g < spec->n_good && dir == 0; g++)
			dir = is_dir_at(f, spec->good[g], path, err);
		if (dir < 0)
			return -1;
		if (!dir)
			strv_add(ret, path);
	}
	return 0;
}

int change_follow(const struct range_spec *spec, struct strv *ret, struct err *err)
{
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_strv_ struct strv now = { 0 };
	_cleanup_(view_deinit) struct view view = { 0 };
	struct follow f = { .view = &view, .names = &names };
	int rc;

	if (view_open(spec->repo, &view, err) < 0 ||
	    gitlib_paths(spec->paths, spec->n_paths, &names, err) < 0)
		return -1;
	rc = keep_files(&f, spec, &now, err);
	while (rc == 0 && now.n) {
		size_t known = names.n;

		f.now = (const char *const *)now.items;
		f.n_now = now.n;
		rc = follow_round(&f, spec, err);
		strv_deinit(&now);
		for (size_t i = known; rc == 0 && i < names.n; i++)
			strv_add(&now, names.items[i]);
	}
	if (rc < 0)
		return -1;
	*ret = names;
	names = (struct strv){ 0 };
	return 0;
}
