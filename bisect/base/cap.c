// SPDX-License-Identifier: GPL-2.0-or-later
/* The cache's size: see cap.h. */
#include "base/cap.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

struct entry {
	char *path;
	struct timespec used;
	uint64_t bytes;
	bool keep;
};

struct entries {
	struct entry *items;
	size_t n, cap;
	uint64_t bytes;
};

static void entries_deinit(struct entries *e)
{
	for (size_t i = 0; i < e->n; i++)
		free(e->items[i].path);
	free(e->items);
}

static uint64_t bytes_below(const char *path)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	uint64_t sum = 0;
	struct dirent *d;
	struct stat st;

	while (dir && (d = readdir(dir)))
		if (fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode))
			sum += (uint64_t)st.st_blocks * 512;
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

static void scan(const char *path, const char *keep, struct entries *ret)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	struct dirent *d;
	struct stat st;

	while (dir && (d = readdir(dir))) {
		struct entry *e;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0 ||
		    fstatat(dirfd(dir), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (ret->n == ret->cap) {
			ret->cap = ret->cap ? 2 * ret->cap : 64;
			ret->items = xrealloc(ret->items, ret->cap, sizeof(*ret->items));
		}
		e = &ret->items[ret->n++];
		*e = (struct entry){ .path = str_printf("%s/%s", path, d->d_name),
				     .used = st.st_mtim,
				     .bytes = (uint64_t)st.st_blocks * 512,
				     .keep = keep && strcmp(d->d_name, keep) == 0 };
		if (S_ISDIR(st.st_mode))
			e->bytes += bytes_below(e->path);
		ret->bytes += e->bytes;
	}
}

int cap_trim(const char *dir, uint64_t max_bytes, const char *keep, struct err *err)
{
	_cleanup_(entries_deinit) struct entries all = { 0 };

	scan(dir, keep, &all);
	if (all.bytes <= max_bytes)
		return 0;
	qsort(all.items, all.n, sizeof(*all.items), oldest_first);
	for (size_t i = 0; i < all.n && all.bytes > max_bytes; i++) {
		if (all.items[i].keep)
			continue;
		if (fs_remove_tree(all.items[i].path, err) < 0)
			return -1;
		all.bytes -= all.items[i].bytes;
	}
	return 0;
}
