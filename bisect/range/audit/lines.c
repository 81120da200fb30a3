// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which lines of which functions a commit changes: see audit.h.
 *
 * Lines are kept as hashes, by function: that a later change takes away what an earlier one added is
 * then a look-up, for all pairs of a history at once, where blame would have to be asked file by file.
 */
#include "range/audit/lines.h"

#include <string.h>

#include "range/audit/outline.h"

#define FILES_MAX      64
#define LINES_MAX      4000
#define TOUCHES_MAX    256
#define TEXT_MAX_BYTES (1u << 20) /* what is larger came out of a generator */
#define NEAR_LINES     3	  /* the context that git shows, and a patch must find */

struct changed {
	char *path;
	git_oid from, to; /* zero: not there */
};

struct reading {
	struct view *view;
	const struct strv *paths;
	struct audit_commit *commit;
	struct changed files[FILES_MAX];
	size_t n_files;
	/* of the file being compared */
	const char *path;
	struct outline old, new;

	size_t n_lines;
};

void touch_deinit(struct audit_touch *t)
{
	free(t->path);
	free(t->function);
	lines_deinit(&t->added);
	lines_deinit(&t->removed);
	lines_deinit(&t->near);
}

static void reading_deinit(struct reading *r)
{
	for (size_t i = 0; i < r->n_files && i < FILES_MAX; i++)
		free(r->files[i].path);
	outline_deinit(&r->old);
	outline_deinit(&r->new);
}

static bool is_within(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !len || (str_starts(path, dir) && (path[len] == '/' || path[len] == '\0'));
}

static bool enters(void *arg, const char *dir)
{
	const struct reading *r = arg;
	bool leads = !r->paths->n;

	for (size_t i = 0; i < r->paths->n && !leads; i++)
		leads = is_within(dir, r->paths->items[i]) || is_within(r->paths->items[i], dir);
	return leads;
}

static git_oid text_of(const struct tree_side *side)
{
	static const git_oid none;

	return (side->mode & 0170000) == 0100000 ? side->id : none;
}

static int gather(void *arg, const struct tree_change *c, struct err *err)
{
	struct reading *r = arg;
	bool wanted = !r->paths->n;

	(void)err;
	for (size_t i = 0; i < r->paths->n && !wanted; i++)
		wanted = is_within(c->path, r->paths->items[i]);
	if (!wanted || !(str_ends(c->path, ".c") || str_ends(c->path, ".h")))
		return 0;
	if (r->n_files == FILES_MAX) {
		r->commit->wide = true;
		return 1;
	}
	r->files[r->n_files++] = (struct changed){ .path = xstrdup(c->path),
						   .from = text_of(&c->from),
						   .to = text_of(&c->to) };
	return 0;
}

/* A file's content; NULL if there is none (or not in a partial clone), or no person wrote it. */
static int read_text(struct view *v, const git_oid *id, git_blob **ret, struct err *err)
{
	static const git_oid none;
	int rc;

	if (git_oid_equal(id, &none))
		return 0;
	rc = git_blob_lookup(ret, v->repo, id);
	if (rc == GIT_ENOTFOUND)
		return 0;
	if (rc < 0)
		return gitlib_object_fail(v->repo, "blob", id, rc, err);
	if (git_blob_rawsize(*ret) > TEXT_MAX_BYTES)
		git_blob_free(take_ptr(*ret));
	return 0;
}

static struct audit_touch *touch_of(struct reading *r, const char *function)
{
	struct audit_commit *c = r->commit;
	struct audit_touch *t;

	for (size_t i = c->n_touches; i-- > 0;)
		if (strcmp(c->touches[i].function, function) == 0 &&
		    strcmp(c->touches[i].path, r->path) == 0)
			return &c->touches[i];
	if (c->n_touches == TOUCHES_MAX)
		return NULL;
	if ((c->n_touches & (c->n_touches - 1)) == 0)
		c->touches = xrealloc(c->touches, c->n_touches ? 2 * c->n_touches : 1,
				      sizeof(*c->touches));
	t = &c->touches[c->n_touches++];
	*t = (struct audit_touch){ .path = xstrdup(r->path), .function = xstrdup(function) };
	return t;
}

