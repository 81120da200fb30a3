// SPDX-License-Identifier: GPL-2.0-or-later
/* After the files are made: those not used for longest go. What cannot be removed does no harm. */
#include "guest/image/keep.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

#define MANIFEST ".manifest"

struct kept {
	char *path;
	int64_t used_ns;
};

void keep_used(const char *path)
{
	_cleanup_free_ char *manifest = str_printf("%s" MANIFEST, path);

	utimensat(AT_FDCWD, path, NULL, 0);
	utimensat(AT_FDCWD, manifest, NULL, 0);
}

static int newest_first(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	return (x->used_ns < y->used_ns) - (x->used_ns > y->used_ns);
}

static void drop(const char *path)
{
	_cleanup_free_ char *manifest = str_printf("%s" MANIFEST, path);

	unlink(path);
	unlink(manifest);
}

void keep_newest(const char *dir, const char *prefix, size_t n)
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	struct kept *items = NULL;
	struct dirent *e;
	size_t found = 0;

	while (d && (e = readdir(d)) != NULL) {
		struct stat st;

		if (!str_starts(e->d_name, prefix) || str_ends(e->d_name, MANIFEST) ||
		    fstatat(dirfd(d), e->d_name, &st, 0) < 0)
			continue;
		items = xrealloc(items, found + 1, sizeof(*items));
		items[found++] = (struct kept){
			.path = str_printf("%s/%s", dir, e->d_name),
			.used_ns = st.st_mtim.tv_sec * NS_PER_S + st.st_mtim.tv_nsec,
		};
	}
	if (found)
		qsort(items, found, sizeof(*items), newest_first);
	for (size_t i = 0; i < found; i++) {
		if (i >= n)
			drop(items[i].path);
		free(items[i].path);
	}
	free(items);
}
