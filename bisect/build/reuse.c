// SPDX-License-Identifier: GPL-2.0-or-later
/* The last candidate's modules once more: see reuse.h. */
#include "build/reuse.h"

#include <fts.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/cache.h"
#include "build/depends.h"
#include "build/unit.h"

#define CMD_MAX_BYTES (4u << 20)
#define NOTE_MAX      256

DEFINE_CLEANUP(FTS *, fts_close)

/*
 * "source_x := a.c", then "deps_x := \" and one file a line. Those in $(wildcard ...) are markers of
 * config options, and the config stays.
 *
 * Source: scripts/basic/fixdep.c, parse_dep_file().
 */
void reuse_deps(const char *cmd, struct strv *ret)
{
	bool in_deps = false;

	while (*cmd) {
		size_t len = strcspn(cmd, "\n");
		size_t first = strspn(cmd, " \t");
		const char *assign = memmem(cmd, len, " := ", 4);

		if (str_starts(cmd, "source_") && assign) {
			const char *from = assign + 4;

			strv_take(ret, xstrndup(from, (size_t)(cmd + len - from)));
		} else if (str_starts(cmd, "deps_") && assign) {
			in_deps = true;
		} else if (in_deps && first < len && cmd[first] != '$') {
			size_t n = strcspn(cmd + first, " \t\\\n");

			if (n)
				strv_take(ret, xstrndup(cmd + first, n));
		}
		in_deps = in_deps && len && cmd[len - 1] == '\\';
		cmd += len + (cmd[len] == '\n');
	}
}

static bool add_stat(const char *path, struct buf *text)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return false;
	buf_printf(text, "%s %" PRIdMAX " %" PRIdMAX ".%09ld\n", path, (intmax_t)st.st_size,
		   (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return true;
}

/* Every file that one object was made of; false if that is not known. */
static bool add_object(const struct steps *s, const char *cmd_path, struct buf *text)
{
	_cleanup_strv_ struct strv deps = { 0 };
	_cleanup_free_ char *cmd = NULL;
	struct err ignored = { 0 };

	if (fs_read(cmd_path, CMD_MAX_BYTES, &cmd, NULL, &ignored) < 0)
		return false;
	reuse_deps(cmd, &deps);
	for (size_t i = 0; i < deps.n; i++) {
		const char *name = deps.items[i];
		_cleanup_free_ char *path = *name == '/'
						    ? xstrdup(name)
						    : str_printf("%s/%s", s->tree->linux_dir, name);

		if (!add_stat(path, text))
			return false;
	}
	return deps.n > 0;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_makefile(const char *name)
{
	return str_starts(name, "Makefile") || str_starts(name, "Kbuild") || str_ends(name, ".mk");
}

/* Makefiles with their times, headers by name; of a limited path that is a file, its time. */
static bool add_limited(const char *path, struct buf *text)
{
	_cleanup_free_ char *root = xstrdup(path);
	char *const roots[] = { root, NULL };
	_cleanup_(fts_close_p) FTS *fts = NULL;
	FTSENT *e;

	if (!fs_exists(path))
		return true;
	if (!fs_is_dir(path))
		return str_ends(path, ".c") || add_stat(path, text);
	fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_name);
	if (!fts)
		return false;
	while ((e = fts_read(fts))) {
		if (e->fts_info == FTS_ERR || e->fts_info == FTS_DNR)
			return false;
		if (str_ends(e->fts_name, ".h"))
			buf_printf(text, "%s\n", e->fts_path);
		else if (is_makefile(e->fts_name) && !add_stat(e->fts_path, text))
			return false;
	}
	return true;
}

static bool add_mirror(const struct steps *s, struct buf *text)
{
	_cleanup_strv_ struct strv cmds = { 0 };

	if (depends_mirror(s, &cmds) < 0)
		return false;
	for (size_t i = 0; i < cmds.n; i++)
		if (!add_object(s, cmds.items[i], text))
			return false;
	return cmds.n > 0;
}

static bool fingerprint(const struct steps *s, char ret[65])
{
	_cleanup_free_ char *driver =
		str_printf("%s/%s/amdgpu", s->tree->linux_dir, s->spec->driver);
	_cleanup_buf_ struct buf text = { 0 };
	_cleanup_free_ char *unit = NULL;
	_cleanup_free_ char *cmd = NULL;
	struct err ignored = { 0 };

	if (unit_find(driver, &unit, &ignored) < 0)
		return false;
	cmd = str_printf("%s/.%s.o.cmd", driver, unit);
	buf_printf(&text, "unit %s\nmirror %s\n", unit, s->mirror_hash);
	if (!add_object(s, cmd, &text) || !add_mirror(s, &text))
		return false;
	for (size_t i = 0; i < s->spec->n_paths; i++) {
		_cleanup_free_ char *path =
			str_printf("%s/%s", s->tree->linux_dir, s->spec->paths[i]);

		if (!add_limited(path, &text))
			return false;
	}
	fs_sha256_text(text.data, text.len, ret);
	return true;
}

static char *note_path(const struct steps *s)
{
	return str_printf("%s/reuse", s->tree->dir);
}

int reuse_take(const struct steps *s, const char *artifacts, struct artifact *a, struct err *err)
{
	_cleanup_(artifact_deinit) struct artifact last = { 0 };
	_cleanup_free_ char *path = note_path(s);
	_cleanup_free_ char *note = NULL;
	struct err ignored = { 0 };
	char is[65];

	if (s->spec->scope != BUILD_SCOPE_UNIT || !fs_exists(path) ||
	    fs_read(path, NOTE_MAX, &note, NULL, &ignored) < 0 || strlen(note) != 64 + 1 + 64 ||
	    !fingerprint(s, is) || memcmp(note, is, 64) != 0)
		return 0;
	if (cache_load(artifacts, note + 65, s->log, NULL, &last, &ignored) <= 0)
		return 0;
	for (size_t i = 0; i < last.n_modules; i++) {
		struct artifact_module *m = &a->modules[a->n_modules];
		_cleanup_free_ char *to = str_printf("%s/%s.ko", s->out, last.modules[i].name);

		if (fs_copy(last.modules[i].path, to, err) < 0)
			return -1;
		str_copy(m->name, sizeof(m->name), last.modules[i].name);
		a->n_modules++;
	}
	return 1;
}

int reuse_note(const struct steps *s, const struct artifact *a, struct err *err)
{
	_cleanup_free_ char *path = note_path(s);
	_cleanup_free_ char *text = NULL;
	char is[65];

	if (s->spec->scope != BUILD_SCOPE_UNIT || !fingerprint(s, is))
		return fs_remove_tree(path, err);
	text = str_printf("%s %s", is, a->key);
	return fs_write(path, text, strlen(text), err);
}
