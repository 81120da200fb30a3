// SPDX-License-Identifier: GPL-2.0-or-later
/* Which candidates change what a build read. */
#include <string.h>

#include "base/stop.h"
#include "range/change/change.h"
#include "range/change/pathset.h"
#include "range/change/view.h"

struct touches {
	const struct strv *files; /* sorted */
	const struct strv *names; /* the last part of each, sorted */
	const char *driver; /* every Makefile below it counts; "": none but those on the way */
	bool alone;	    /* nothing counts but the files */
};

static bool is_source(const char *path)
{
	return str_ends(path, ".c") || str_ends(path, ".S") || str_ends(path, ".rs");
}

/* Length of the part of two directories that is the same, in whole names. */
static size_t common_len(const char *a, const char *b)
{
	size_t whole = 0;

	for (size_t i = 0;; i++) {
		if ((a[i] == '\0' || a[i] == '/') && (b[i] == '\0' || b[i] == '/'))
			whole = i;
		if (a[i] != b[i] || a[i] == '\0')
			return whole;
	}
}

static void cut_name(char *path)
{
	char *slash = strrchr(path, '/');

	*(slash ? slash : path) = '\0';
}

/*
 * The directory that holds all sources; one further up if they are all in one directory, since its
 * Makefile may include its neighbours', as that of drivers/gpu/drm/amd/amdgpu does.
 */
static char *driver_of(const struct strv *files)
{
	char *driver = NULL;
	bool together = true;

	for (size_t i = 0; i < files->n; i++) {
		_cleanup_free_ char *dir = NULL;

		if (!is_source(files->items[i]))
			continue;
		dir = xstrdup(files->items[i]);
		cut_name(dir);
		if (driver) {
			together &= strcmp(driver, dir) == 0;
			driver[common_len(driver, dir)] = '\0';
		} else {
			driver = xstrdup(dir);
		}
	}
	if (driver && together)
		cut_name(driver);
	return driver ? driver : xstrdup("");
}

static bool is_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return len && str_starts(path, dir) && (path[len] == '/' || path[len] == '\0');
}

static bool enters(void *arg, const char *dir)
{
	const struct touches *t = arg;

	if (t->alone)
		return pathset_leads(t->files, dir);
	return pathset_leads(t->files, dir) || is_below(t->driver, dir) || is_below(dir, t->driver);
}

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_build_file(const char *path)
{
	const char *name = name_of(path);

	return str_starts(name, "Makefile") || str_starts(name, "Kbuild") ||
	       str_starts(name, "Kconfig") || str_ends(name, ".mk");
}

static int stop_at_match(void *arg, const struct tree_change *c, struct err *err)
{
	const struct touches *t = arg;

	(void)err;
	if (t->alone)
		return pathset_has(t->files, c->path);
	return is_build_file(c->path) || pathset_has(t->files, c->path) ||
	       (!c->from.mode && pathset_has(t->names, name_of(c->path)));
}

static int touches_any(struct view *v, const char *id, const struct treediff_ask *ask,
		       struct err *err)
{
	_cleanup_(view_trees_deinit) struct view_trees trees = { 0 };
	int rc = 0;

	if (view_trees(v, id, &trees, err) < 0)
		return -1;
	if (!trees.n_parents)
		return treediff_run(v->diff, NULL, &trees.own, ask, err);
	for (size_t p = 0; p < trees.n_parents && rc == 0; p++)
		rc = treediff_run(v->diff, &trees.parents[p], &trees.own, ask, err);
	return rc;
}

static int find_with(struct view *v, const struct range *range, const struct treediff_ask *ask,
		     bool *ret, struct err *err)
{
	for (size_t i = 0; i < range->n; i++) {
		int rc = stop_check(err) < 0 ? -1 : touches_any(v, range->commits[i].id, ask, err);

		if (rc < 0)
			return -1;
		ret[i] = rc == 1;
	}
	return 0;
}

static int find_touching(const char *repo, const struct range *range, const struct strv *files,
			 bool alone, bool *ret, struct err *err)
{
	_cleanup_free_ bool *touching = xcalloc(range->n, sizeof(*touching));
	_cleanup_strv_ struct strv sorted = { 0 };
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_(view_deinit) struct view v = { 0 };
	_cleanup_free_ char *driver = driver_of(files);
	struct touches t = { .files = &sorted, .names = &names, .driver = driver, .alone = alone };
	const struct treediff_ask ask = { .enters = enters, .changed = stop_at_match, .arg = &t };

	for (size_t i = 0; i < files->n; i++) {
		strv_add(&sorted, files->items[i]);
		strv_add(&names, name_of(files->items[i]));
	}
	strv_sort_once(&sorted);
	strv_sort_once(&names);
	if (view_open(repo, &v, err) < 0 || find_with(&v, range, &ask, touching, err) < 0)
		return -1;
	memcpy(ret, touching, range->n * sizeof(*ret));
	return 0;
}

int change_touches(const char *repo, const struct range *range, const struct strv *files, bool *ret,
		   struct err *err)
{
	return find_touching(repo, range, files, false, ret, err);
}

int change_touches_only(const char *repo, const struct range *range, const struct strv *files,
			bool *ret, struct err *err)
{
	return find_touching(repo, range, files, true, ret, err);
}

static bool enters_such(void *arg, const char *dir)
{
	const struct change_files *what = arg;

	return what->enters(what->arg, dir);
}

static int stop_at_such(void *arg, const struct tree_change *c, struct err *err)
{
	const struct change_files *what = arg;

	(void)err;
	return what->counts(what->arg, c->path);
}

int change_touches_such(const char *repo, const struct range *range,
			const struct change_files *what, bool *ret, struct err *err)
{
	_cleanup_free_ bool *touching = xcalloc(range->n, sizeof(*touching));
	_cleanup_(view_deinit) struct view v = { 0 };
	const struct treediff_ask ask = { .enters = enters_such,
					  .changed = stop_at_such,
					  .arg = (void *)what };

	if (view_open(repo, &v, err) < 0 || find_with(&v, range, &ask, touching, err) < 0)
		return -1;
	memcpy(ret, touching, range->n * sizeof(*ret));
	return 0;
}

int change_between(const char *repo, const char *from, const char *to,
		   const struct change_files *what, struct err *err)
{
	_cleanup_(view_trees_deinit) struct view_trees old = { 0 };
	_cleanup_(view_trees_deinit) struct view_trees new = { 0 };
	_cleanup_(view_deinit) struct view v = { 0 };
	const struct treediff_ask ask = { .enters = enters_such,
					  .changed = stop_at_such,
					  .arg = (void *)what };

	if (view_open(repo, &v, err) < 0 || view_trees(&v, from, &old, err) < 0 ||
	    view_trees(&v, to, &new, err) < 0)
		return -1;
	return treediff_run(v.diff, &old.own, &new.own, &ask, err);
}
