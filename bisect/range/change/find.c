// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The same change in another history.
 *
 * What a message names is looked for first, in both directions; it costs one read per commit. Patch-ids
 * cost a diff each, so they are made for few: first for commits with the same subject, then for those
 * that change the very same files.
 */
#include <string.h>

#include "base/stop.h"
#include "range/change/identity.h"
#include "range/change/trailers.h"
#include "range/walk/revision.h"

struct find {
	struct view view;
	const struct identity *what;
	const char *old, *new;
	struct strv files; /* that @what changes, sorted as trees are; none: not known */
	struct range *range;
};

struct found {
	char id[COMMIT_ID_SIZE];
	enum same_how how;
};

static void find_deinit(struct find *f)
{
	strv_deinit(&f->files);
	range_destroy(f->range);
	view_deinit(&f->view);
}

static int add_file(void *arg, const struct tree_change *c, struct err *err)
{
	(void)err;
	strv_add(arg, c->path);
	return 0;
}

/* Which files @what changes, if it is in this repository at all. */
static int read_files(struct find *f, struct err *err)
{
	const struct treediff_ask ask = { .changed = add_file, .arg = &f->files };
	_cleanup_(view_trees_deinit) struct view_trees trees = { 0 };
	_cleanup_(git_odb_free_p) git_odb *odb = NULL;
	git_oid oid;

	if (git_oid_fromstr(&oid, f->what->id) < 0 || git_repository_odb(&odb, f->view.repo) < 0 ||
	    !git_odb_exists(odb, &oid))
		return 0;
	if (view_trees(&f->view, f->what->id, &trees, err) < 0)
		return -1;
	return treediff_run(f->view.diff, trees.n_parents ? &trees.parents[0] : NULL, &trees.own,
			    &ask, err);
}

/* Which of the files are there at one end, added to what is known. */
static int look_at_end(struct find *f, const char *rev, bool *there, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	_cleanup_(git_tree_free_p) git_tree *tree = NULL;
	git_oid id;

	if (revision_resolve(f->view.repo, rev, &id, err) < 0 ||
	    gitlib_commit(f->view.repo, &id, &commit, err) < 0)
		return -1;
	if (git_commit_tree(&tree, commit) < 0)
		return gitlib_object_fail(f->view.repo, "tree", git_commit_tree_id(commit),
					  GIT_ERROR, err);
	for (size_t i = 0; i < f->files.n; i++) {
		git_tree_entry *entry = NULL;

		there[i] |= git_tree_entry_bypath(&entry, tree, f->files.items[i]) == 0;
		git_tree_entry_free(entry);
	}
	return 0;
}

/*
 * The files say where to look, unless this history has them under other names; of a change as wide as the
 * tree they say nothing.
 */
#define FILES_MAX 64

static int open_range(struct find *f, const char *repo, struct err *err)
{
	_cleanup_free_ bool *there = xcalloc(f->files.n, sizeof(*there));
	bool all = f->files.n > 0 && f->files.n <= FILES_MAX;
	struct range_spec spec = {
		.repo = repo,
		.good = &f->old,
		.n_good = 1,
		.bad = f->new,
		.may_be_empty = true,
	};

	if (look_at_end(f, f->old, there, err) < 0 || look_at_end(f, f->new, there, err) < 0)
		return -1;
	for (size_t i = 0; i < f->files.n; i++)
		all &= there[i];
	if (all) {
		spec.paths = (const char *const *)f->files.items;
		spec.n_paths = f->files.n;
	}
	return range_open(&spec, &f->range, err);
}

/* A candidate whose id begins so; -1 if there is none, or more than one. */
static long find_prefix(const struct range *r, const char *prefix)
{
	long found = -1;

	for (size_t i = 0; *prefix && i < r->n; i++)
		if (str_starts(r->commits[i].id, prefix)) {
			if (found >= 0)
				return -1;
			found = (long)i;
		}
	return found;
}

/* Whether a commit that may be outside the paths is in OLD..NEW. */
static int is_between(struct find *f, const git_oid *id, struct err *err)
{
	const struct {
		const char *rev;
		bool below;
	} ends[] = { { f->new, true }, { f->old, false } };

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		git_oid end;
		int below;

		if (revision_resolve(f->view.repo, ends[i].rev, &end, err) < 0)
			return -1;
		below = git_oid_equal(&end, id) ||
			git_graph_descendant_of(f->view.repo, &end, id) == 1;
		if (below != ends[i].below)
			return 0;
	}
	return 1;
}

