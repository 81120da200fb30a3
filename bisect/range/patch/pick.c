// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where a patch is a commit: what it changed is merged into the candidate's tree, as git cherry-pick does.
 *
 * A kernel has 80 000 files, and libgit2's merge walks them all. So it gets three trees with nothing but
 * the files that the commit changed and, if the candidate lacks one of them, those it may be called there:
 * what the candidate has and the commit's parent has not, in the same directory or of the same name.
 */
#include <stdio.h>
#include <string.h>

#include "range/patch/onto.h"
#include "range/patch/trees.h"

DEFINE_CLEANUP(git_index_conflict_iterator *, git_index_conflict_iterator_free)
DEFINE_CLEANUP(git_treebuilder *, git_treebuilder_free)

/* Similarities that libgit2 looks at; git's merge.renameLimit */
#define RENAMES_MAX 7000

static int read_failed(struct err *err)
{
	return err_set(err, ERR_HOST,
		       "what a commit changes cannot be read (%s); check with git "
		       "fsck",
		       gitlib_words());
}

static int make_empty(git_repository *repo, git_oid *ret, struct err *err)
{
	_cleanup_(git_treebuilder_free_p) git_treebuilder *b = NULL;

	if (git_treebuilder_new(&b, repo, NULL) < 0 || git_treebuilder_write(ret, b) < 0)
		return read_failed(err);
	return 0;
}

/* What @tree has of the paths, and nothing else. @missing: paths that it lacks are added */
static int prune(git_repository *repo, const git_tree *tree, const struct strv *paths,
		 struct strv *missing, git_tree **ret, struct err *err)
{
	_cleanup_free_ struct onto_update *updates = xcalloc(paths->n + 1, sizeof(*updates));
	struct onto_misfit ignored = { 0 };
	git_oid id = { 0 }, empty;
	size_t n = 0;

	for (size_t i = 0; i < paths->n; i++) {
		struct onto_update *u = &updates[n];

		*u = (struct onto_update){ .path = paths->items[i] };
		if (trees_find(repo, tree, u->path, &u->mode, &u->id, err) < 0)
			return -1;
		if (u->mode && u->mode != GIT_FILEMODE_TREE)
			n++;
		else
			strv_add(missing, u->path);
	}
	if (make_empty(repo, &empty, err) < 0 ||
	    onto_write(repo, &empty, updates, n, &id, &ignored, err) == ONTO_FAILED)
		return -1;
	return git_tree_lookup(ret, repo, &id) < 0 ? read_failed(err) : 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool may_be(const char *path, const char *was)
{
	size_t dir = (size_t)(base_name(path) - path);

	return strcmp(base_name(path), base_name(was)) == 0 ||
	       (dir == (size_t)(base_name(was) - was) && memcmp(path, was, dir) == 0);
}

/* What files of the parent may be called in @tree. */
static int add_namesakes(git_repository *repo, const git_tree *from, const git_tree *tree,
			 const struct strv *lost, struct strv *paths, struct err *err)
{
	_cleanup_strv_ struct strv others = { 0 };

	if (trees_differ(repo, git_tree_id(from), git_tree_id(tree), &others, err) < 0)
		return -1;
	for (size_t i = 0; i < others.n; i++) {
		bool wanted = false;
		uint32_t mode;
		git_oid id;

		for (size_t k = 0; k < lost->n && !wanted; k++)
			wanted = may_be(others.items[i], lost->items[k]);
		if (!wanted)
			continue;
		if (trees_find(repo, from, others.items[i], &mode, &id, err) < 0)
			return -1;
		if (!mode)
			strv_add(paths, others.items[i]);
	}
	strv_sort_once(paths);
	return 0;
}

/* Those of @a that @b has not; both sorted. */
static void only_in(const struct strv *a, const struct strv *b, struct strv *ret)
{
	size_t k = 0;

	for (size_t i = 0; i < a->n; i++) {
		while (k < b->n && strcmp(b->items[k], a->items[i]) < 0)
			k++;
		if (k == b->n || strcmp(b->items[k], a->items[i]) != 0)
			strv_add(ret, a->items[i]);
	}
}

static const char *path_of(const git_index_entry *base, const git_index_entry *ours,
			   const git_index_entry *theirs)
{
	return (ours ? ours : theirs ? theirs : base)->path;
}

static int name_all(git_index *index, struct strv *ret, struct err *err)
{
	_cleanup_(git_index_conflict_iterator_free_p) git_index_conflict_iterator *it = NULL;
	const git_index_entry *base, *ours, *theirs;
	int rc = git_index_conflict_iterator_new(&it, index);

	while (rc == 0) {
		rc = git_index_conflict_next(&base, &ours, &theirs, it);
		if (rc == 0)
			strv_add(ret, path_of(base, ours, theirs));
	}
	strv_sort_once(ret);
	return rc == GIT_ITEROVER ? 0 : read_failed(err);
}

static enum onto_rc name_conflict(git_index *index, struct strv *all, struct onto_misfit *why,
				  struct err *err)
{
	_cleanup_(git_index_conflict_iterator_free_p) git_index_conflict_iterator *it = NULL;
	const git_index_entry *base, *ours, *theirs;
	const char *what;

