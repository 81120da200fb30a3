// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which candidates change a line inside of some functions.
 *
 * A diff of every file of every candidate would take minutes. So the changed files are gathered first,
 * those that hold none of the names are left out, and only the rest is compared line by line.
 */
#include <string.h>

#include "base/stop.h"
#include "range/change/change.h"
#include "range/change/extent.h"
#include "range/change/view.h"
#include "range/keymap.h"

/* No function that a person wrote stands in a larger file: those are tables out of a generator. */
#define TEXT_MAX_BYTES (1u << 20)

struct change {
	uint32_t candidate;
	uint32_t file;
	git_oid from, to; /* zero: not there */
};

/* A file's first and last content within the range tell whether it holds a function. */
struct file {
	git_oid first, last;
	bool holds;
};

struct functions {
	struct view view;
	const struct strv *names;
	struct strv paths;   /* limited paths in one form; none: all */
	struct keymap index; /* SHA-1 of a path → file */
	struct file *files;
	size_t n_files, cap_files;
	struct change *changes; /* in the order of the candidates */
	size_t n_changes, cap_changes;
	uint32_t candidate; /* being gathered */
};

static void functions_deinit(struct functions *f)
{
	view_deinit(&f->view);
	strv_deinit(&f->paths);
	keymap_deinit(&f->index);
	free(f->files);
	free(f->changes);
}

static bool is_within(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !len || (str_starts(path, dir) && (path[len] == '/' || path[len] == '\0'));
}

static bool enters(void *arg, const char *dir)
{
	const struct functions *f = arg;
	bool leads = !f->paths.n;

	for (size_t i = 0; i < f->paths.n && !leads; i++)
		leads = is_within(dir, f->paths.items[i]) || is_within(f->paths.items[i], dir);
	return leads;
}

static uint32_t file_of(struct functions *f, const char *path, const git_oid *first)
{
	git_oid key = { 0 };
	uint32_t i;

	git_odb_hash(&key, path, strlen(path), GIT_OBJECT_BLOB);
	i = keymap_intern(&f->index, key.id);
	if (i < f->n_files)
		return i;
	if (f->n_files == f->cap_files) {
		f->cap_files = f->cap_files ? 2 * f->cap_files : 256;
		f->files = xrealloc(f->files, f->cap_files, sizeof(*f->files));
	}
	f->files[f->n_files++] = (struct file){ .first = *first };
	return i;
}

/* What holds text: no link, no submodule. */
static git_oid text_of(const struct tree_side *side)
{
	static const git_oid none;

	return (side->mode & 0170000) == 0100000 ? side->id : none;
}

static bool has_text(const git_oid *id)
{
	static const git_oid none;

	return !git_oid_equal(id, &none);
}

static int gather(void *arg, const struct tree_change *c, struct err *err)
{
	const git_oid from = text_of(&c->from), to = text_of(&c->to);
	struct functions *f = arg;
	bool wanted = !f->paths.n;
	uint32_t file;

	(void)err;
	for (size_t i = 0; i < f->paths.n && !wanted; i++)
		wanted = is_within(c->path, f->paths.items[i]);
	if (!wanted || !(str_ends(c->path, ".c") || str_ends(c->path, ".h")))
		return 0;
	if (f->n_changes == f->cap_changes) {
		f->cap_changes = f->cap_changes ? 2 * f->cap_changes : 1024;
		f->changes = xrealloc(f->changes, f->cap_changes, sizeof(*f->changes));
	}
	file = file_of(f, c->path, has_text(&from) ? &from : &to);
	f->files[file].last = has_text(&to) ? to : from;
	f->changes[f->n_changes++] =
		(struct change){ .candidate = f->candidate, .file = file, .from = from, .to = to };
	return 0;
}

/* A merge's sides are candidates of their own, unless only first parents are followed. */
static int gather_commit(struct functions *f, const struct range_commit *c, struct err *err)
{
	const struct treediff_ask ask = { .enters = enters, .changed = gather, .arg = f };
	_cleanup_(view_trees_deinit) struct view_trees trees = { 0 };

	if (c->merge && c->n_parents > 1)
		return 0;
	if (stop_check(err) < 0 || view_trees(&f->view, c->id, &trees, err) < 0)
		return -1;
	return treediff_run(f->view.diff, trees.n_parents ? &trees.parents[0] : NULL, &trees.own,
			    &ask, err);
}

