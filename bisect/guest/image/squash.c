// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the small guest gets besides its initramfs is one squashfs, which every kernel since 2.6.29
 * mounts. mksquashfs sorts what it packs; with SOURCE_DATE_EPOCH every time in it is that one.
 */
#include "guest/image/squash.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "base/str.h"
#include "guest/image/unpack.h"

#define FILE_MAX     ((size_t)1 << 30)
#define LIMIT_MS     (10 * 60 * 1000)
#define FREE_MORE    (UINT64_C(64) << 20) /* for what unpacks larger, and for others */
#define UNPACK_GROWS 4			  /* firmware: some threefold */

/* Modes do not hang on the caller's umask. */
static int make_parents(const char *path, size_t root_len, struct err *err)
{
	for (const char *s = strchr(path + root_len + 1, '/'); s; s = strchr(s + 1, '/')) {
		_cleanup_free_ char *dir = xstrndup(path, (size_t)(s - path));

		if ((mkdir(dir, 0755) < 0 && errno != EEXIST) || chmod(dir, 0755) < 0)
			return err_errno(err, ERR_HOST, "cannot make %s", dir);
	}
	return 0;
}

static int stage_file(const struct squash_file *f, const char *root, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s%s", root, f->guest);
	_cleanup_buf_ struct buf plain = { 0 };
	int r;

	if (make_parents(path, strlen(root), err) < 0)
		return -1;
	if (f->unpack)
		r = unpack_file(f->host, FILE_MAX, &plain, err) < 0
			    ? -1
			    : fs_write(path, plain.data, plain.len, err);
	else
		r = fs_copy(f->host, path, err);
	if (r == 0 && chmod(path, 0644) < 0)
		r = err_errno(err, ERR_HOST, "cannot set the mode of %s", path);
	return r;
}

/* The files lie there twice for a while: staged, and in the image. */
static int check_room(const struct squash_file *files, size_t n, const char *path, struct err *err)
{
	_cleanup_free_ char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	uint64_t need = FREE_MORE, room;

	for (size_t i = 0; i < n; i++) {
		struct stat st;

		if (stat(files[i].host, &st) < 0)
			return err_errno(err, ERR_USAGE, "cannot read %s", files[i].host);
		need += 2 * (uint64_t)st.st_size * (files[i].unpack ? UNPACK_GROWS : 1);
	}
	if (fs_free_bytes(dir, &room, err) < 0)
		return -1;
	if (room < need)
		return err_set(err, ERR_HOST,
			       "only %" PRIu64 " MiB free in %s, the guest's image takes %" PRIu64
			       " while it is made; free some space there",
			       room >> 20, dir, need >> 20);
	return 0;
}

static int pack(const char *root, const char *out, struct err *err)
{
	const char *argv[] = { "mksquashfs",   root,   out,    "-noappend", "-all-root",
			       "-no-xattrs",   "-noI", "-noD", "-noF",	    "-noX",
			       "-no-progress", NULL };
	static const char *const env[] = { "SOURCE_DATE_EPOCH=0", NULL };
	_cleanup_free_ char *program = spawn_find(argv[0]);
	_cleanup_free_ char *log = str_printf("%s.log", out);
	struct spawn spawn = { .argv = argv, .env = env, .output = log, .limit_ms = LIMIT_MS };
	struct spawn_result result;
	int r;

	if (!program)
		return err_set(err, ERR_USAGE,
			       "no mksquashfs here, which makes the guest's image; `sudo apt "
			       "install squashfs-tools`");
	r = spawn_run(&spawn, &result, err);
	if (r == 0 && result.exit_code == 0) {
		unlink(log);
		return 0;
	}
	return r < 0 ? -1 : err_set(err, ERR_HOST, "mksquashfs failed; %s says why", log);
}

int squash_make(const struct squash_file *files, size_t n, const char *path, struct err *err)
{
	_cleanup_free_ char *root = str_printf("%s.XXXXXX", path);
	_cleanup_free_ char *out = NULL;
	struct err ignored;
	int r = 0;

	if (check_room(files, n, path, err) < 0)
		return -1;
	if (!mkdtemp(root))
		return err_errno(err, ERR_HOST, "cannot make %s", root);
	if (chmod(root, 0755) < 0)
		r = err_errno(err, ERR_HOST, "cannot set the mode of %s", root);
	out = str_printf("%s.img", root);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = stage_file(&files[i], root, err);
	if (r == 0)
		r = pack(root, out, err);
	if (r == 0 && (chmod(out, 0644) < 0 || rename(out, path) < 0))
		r = err_errno(err, ERR_HOST, "cannot rename %s", out);
	if (r < 0)
		unlink(out);
	fs_remove_tree(root, &ignored);
	return r;
}
