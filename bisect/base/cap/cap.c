// SPDX-License-Identifier: GPL-2.0-or-later
/* The cache's size, and who uses what of it: see cap.h. */
#include "base/cap/cap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "base/fs.h"
#include "base/str.h"

#define DRAFT	      "draft-"
#define USED_LATELY_S (24 * 3600)

struct cap_hold {
	int fd;
};

void cap_release(struct cap_hold *h)
{
	if (!h)
		return;
	close_p(&h->fd);
	free(h);
}

static int lock(int fd, int how)
{
	int rc;

	do
		rc = flock(fd, how);
	while (rc < 0 && errno == EINTR);
	return rc;
}

static int open_entry(const char *path)
{
	return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

/* Whoever waited for a lock may have one on what was moved away meanwhile. */
static bool is_still(int fd, const char *path)
{
	struct stat own, now;

	return fstat(fd, &own) == 0 && lstat(path, &now) == 0 && own.st_dev == now.st_dev &&
	       own.st_ino == now.st_ino;
}

int cap_hold(const char *path, struct cap_hold **ret, struct err *err)
{
	_cleanup_close_ int fd = open_entry(path);

	if (fd < 0 && (errno == ENOENT || errno == ELOOP || errno == ENXIO))
		return 0;
	if (fd < 0)
		return err_errno(err, ERR_HOST, "cannot read %s", path);
	lock(fd, LOCK_SH);
	if (!is_still(fd, path))
		return 0;
	*ret = xcalloc(1, sizeof(**ret));
	(*ret)->fd = take_fd(fd);
	return 1;
}

int cap_draft(const char *dir, char **ret, struct cap_hold **hold, struct err *err)
{
	if (fs_mkdirs(dir, err) < 0)
		return -1;
	for (;;) {
		_cleanup_free_ char *path = str_printf("%s/" DRAFT "XXXXXX", dir);
		int held;

		if (!mkdtemp(path))
			return err_errno(err, ERR_HOST, "cannot write below %s", dir);
		held = cap_hold(path, hold, err);
		if (held < 0)
			return -1;
		if (held) {
			*ret = take_ptr(path);
			return 0;
		}
		/* swept away before it was ours: once more */
	}
}

enum use { USED, FREE, UNKNOWN };

/* Takes the lock alone if it can be had at once. */
static enum use take_alone(int fd)
{
	if (lock(fd, LOCK_EX | LOCK_NB) == 0)
		return FREE;
	return errno == EWOULDBLOCK ? USED : UNKNOWN;
}

/* Moved first, so that nobody meets half of it; its lock is held alone, or there are no locks. */
static int move_and_remove(const char *path, struct err *err)
{
	static atomic_uint counter;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (!fs_is_dir(path) || str_starts(name, DRAFT))
		return fs_remove_tree(path, err);
	for (;;) {
		_cleanup_free_ char *to = str_printf("%.*s" DRAFT "%d-%u", (int)(name - path), path,
						     (int)getpid(), atomic_fetch_add(&counter, 1));

		if (rename(path, to) == 0)
			return fs_remove_tree(to, err);
		if (errno == ENOENT)
			return 0;
		if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
			return err_errno(err, ERR_HOST, "cannot remove %s", path);
	}
}

int cap_discard(const char *path, struct cap_hold *hold, struct err *err)
{
	_cleanup_(cap_release_p) struct cap_hold *own = hold;
	_cleanup_close_ int fd = own ? -1 : open_entry(path);
	int of = own ? own->fd : fd;

	if (of < 0 && errno == ENOENT)
		return 1;
	/* what cannot be opened (no permission, a socket) has no holder either */
	if (of >= 0 && take_alone(of) == USED)
		return 0;
	if (of >= 0 && !is_still(of, path))
		return 1;
	return move_and_remove(path, err) < 0 ? -1 : 1;
}

struct entry {
	char *name;
	struct timespec used;
	uint64_t bytes;
};

struct entries {
	struct entry *items;
	size_t n, cap;
	uint64_t bytes;
};

static void entries_deinit(struct entries *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->items[i].name);
	free(e->items);
}

static uint64_t bytes_below(int parent, const char *name)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	_cleanup_closedir_ DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	uint64_t sum = 0;
	struct dirent *d;
	struct stat st;

	if (fd >= 0 && !dir)
		close(fd);
	while (dir && (d = readdir(dir))) {
		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
		    fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
			sum += (uint64_t)st.st_blocks * 512;
		if (S_ISDIR(st.st_mode))
			sum += bytes_below(fd, d->d_name);
	}
	return sum;
}

static int oldest_first(const void *a, const void *b)
{
	const struct timespec *x = &((const struct entry *)a)->used;
	const struct timespec *y = &((const struct entry *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

static void scan(const char *path, const char *only, struct entries *ret)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	struct dirent *d;
	struct stat st;

	while (dir && (d = readdir(dir))) {
		struct entry *e;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
		    !str_starts(d->d_name, only) ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (ret->n == ret->cap) {
			ret->cap = ret->cap ? 2 * ret->cap : 64;
			ret->items = xrealloc(ret->items, ret->cap, sizeof(*ret->items));
		}
		e = &ret->items[ret->n++];
		*e = (struct entry){ .name = xstrdup(d->d_name),
				     .used = st.st_mtim,
				     .bytes = (uint64_t)st.st_blocks * 512 };
		if (S_ISDIR(st.st_mode))
			e->bytes += bytes_below(dirfd(dir), d->d_name);
		ret->bytes += e->bytes;
	}
}

/* 1 gone, 0 it stays. Without locks, what was used lately may be in use. */
static int give_up(const char *dir, const struct entry *e, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, e->name);
	_cleanup_close_ int fd = open_entry(path);
	enum use use = fd < 0 ? FREE : take_alone(fd);

	if (fd < 0 && errno == ENOENT)
		return 1;
	if (use == USED || (use == UNKNOWN && e->used.tv_sec + USED_LATELY_S > time(NULL)))
		return 0;
	/* another process was faster; what may have the name now is another entry */
	if (fd >= 0 && !is_still(fd, path))
		return 1;
	return move_and_remove(path, err) < 0 ? -1 : 1;
}

uint64_t cap_bytes(const char *dir)
{
	_cleanup_(entries_deinit) struct entries all = { 0 };

	scan(dir, "", &all);
	return all.bytes;
}

int cap_sweep(const char *dir, struct err *err)
{
	_cleanup_(entries_deinit) struct entries drafts = { 0 };

	scan(dir, DRAFT, &drafts);
	for (size_t i = 0; i < drafts.n; i++)
		if (give_up(dir, &drafts.items[i], err) < 0)
			return -1;
	return 0;
}

int cap_trim(const char *dir, uint64_t max_bytes, const char *keep, struct err *err)
{
	_cleanup_(entries_deinit) struct entries all = { 0 };

	scan(dir, "", &all);
	if (all.bytes <= max_bytes)
		return 0;
	qsort(all.items, all.n, sizeof(*all.items), oldest_first);
	for (size_t i = 0; i < all.n && all.bytes > max_bytes; i++) {
		int gone;

		if (keep && strcmp(all.items[i].name, keep) == 0)
			continue;
		gone = give_up(dir, &all.items[i], err);
		if (gone < 0)
			return -1;
		if (gone)
			all.bytes -= all.items[i].bytes;
	}
	return 0;
}
