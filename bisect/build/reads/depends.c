// SPDX-License-Identifier: GPL-2.0-or-later
/* What an artifact was made of: see depends.h. */
#include "build/reads/depends.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/reads/cmdfile.h"
#include "build/unit.h"

#define LIST_MAX_BYTES (16u << 20)
#define MOD_MAX_BYTES  (4u << 20)

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

static int mirror_cmds(const struct steps *s, struct strv *ret)
{
	static const char *const no_source[] = { ".mirror.o.cmd", ".mirror.ko.cmd", ".unit.o.cmd" };
	_cleanup_free_ char *dir = steps_mirror_dir(s);
	_cleanup_strv_ struct strv found = { 0 };
	struct err ignored = { 0 };

	if (cmdfile_find(dir, &found, &ignored) < 0)
		return -1;
	strv_sort_once(&found);
	for (size_t i = 0; i < found.n; i++) {
		const char *path = found.items[i];
		const char *name = strrchr(path, '/') + 1;
		bool skip = !(str_ends(name, ".o.cmd") || str_ends(name, ".s.cmd"));

		for (size_t n = 0; n < ARRAY_SIZE(no_source); n++)
			skip |= strcmp(name, no_source[n]) == 0;
		if (!skip)
			strv_add(ret, path);
	}
	return 0;
}

/* Names out of the .cmd files of one build. */
struct names {
	const char *dir; /* that was built */
	struct nameset set;
};

struct taking {
	struct nameset *set;
	bool any;
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

static bool take_name(const char *name, size_t len, void *arg)
{
	struct taking *t = arg;

	t->any = true;
	nameset_add(t->set, name, len);
	return true;
}

/* What objects were made of; false if that is not known of one of them. */
static bool read_cmds(const struct strv *cmds, bool each, struct names *ret)
{
	for (size_t i = 0; i < cmds->n; i++) {
		struct taking taking = { .set = &ret->set };
		_cleanup_free_ char *cmd = NULL;
		struct err ignored = { 0 };

		if (fs_read(cmds->items[i], CMDFILE_MAX_BYTES, &cmd, NULL, &ignored) < 0)
			return false;
		cmdfile_each(cmd, take_name, &taking);
		if (each && !taking.any)
			return false;
	}
	return true;
}

/* Those that lie in the tree, as it names them; false if one is nowhere to be found. */
static bool place_all(const struct steps *s, const struct names *names, struct strv *ret)
{
	_cleanup_free_ char *root = depends_normal(s->tree->linux_dir);
	size_t len = strlen(root);

	for (size_t i = 0; i < names->set.names.n; i++) {
		_cleanup_free_ char *path = place(s, names->dir, names->set.names.items[i]);

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
		strv_take(ret, cmdfile_of(object));
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

static bool collect(const struct steps *s, const char *dir, const struct strv *cmds, bool each,
		    struct strv *ret)
{
	struct names names = { .dir = dir };
	bool known = read_cmds(cmds, each, &names) && place_all(s, &names, ret);

	nameset_deinit(&names.set);
	return known;
}

static bool collect_driver(const struct steps *s, struct strv *ret)
{
	_cleanup_free_ char *dir = str_printf("%s/%s/amdgpu", s->tree->linux_dir, s->spec->driver);
	_cleanup_strv_ struct strv cmds = { 0 };

	if (s->spec->scope == BUILD_SCOPE_MODULE)
		return list_module(s, dir, &cmds) && collect(s, dir, &cmds, true, ret);
	return list_unit(dir, &cmds) && collect(s, dir, &cmds, true, ret);
}

/*
 * All that was ever compiled in the tree, host programs among it. What is no part of the kernel any more
 * is in the list as well, which costs a build and never spares one. An archive's .cmd names nothing.
 */
static bool collect_kernel(const struct steps *s, struct strv *ret)
{
	_cleanup_strv_ struct strv cmds = { 0 };
	struct err ignored = { 0 };

	return cmdfile_find(s->tree->linux_dir, &cmds, &ignored) == 0 &&
	       collect(s, s->tree->linux_dir, &cmds, false, ret) && ret->n;
}

bool depends_of_mirror(const struct steps *s, struct strv *ret)
{
	_cleanup_free_ char *dir = steps_mirror_dir(s);
	_cleanup_strv_ struct strv cmds = { 0 };

	return mirror_cmds(s, &cmds) == 0 && collect(s, dir, &cmds, true, ret);
}

int depends_store(const struct steps *s, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/" DEPENDS_NAME, s->out);
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_buf_ struct buf text = { 0 };

	if (!(s->spec->scope == BUILD_SCOPE_KERNEL ? collect_kernel(s, &files)
						   : collect_driver(s, &files)) ||
	    !depends_of_mirror(s, &files))
		return 0;
	strv_sort_once(&files);
	for (size_t i = 0; i < files.n; i++)
		buf_printf(&text, "%s\n", files.items[i]);
	return fs_write(path, text.data, text.len, err);
}

int depends_load(const char *artifacts, const char *key, struct strv *ret, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s/" DEPENDS_NAME, artifacts, key);
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