/* A file's content; NULL if there is none (or not in a partial clone), or no person wrote it. */
static int read_text(struct functions *f, const git_oid *id, git_blob **ret, struct err *err)
{
	int rc;

	if (!has_text(id))
		return 0;
	rc = git_blob_lookup(ret, f->view.repo, id);
	if (rc == GIT_ENOTFOUND)
		return 0;
	if (rc < 0)
		return gitlib_object_fail(f->view.repo, "blob", id, rc, err);
	if (git_blob_rawsize(*ret) > TEXT_MAX_BYTES)
		git_blob_free(take_ptr(*ret));
	return 0;
}

static int holds_name(struct functions *f, const git_oid *id, bool *ret, struct err *err)
{
	_cleanup_(git_blob_free_p) git_blob *blob = NULL;

	if (read_text(f, id, &blob, err) < 0)
		return -1;
	for (size_t i = 0; blob && i < f->names->n && !*ret; i++)
		*ret = extent_mentions(git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob),
				       f->names->items[i]);
	return 0;
}

static int look_into_files(struct functions *f, struct err *err)
{
	for (size_t i = 0; i < f->n_files; i++) {
		struct file *file = &f->files[i];

		if (stop_check(err) < 0 || holds_name(f, &file->last, &file->holds, err) < 0 ||
		    (!file->holds && holds_name(f, &file->first, &file->holds, err) < 0))
			return -1;
	}
	return 0;
}

struct sides {
	struct extents from, to;
	bool met;
};

static int see_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *arg)
{
	struct sides *s = arg;

	(void)delta;
	s->met |= extents_meet(&s->from, (uint32_t)hunk->old_start, (uint32_t)hunk->old_lines) ||
		  extents_meet(&s->to, (uint32_t)hunk->new_start, (uint32_t)hunk->new_lines);
	return 0;
}

static void find_extents(const struct functions *f, const git_blob *blob, struct extents *ret)
{
	for (size_t i = 0; blob && i < f->names->n; i++)
		extents_add(ret, git_blob_rawcontent(blob), (size_t)git_blob_rawsize(blob),
			    f->names->items[i]);
}

static int changes_function(struct functions *f, const struct change *c, bool *ret, struct err *err)
{
	_cleanup_(git_blob_free_p) git_blob *from = NULL;
	_cleanup_(git_blob_free_p) git_blob *to = NULL;
	struct sides s = { 0 };
	git_diff_options options;
	int rc = 0;

	if (read_text(f, &c->from, &from, err) < 0 || read_text(f, &c->to, &to, err) < 0)
		return -1;
	find_extents(f, from, &s.from);
	find_extents(f, to, &s.to);
	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.flags = GIT_DIFF_FORCE_TEXT;
	options.context_lines = 0;
	if (s.from.n || s.to.n)
		rc = git_diff_blobs(from, NULL, to, NULL, &options, NULL, NULL, see_hunk, NULL, &s);
	extents_deinit(&s.from);
	extents_deinit(&s.to);
	if (rc < 0)
		return err_set(err, ERR_HOST,
			       "a change in %s cannot be read (%s); check with git fsck",
			       gitlib_place(f->view.repo), gitlib_words());
	*ret |= s.met;
	return 0;
}

static int open_functions(struct functions *f, const char *repo, const char *const *paths,
			  size_t n_paths, struct err *err)
{
	keymap_init(&f->index, GIT_ID_LEN);
	if (view_open(repo, &f->view, err) < 0)
		return -1;
	return gitlib_paths(paths, n_paths, &f->paths, err);
}

int change_functions(const char *repo, const struct range *range, const struct strv *functions,
		     const char *const *paths, size_t n_paths, bool *ret, struct err *err)
{
	_cleanup_(functions_deinit) struct functions f = { .names = functions };
	_cleanup_free_ bool *changing = xcalloc(range->n, sizeof(*changing));

	if (open_functions(&f, repo, paths, n_paths, err) < 0)
		return -1;
	for (f.candidate = 0; f.candidate < range->n; f.candidate++)
		if (gather_commit(&f, &range->commits[f.candidate], err) < 0)
			return -1;
	if (look_into_files(&f, err) < 0)
		return -1;
	for (size_t i = 0; i < f.n_changes; i++) {
		const struct change *c = &f.changes[i];

		if (!f.files[c->file].holds || changing[c->candidate])
			continue;
		if (stop_check(err) < 0 ||
		    changes_function(&f, c, &changing[c->candidate], err) < 0)
			return -1;
	}
	memcpy(ret, changing, range->n * sizeof(*ret));
	return 0;
}
