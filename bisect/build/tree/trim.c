// SPDX-License-Identifier: GPL-2.0-or-later
/* Room for trees: see trim.h. */
#include "build/tree/trim.h"

#include <dirent.h>
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/stop.h"
#include "base/str.h"

#define LOCK_END ".lock"
#define GONE_END ".gone"
#define SIZE_END ".size"

DEFINE_CLEANUP(FTS *, fts_close)

struct entry {
	char *path;
	struct timespec used;
	uint64_t bytes;
};

struct entries {
	struct entry *items;
	size_t n;
	uint64_t bytes;
};

static void entries_deinit(struct entries *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->items[i].path);
	free(e->items);
}

static bool later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static int oldest_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return later(&x->used, &y->used) - later(&y->used, &x->used);
}

/* Bytes on disk; what vanishes meanwhile counts nothing. */
static int measure(const char *path, uint64_t *ret, struct err *err)
{
	_cleanup_free_ char *root = xstrdup(path);
	char *const roots[] = { root, NULL };
	_cleanup_(fts_close_p) FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	uint64_t sum = 0;
	FTSENT *e;

	if (!fts)
		return err_errno(err, ERR_HOST, "cannot read %s", path);
	while ((e = fts_read(fts))) {
		if (stop_check(err) < 0)
			return -1;
		if (e->fts_info == FTS_F || e->fts_info == FTS_D)
			sum += (uint64_t)e->fts_statp->st_blocks * 512;
	}
	*ret = sum;
	return 0;
}

/* A tree's size is kept beside it, and holds until the tree is used again. */
static int tree_bytes(const char *path, const struct timespec *used, uint64_t *ret, struct err *err)
{
	_cleanup_free_ char *note = str_printf("%s" SIZE_END, path);
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };
	struct stat st;
	char digits[24];

	if (stat(note, &st) == 0 && later(&st.st_mtim, used) &&
	    fs_read(note, sizeof(digits), &text, NULL, &ignored) == 0 &&
	    str_to_u64(text, UINT64_MAX, ret))
		return 0;
	if (measure(path, ret, err) < 0)
		return -1;
	snprintf(digits, sizeof(digits), "%" PRIu64, *ret);
	return fs_write(note, digits, strlen(digits), err);
}

static int add_tree(const char *path, struct entries *ret, struct err *err)
{
	_cleanup_free_ char *lock = str_printf("%s" LOCK_END, path);
	struct entry e = { 0 };
	struct stat st;

	/* without a lock nobody used it since it was copied here: the oldest */
	if (stat(lock, &st) == 0)
		e.used = st.st_mtim;
	if (tree_bytes(path, &e.used, &e.bytes, err) < 0)
		return -1;
	e.path = xstrdup(path);
	ret->items = xrealloc(ret->items, ret->n + 1, sizeof(*ret->items));
	ret->items[ret->n++] = e;
	ret->bytes += e.bytes;
	return 0;
}

static int scan(const char *dir, const char *own, struct entries *ret, struct err *err)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return errno == ENOENT ? 0 : err_errno(err, ERR_HOST, "cannot list %s", dir);
	while ((e = readdir(d))) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, e->d_name);

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    strcmp(e->d_name, own) == 0)
			continue;
		if (str_ends(e->d_name, GONE_END)) {
			if (fs_remove_large_tree(path, err) < 0)
				return -1;
		} else if (fs_is_dir(path) && add_tree(path, ret, err) < 0) {
			return -1;
		}
	}
	return 0;
}

/* False if it is in use: then it stays. */
static int remove_unless_used(const char *path, bool *removed, struct err *err)
{
	_cleanup_free_ char *lock = str_printf("%s" LOCK_END, path);
	_cleanup_free_ char *gone = str_printf("%s" GONE_END, path);
	_cleanup_free_ char *note = str_printf("%s" SIZE_END, path);
	_cleanup_close_ int fd = -1;
	struct err busy = { 0 };

	*removed = false;
	if (fs_lock(lock, false, &fd, &busy) < 0) {
		if (busy.kind != ERR_STOPPED)
			return 0;
		*err = busy;
		return -1;
	}
	if (fs_remove_large_tree(gone, err) < 0)
		return -1;
	if (rename(path, gone) < 0)
		return errno == ENOENT ? 0 : err_errno(err, ERR_HOST, "cannot remove %s", path);
	unlink(note);
	/* Whoever waits for this lock sees that the file is gone, and makes a new one. */
	unlink(lock);
	*removed = true;
	return fs_remove_large_tree(gone, err);
}

int tree_trim(const char *dir, const char *own, uint64_t own_bytes, uint64_t max_bytes,
	      struct err *err)
{
	_cleanup_(entries_deinit) struct entries all = { 0 };

	if (scan(dir, own, &all, err) < 0)
		return -1;
	if (all.n)
		qsort(all.items, all.n, sizeof(*all.items), oldest_first);
	for (size_t i = 0; i < all.n && all.bytes + own_bytes > max_bytes; i++) {
		bool removed;

		if (remove_unless_used(all.items[i].path, &removed, err) < 0)
			return -1;
		if (removed)
			all.bytes -= all.items[i].bytes;
	}
	return 0;
}
