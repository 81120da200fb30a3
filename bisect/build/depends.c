// SPDX-License-Identifier: GPL-2.0-or-later
/* What an artifact was made of: see depends.h. */
#include "build/depends.h"

#include <fts.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/reuse.h"
#include "build/unit.h"

#define LIST_NAME      "depends"
#define LIST_MAX_BYTES (16u << 20)
#define CMD_MAX_BYTES  (4u << 20)
#define MOD_MAX_BYTES  (4u << 20)

DEFINE_CLEANUP(FTS *, fts_close)

char *depends_normal(const char *path)
{
	struct buf b = { 0 };
	size_t top = *path == '/';

	buf_add(&b, path, top);
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && memcmp(path, "..", 2) == 0) {
			while (b.len > top && b.data[b.len - 1] != '/')
				b.len--;
			b.len -= b.len > top; /* the slash */
		} else if (len && !(len == 1 && *path == '.')) {
			buf_puts(&b, b.len > top ? "/" : "");
			buf_add(&b, path, len);
		}
		path += len;
		path += strspn(path, "/");
	}
	if (b.data)
		b.data[b.len] = '\0';
	return buf_take(&b);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int depends_mirror(const struct steps *s, struct strv *ret)
{
	static const char *const no_source[] = { ".mirror.o.cmd", ".mirror.ko.cmd", ".unit.o.cmd" };
	_cleanup_free_ char *dir = steps_mirror_dir(s);
	char *const roots[] = { dir, NULL };
	_cleanup_(fts_close_p) FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	FTSENT *e;

	while (fts && (e = fts_read(fts))) {
		bool skip = e->fts_info != FTS_F || e->fts_name[0] != '.' ||
			    !(str_ends(e->fts_name, ".o.cmd") || str_ends(e->fts_name, ".s.cmd"));

		for (size_t i = 0; i < ARRAY_SIZE(no_source); i++)
			skip |= strcmp(e->fts_name, no_source[i]) == 0;
		if (!skip)
			strv_add(ret, e->fts_path);
	}
	return fts ? 0 : -1;
}

/* "dir/name.o" → "dir/.name.o.cmd" */
static char *cmd_of(const char *object)
{
	const char *slash = strrchr(object, '/');
	const char *name = slash ? slash + 1 : object;

	return str_printf("%.*s.%s.cmd", (int)(name - object), object, name);
}

/* Names out of the .cmd files of one build. */
struct names {
	const char *dir; /* that was built */
	struct strv items;
	size_t sorted; /* so many were left when they were sorted last */
};

/*
 * A name out of Kbuild's files. It is relative to the tree's root, or since 6.13 to the directory that
 * is built. NULL if there is no such file.
 */
static char *place(const struct steps *s, const char *dir, const char *name)
{
	_cleanup_free_ char *in_tree = str_printf("%s/%s", s->tree->linux_dir, name);
	_cleanup_free_ char *in_dir = str_printf("%s/%s", dir, name);

	if (*name == '/')
		return fs_exists(name) ? depends_normal(name) : NULL;
	if (fs_exists(in_tree))
		return depends_normal(in_tree);
	return fs_exists(in_dir) ? depends_normal(in_dir) : NULL;
}

/* What objects were made of; false if that is not known of one of them. */
static bool read_cmds(const struct strv *cmds, struct names *ret)
{
	for (size_t i = 0; i < cmds->n; i++) {
		_cleanup_free_ char *cmd = NULL;
		struct err ignored = { 0 };
		size_t before = ret->items.n;

		if (fs_read(cmds->items[i], CMD_MAX_BYTES, &cmd, NULL, &ignored) < 0)
			return false;
		reuse_deps(cmd, &ret->items);
		if (ret->items.n == before)
			return false;
		/* the objects of a driver read the same headers again and again */
		if (ret->items.n > 2 * ret->sorted + 4096) {
			strv_sort_once(&ret->items);
			ret->sorted = ret->items.n;
		}
	}
	strv_sort_once(&ret->items);
	return true;
}

/* Those that lie in the tree, as it names them; false if one is nowhere to be found. */
static bool place_all(const struct steps *s, const struct names *names, struct strv *ret)
{
	_cleanup_free_ char *root = depends_normal(s->tree->linux_dir);
	size_t len = strlen(root);

	for (size_t i = 0; i < names->items.n; i++) {
		_cleanup_free_ char *path = place(s, names->dir, names->items.items[i]);

		if (!path)
			return false;
		if (str_starts(path, root) && path[len] == '/')
			strv_add(ret, path + len + 1);
	}
	return true;
}

/* The objects of amdgpu.ko, as Kbuild wrote them down for modpost; once one a line, before on one line. */
static bool list_module(const struct steps *s, const char *dir, struct strv *ret)
{
	_cleanup_free_ char *path = str_printf("%s/amdgpu.mod", dir);
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };
	char *save = NULL;

	if (fs_read(path, MOD_MAX_BYTES, &text, NULL, &ignored) < 0)
		return false;
	for (char *o = strtok_r(text, " \n", &save); o; o = strtok_r(NULL, " \n", &save)) {
		_cleanup_free_ char *object = NULL;

		if (!str_ends(o, ".o")) /* symbols, with TRIM_UNUSED_KSYMS before 5.19 */
			continue;
		object = place(s, dir, o);
		if (!object)
			return false;
		strv_take(ret, cmd_of(object));
	}
	return ret->n > 0;
}

static bool list_unit(const char *dir, struct strv *ret)
{
	_cleanup_free_ char *unit = NULL;
	struct err ignored = { 0 };

	if (unit_find(dir, &unit, &ignored) < 0)
		return false;
	strv_addf(ret, "%s/.%s.o.cmd", dir, unit);
	return true;
}

static bool collect_driver(const struct steps *s, struct strv *ret)
{
	_cleanup_free_ char *dir = str_printf("%s/%s/amdgpu", s->tree->linux_dir, s->spec->driver);
	_cleanup_strv_ struct strv cmds = { 0 };
	struct names names = { .dir = dir };
	bool known = s->spec->scope == BUILD_SCOPE_UNIT ? list_unit(dir, &cmds)
							: list_module(s, dir, &cmds);

	known = known && read_cmds(&cmds, &names) && place_all(s, &names, ret);
	strv_deinit(&names.items);
	return known;
}

static bool collect_mirror(const struct steps *s, struct strv *ret)
{
	_cleanup_free_ char *dir = steps_mirror_dir(s);
	_cleanup_strv_ struct strv cmds = { 0 };
	struct names names = { .dir = dir };
	bool known = depends_mirror(s, &cmds) == 0 && read_cmds(&cmds, &names) &&
		     place_all(s, &names, ret);

	strv_deinit(&names.items);
	return known;
}

int depends_store(const struct steps *s, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/" LIST_NAME, s->out);
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_buf_ struct buf text = { 0 };

	if (!collect_driver(s, &files) || !collect_mirror(s, &files))
		return 0;
	strv_sort_once(&files);
	for (size_t i = 0; i < files.n; i++)
		buf_printf(&text, "%s\n", files.items[i]);
	return fs_write(path, text.data, text.len, err);
}

int depends_load(const char *artifacts, const char *key, struct strv *ret, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s/" LIST_NAME, artifacts, key);
	_cleanup_free_ char *text = NULL;
	char *save = NULL;

	if (!fs_exists(path))
		return 0;
	if (fs_read(path, LIST_MAX_BYTES, &text, NULL, err) < 0)
		return -1;
	for (char *f = strtok_r(text, "\n", &save); f; f = strtok_r(NULL, "\n", &save))
		strv_add(ret, f);
	return 0;
}