/* The commit that an id names, if it is in OLD..NEW. 1 found, 0 not, -1 with @err filled. */
static int find_named(struct find *f, const char *named, struct found *ret, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	long at = find_prefix(f->range, named);
	git_oid prefix;
	int rc;

	if (at >= 0) {
		str_copy(ret->id, sizeof(ret->id), f->range->commits[at].id);
		return 1;
	}
	if (!*named || git_oid_fromstrp(&prefix, named) < 0 ||
	    git_commit_lookup_prefix(&commit, f->view.repo, &prefix, strlen(named)) < 0)
		return 0;
	rc = is_between(f, git_commit_id(commit), err);
	if (rc == 1)
		gitlib_hex(git_commit_id(commit), ret->id);
	return rc;
}

/* What a candidate's message names, against what @what is and names. */
static int scan_messages(struct find *f, struct found *ret, struct err *err)
{
	struct identity other = { 0 };
	struct identity what = *f->what;

	*what.patch_id = '\0'; /* messages only */
	for (size_t i = 0; i < f->range->n; i++) {
		_cleanup_(git_commit_free_p) git_commit *commit = NULL;
		const char *message;
		enum same_how how;

		str_copy(other.id, sizeof(other.id), f->range->commits[i].id);
		if (stop_check(err) < 0 ||
		    gitlib_commit_hex(f->view.repo, other.id, &commit, err) < 0)
			return -1;
		message = git_commit_message(commit);
		other.how = trailers_parse(message, strlen(message), other.upstream);
		how = identity_same(&what, &other);
		if (how == SAME_NOT || (ret->how != SAME_NOT && how >= ret->how))
			continue;
		ret->how = how;
		str_copy(ret->id, sizeof(ret->id), other.id);
	}
	return ret->how != SAME_NOT;
}

struct compare_files {
	const struct strv *files;
	size_t n; /* of them met so far */
};

static int is_next_file(void *arg, const struct tree_change *c, struct err *err)
{
	struct compare_files *s = arg;

	(void)err;
	return s->n >= s->files->n || strcmp(s->files->items[s->n++], c->path) != 0;
}

/* 1: the commit changes exactly the files that @what changes. */
static int same_files(struct find *f, const struct view_trees *trees, struct err *err)
{
	struct compare_files s = { .files = &f->files };
	const struct treediff_ask ask = { .changed = is_next_file, .arg = &s };
	int rc;

	if (!f->files.n || trees->n_parents != 1)
		return 0;
	rc = treediff_run(f->view.diff, &trees->parents[0], &trees->own, &ask, err);
	return rc < 0 ? rc : rc == 0 && s.n == f->files.n;
}

static int same_patch(struct find *f, size_t i, bool check_files, struct err *err)
{
	_cleanup_(view_trees_deinit) struct view_trees trees = { 0 };
	char patch_id[COMMIT_ID_SIZE];
	int rc;

	if (stop_check(err) < 0 || view_trees(&f->view, f->range->commits[i].id, &trees, err) < 0)
		return -1;
	rc = check_files ? same_files(f, &trees, err) : 1;
	if (rc <= 0)
		return rc;
	if (identity_patch_id(&f->view, &trees, patch_id, err) < 0)
		return -1;
	return strcmp(patch_id, f->what->patch_id) == 0;
}

static bool has_subject(const struct identity *what, const char *subject)
{
	return what->subject && strcmp(subject, what->subject) == 0;
}

static int scan_patches(struct find *f, struct found *ret, struct err *err)
{
	for (int same_subject = 1; same_subject >= 0 && *f->what->patch_id; same_subject--) {
		for (size_t i = 0; i < f->range->n; i++) {
			const struct range_commit *c = &f->range->commits[i];
			int rc;

			if (c->merge || has_subject(f->what, c->subject) != same_subject)
				continue;
			rc = same_patch(f, i, !same_subject, err);
			if (rc < 0)
				return -1;
			if (rc) {
				ret->how = SAME_PATCH;
				str_copy(ret->id, sizeof(ret->id), c->id);
				return 1;
			}
		}
	}
	return 0;
}

static int find_any(struct find *f, struct found *ret, struct err *err)
{
	int rc = find_named(f, f->what->id, ret, err);

	if (rc) {
		ret->how = SAME_COMMIT;
		return rc;
	}
	rc = find_named(f, f->what->upstream, ret, err);
	if (rc) {
		ret->how = f->what->how;
		return rc;
	}
	rc = scan_messages(f, ret, err);
	return rc ? rc : scan_patches(f, ret, err);
}

int identity_find(const char *repo, const char *old, const char *new, const struct identity *what,
		  char ret[COMMIT_ID_SIZE], enum same_how *how, struct err *err)
{
	_cleanup_(find_deinit) struct find f = { .what = what, .old = old, .new = new };
	struct found found = { 0 };

	if (view_open(repo, &f.view, err) < 0 || read_files(&f, err) < 0 ||
	    open_range(&f, repo, err) < 0 || find_any(&f, &found, err) < 0)
		return -1;
	str_copy(ret, COMMIT_ID_SIZE, found.id);
	*how = found.how;
	return 0;
}