static int see_line(const git_diff_delta *delta, const git_diff_hunk *hunk, const git_diff_line *l,
		    void *arg)
{
	struct reading *r = arg;
	bool removes = l->origin == GIT_DIFF_LINE_DELETION;
	bool adds = l->origin == GIT_DIFF_LINE_ADDITION;
	const char *function;
	struct audit_touch *t;

	(void)delta;
	(void)hunk;
	if (!adds && !removes && l->origin != GIT_DIFF_LINE_CONTEXT)
		return 0;
	function =
		removes ? outline_at(&r->old, l->old_lineno) : outline_at(&r->new, l->new_lineno);
	if (!function)
		return 0;
	t = touch_of(r, function);
	if (!t || ++r->n_lines > LINES_MAX) {
		r->commit->wide = true;
		return GIT_EUSER;
	}
	lines_add(adds	    ? &t->added
		  : removes ? &t->removed
			    : &t->near,
		  line_hash(l->content, l->content_len));
	return 0;
}

static int compare_file(struct reading *r, const struct changed *f, struct err *err)
{
	_cleanup_(git_blob_free_p) git_blob *from = NULL;
	_cleanup_(git_blob_free_p) git_blob *to = NULL;
	git_diff_options options;
	int rc;

	if (read_text(r->view, &f->from, &from, err) < 0 ||
	    read_text(r->view, &f->to, &to, err) < 0)
		return -1;
	if (!to)
		return 0; /* gone, or too large to be of interest */
	outline_deinit(&r->old);
	outline_deinit(&r->new);
	if (from)
		outline_read(git_blob_rawcontent(from), (size_t)git_blob_rawsize(from), &r->old);
	outline_read(git_blob_rawcontent(to), (size_t)git_blob_rawsize(to), &r->new);
	r->path = f->path;
	git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
	options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
	options.context_lines = NEAR_LINES;
	rc = git_diff_blobs(from, NULL, to, NULL, &options, NULL, NULL, NULL, see_line, r);
	if (rc < 0 && !r->commit->wide)
		return err_set(err, ERR_HOST,
			       "a change in %s cannot be read (%s); check with git fsck",
			       gitlib_place(r->view->repo), gitlib_words());
	return 0;
}

/* A function of which only neighbours' context was shown is not changed. */
static void settle(struct audit_commit *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_touches; i++) {
		struct audit_touch *t = &c->touches[i];

		lines_sort(&t->added);
		lines_sort(&t->removed);
		lines_sort(&t->near);
		if (c->wide || (!t->added.n && !t->removed.n))
			touch_deinit(t);
		else
			c->touches[n++] = *t;
	}
	c->n_touches = n;
}

int lines_read(struct view *v, const struct strv *paths, struct audit_commit *c, struct err *err)
{
	__attribute__((cleanup(reading_deinit))) struct reading r = { .view = v,
								      .paths = paths,
								      .commit = c };
	const struct treediff_ask ask = { .enters = enters, .changed = gather, .arg = &r };
	_cleanup_(view_trees_deinit) struct view_trees trees = { 0 };

	if (c->has_lines)
		return 0;
	if (view_trees(v, c->id, &trees, err) < 0)
		return -1;
	if (trees.n_parents == 1) {
		if (treediff_run(v->diff, &trees.parents[0], &trees.own, &ask, err) < 0)
			return -1;
		for (size_t i = 0; i < r.n_files && !c->wide; i++)
			if (compare_file(&r, &r.files[i], err) < 0)
				return -1;
	}
	c->n_files = (uint32_t)r.n_files;
	settle(c);
	c->has_lines = true;
	return 0;
}
