// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of patches become commits on the base: see sets.h. */
#include "controller/validate/sets.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"
#include "range/range.h"

void build_rows_deinit(struct build_rows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->items[i].name);
		free(r->items[i].why);
		free(r->items[i].samples);
		free(r->items[i].m);
	}
	free(r->items);
	*r = (struct build_rows){ 0 };
}

static struct build_row *add(struct build_rows *r, char *name, const char *id)
{
	struct build_row *row;

	r->items = xrealloc(r->items, r->n + 1, sizeof(*r->items));
	row = &r->items[r->n++];
	*row = (struct build_row){ .name = name, .m = xcalloc(MEASURE_MAX, sizeof(*row->m)) };
	str_copy(row->id, sizeof(row->id), id);
	return row;
}

static int add_directory(const char *dir, struct strv *ret, struct err *err)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	_cleanup_strv_ struct strv names = { 0 };
	struct dirent *e;

	if (!d)
		return err_errno(err, ERR_USAGE, "--apply %s", dir);
	while ((e = readdir(d)))
		if (str_ends(e->d_name, ".patch"))
			strv_addf(&names, "%s/%s", dir, e->d_name);
	strv_sort_once(&names);
	for (size_t i = 0; i < names.n; i++)
		strv_add(ret, names.items[i]);
	return names.n ? 0 : err_set(err, ERR_USAGE, "--apply %s: no *.patch file lies there", dir);
}

static int read_set(const char *text, struct strv *ret, struct err *err)
{
	_cleanup_free_ char *copy = xstrdup(text);
	char *save = NULL;

	for (char *s = strtok_r(copy, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		if (fs_is_dir(s) ? add_directory(s, ret, err) < 0 : (strv_add(ret, s), 0))
			return -1;
	}
	return ret->n ? 0 : err_set(err, ERR_USAGE, "--apply '%s' names no patch", text);
}

static int lay_one(struct pick_store *picks, const char *repo, const char *onto, const char *what,
		   struct pick *ret, struct err *err)
{
	_cleanup_strv_ struct strv parents = { 0 };
	char id[COMMIT_ID_SIZE];

	if (fs_exists(what))
		return pick_patch(picks, onto, what, ret, err);
	if (range_resolve(repo, what, id, err) < 0)
		return err_prefix(err, "--apply %s is no file, and", what);
	if (range_real_parents(repo, id, &parents, err) < 0)
		return -1;
	if (parents.n > 1)
		return err_set(err, ERR_USAGE, "--apply %s is a merge; name its commits", what);
	return pick_commit(picks, onto, id, PICK_ON, 1, ret, err);
}

/* Paths without their directories, ids as people write them. */
static char *short_name(const char *set)
{
	_cleanup_free_ char *copy = xstrdup(set);
	struct buf b = { 0 };
	char *save = NULL;

	for (char *s = strtok_r(copy, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		size_t len = strlen(s);
		const char *slash;

		while (len > 1 && s[len - 1] == '/')
			s[--len] = '\0';
		slash = fs_exists(s) ? strrchr(s, '/') : NULL;
		buf_printf(&b, "%s%.*s", b.len ? "," : "", str_is_commit_id(s) ? 12 : 200,
			   slash ? slash + 1 : s);
	}
	return buf_take(&b);
}

/* Which step comes first: a table has room for the begin of a name only. */
static char *name_of(const char *whole, size_t at, size_t n, bool each)
{
	_cleanup_free_ char *set = short_name(whole);

	return each && n > 1 ? str_printf("%zu of %zu, %s", at + 1, n, set) : xstrdup(set);
}

static void collides(struct build_row *row, const char *what, const struct pick *p)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s does not apply: ", what);
	for (size_t i = 0; i < p->files.n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", p->files.items[i]);
	if (!p->files.n || str_starts(p->where, p->files.items[0]))
		buf_printf(&b, "%s%s", p->files.n ? " (" : "", p->where),
			buf_puts(&b, p->files.n ? ")" : "");
	row->v.state = BUILD_COLLIDES;
	row->why = buf_take(&b);
}

static int lay_set(struct pick_store *picks, const char *repo, const char *base, const char *set,
		   bool each, struct build_rows *ret, struct err *err)
{
	_cleanup_strv_ struct strv all = { 0 };
	char now[COMMIT_ID_SIZE];

	str_copy(now, sizeof(now), base);
	if (read_set(set, &all, err) < 0)
		return -1;
	for (size_t i = 0; i < all.n; i++) {
		_cleanup_(pick_deinit) struct pick p = { 0 };
		struct build_row *row;

		if (lay_one(picks, repo, now, all.items[i], &p, err) < 0)
			return -1;
		if (p.end == PICK_MADE)
			str_copy(now, sizeof(now), p.id);
		if (!each && i + 1 < all.n && p.end != PICK_CONFLICT)
			continue;
		row = add(ret, name_of(set, i, all.n, each), now);
		if (p.end == PICK_CONFLICT) {
			collides(row, all.items[i], &p);
			return 0; /* what comes behind it has nothing to stand on */
		}
		if (strcmp(now, base) == 0)
			row->v.state = BUILD_UNCHANGED;
	}
	return 0;
}

int sets_lay(struct pick_store *picks, const char *repo, const char *base, const char *const *sets,
	     size_t n, bool each, struct build_rows *ret, struct err *err)
{
	_cleanup_(build_rows_deinit) struct build_rows rows = { 0 };

	add(&rows, xstrdup("base"), base);
	for (size_t i = 0; i < n; i++)
		if (lay_set(picks, repo, base, sets[i], each, &rows, err) < 0)
			return -1;
	*ret = rows;
	rows = (struct build_rows){ 0 };
	return 0;
}