	if (git_index_conflict_iterator_new(&it, index) < 0 ||
	    git_index_conflict_next(&base, &ours, &theirs, it) < 0)
		return read_failed(err);
	if (all && name_all(index, all, err) < 0)
		return ONTO_FAILED;
	if (ours && theirs)
		what = base ? "" : ", which is there already";
	else
		what = ours ? ", which the commit removes" : ", which is not there";
	snprintf(why->where, sizeof(why->where), "%s%s", path_of(base, ours, theirs), what);
	return ONTO_MISFIT;
}

static enum onto_rc take_merged(git_repository *repo, const git_tree *tree, git_index *index,
				const struct strv *paths, git_oid *ret, struct onto_misfit *why,
				struct err *err)
{
	size_t n = 0, n_index = git_index_entrycount(index);
	_cleanup_free_ struct onto_update *updates =
		xcalloc(paths->n + n_index + 1, sizeof(*updates));

	for (size_t i = 0; i < paths->n; i++)
		if (!git_index_get_bypath(index, paths->items[i], 0))
			updates[n++] = (struct onto_update){ .path = paths->items[i] };
	for (size_t i = 0; i < n_index; i++) {
		const git_index_entry *e = git_index_get_byindex(index, i);
		uint32_t mode;
		git_oid id;

		if (trees_find(repo, tree, e->path, &mode, &id, err) < 0)
			return ONTO_FAILED;
		if (mode != e->mode || !git_oid_equal(&id, &e->id))
			updates[n++] = (struct onto_update){ .path = e->path,
							     .mode = e->mode,
							     .id = e->id };
	}
	return onto_write(repo, git_tree_id(tree), updates, n, ret, why, err);
}

/* Three whole trees, and what is left of them. */
struct picking {
	git_tree *all[3]; /* the parent's, the candidate's, the commit's */
	git_tree *part[3];
	git_index *merged;
};

static void picking_deinit(struct picking *p)
{
	for (int i = 0; i < 3; i++) {
		git_tree_free(p->all[i]);
		git_tree_free(p->part[i]);
	}
	git_index_free(p->merged);
}

static int prune_all(git_repository *repo, struct picking *p, const struct strv *changed,
		     struct strv *paths, struct err *err)
{
	_cleanup_strv_ struct strv of_parent = { 0 }, of_ours = { 0 }, lost = { 0 },
				   ignored = { 0 };

	for (size_t i = 0; i < changed->n; i++)
		strv_add(paths, changed->items[i]);
	strv_sort_once(paths);
	if (prune(repo, p->all[0], paths, &of_parent, &p->part[0], err) < 0 ||
	    prune(repo, p->all[1], paths, &of_ours, &p->part[1], err) < 0)
		return -1;
	only_in(&of_ours, &of_parent, &lost);
	if (lost.n) {
		git_tree_free(take_ptr(p->part[1]));
		if (add_namesakes(repo, p->all[0], p->all[1], &lost, paths, err) < 0 ||
		    prune(repo, p->all[1], paths, &ignored, &p->part[1], err) < 0)
			return -1;
	}
	return prune(repo, p->all[2], changed, &ignored, &p->part[2], err);
}

enum onto_rc onto_pick(git_repository *repo, const git_oid *tree, const git_oid *from,
		       const git_oid *to, const struct strv *paths, git_oid *ret,
		       struct strv *collisions, struct onto_misfit *why, struct err *err)
{
	_cleanup_(picking_deinit) struct picking p = { 0 };
	_cleanup_strv_ struct strv all = { 0 };
	git_merge_options opts;
	git_oid none;

	if ((!from || !to) && make_empty(repo, &none, err) < 0)
		return ONTO_FAILED;
	git_merge_options_init(&opts, GIT_MERGE_OPTIONS_VERSION);
	opts.target_limit = RENAMES_MAX;
	git_error_clear();
	if (git_tree_lookup(&p.all[0], repo, from ? from : &none) < 0 ||
	    git_tree_lookup(&p.all[1], repo, tree) < 0 ||
	    git_tree_lookup(&p.all[2], repo, to ? to : &none) < 0)
		return read_failed(err);
	if (prune_all(repo, &p, paths, &all, err) < 0)
		return ONTO_FAILED;
	if (git_merge_trees(&p.merged, repo, p.part[0], p.part[1], p.part[2], &opts) < 0)
		return read_failed(err);
	if (git_index_has_conflicts(p.merged))
		return name_conflict(p.merged, collisions, why, err);
	return take_merged(repo, p.all[1], p.merged, &all, ret, why, err);
}
