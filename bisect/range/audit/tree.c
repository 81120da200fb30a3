// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of one commit, by function: see audit.h. */
#include <string.h>

#include "range/audit/outline.h"
#include "range/audit/audit.h"

struct kept_file {
	char *path;
	struct strv names;
	struct audit_lines *lines; /* [names.n] */
};

struct audit_tree {
	char *repo;
	char id[COMMIT_ID_SIZE];
	struct kept_file *files;
	size_t n, cap;
};

int audit_tree_open(const char *repo, const char *id, struct audit_tree **ret, struct err *err)
{
	struct audit_tree *t;

	if (!str_is_commit_id(id))
		return err_set(err, ERR_USAGE, "'%s' is no full commit id; give 40 hex digits", id);
	t = xcalloc(1, sizeof(*t));
	t->repo = xstrdup(repo);
	str_copy(t->id, sizeof(t->id), id);
	*ret = t;
	return 0;
}

void audit_tree_destroy(struct audit_tree *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++) {
		for (size_t k = 0; k < t->files[i].names.n; k++)
			lines_deinit(&t->files[i].lines[k]);
		free(t->files[i].lines);
		free(t->files[i].path);
		strv_deinit(&t->files[i].names);
	}
	free(t->files);
	free(t->repo);
	free(t);
}

static size_t name_at(struct kept_file *f, const char *name)
{
	for (size_t i = 0; i < f->names.n; i++)
		if (strcmp(f->names.items[i], name) == 0)
			return i;
	strv_add(&f->names, name);
	f->lines = xrealloc(f->lines, f->names.n, sizeof(*f->lines));
	f->lines[f->names.n - 1] = (struct audit_lines){ 0 };
	return f->names.n - 1;
}

static void read_functions(struct kept_file *f, const char *text)
{
	__attribute__((cleanup(outline_deinit))) struct outline o = { 0 };
	uint32_t last = OUTLINE_NONE;
	size_t at = 0;

	outline_read(text, strlen(text), &o);
	for (size_t i = 0; i < o.n_lines; i++) {
		const char *nl = strchr(text, '\n');
		size_t len = nl ? (size_t)(nl - text) : strlen(text);

		if (o.of_line[i] != OUTLINE_NONE) {
			if (o.of_line[i] != last)
				at = name_at(f, o.names.items[o.of_line[i]]);
			last = o.of_line[i];
			lines_add(&f->lines[at], line_hash(text, len));
		}
		text += nl ? len + 1 : len;
	}
	for (size_t i = 0; i < f->names.n; i++)
		lines_sort(&f->lines[i]);
}

static int file_of(struct audit_tree *t, const char *path, struct kept_file **ret, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	struct kept_file *f;

	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->files[i].path, path) == 0) {
			*ret = &t->files[i];
			return 0;
		}
	if (range_file(t->repo, t->id, path, &text, err) < 0)
		return -1;
	if (t->n == t->cap) {
		t->cap = t->cap ? 2 * t->cap : 64;
		t->files = xrealloc(t->files, t->cap, sizeof(*t->files));
	}
	f = &t->files[t->n++];
	*f = (struct kept_file){ .path = xstrdup(path) };
	if (text)
		read_functions(f, text);
	*ret = f;
	return 0;
}

int audit_tree_function(struct audit_tree *t, const char *path, const char *function,
			const struct audit_lines **ret, struct err *err)
{
	struct kept_file *f;

	if (file_of(t, path, &f, err) < 0)
		return -1;
	*ret = NULL;
	for (size_t i = 0; i < f->names.n && !*ret; i++)
		if (strcmp(f->names.items[i], function) == 0)
			*ret = &f->lines[i];
	return 0;
}
