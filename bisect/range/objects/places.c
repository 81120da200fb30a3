// SPDX-License-Identifier: GPL-2.0-or-later
/* Object directories and their packs. What cannot be read is passed over: libgit2 gets to say so. */
#include "range/objects/places.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/fs.h"

#define ALTERNATES_DEPTH_MAX 5 /* of git's link_alt_odb_entries() */
#define ALTERNATES_MAX_BYTES (1 << 20)

static bool is_known(const struct strv *dirs, const char *dir)
{
	for (size_t i = 0; i < dirs->n; i++)
		if (strcmp(dirs->items[i], dir) == 0)
			return true;
	return false;
}

/* A line of info/alternates, relative to the directory above info/. */
static void add_place(const char *base, const char *line, size_t len, struct strv *ret)
{
	_cleanup_free_ char *path =
		*line == '/' ? xstrndup(line, len) : str_printf("%s/%.*s", base, (int)len, line);
	_cleanup_free_ char *real = realpath(path, NULL);

	if (real && !is_known(ret, real))
		strv_take(ret, take_ptr(real));
}

static void add_alternates(const char *dir, struct strv *ret)
{
	_cleanup_free_ char *path = str_printf("%s/info/alternates", dir);
	_cleanup_free_ char *text = NULL;
	struct err unread;

	if (!fs_exists(path) || fs_read(path, ALTERNATES_MAX_BYTES, &text, NULL, &unread) < 0)
		return;
	for (const char *line = text; *line;) {
		size_t len = strcspn(line, "\n");

		if (len && *line != '#')
			add_place(dir, line, len, ret);
		line += len + (line[len] == '\n');
	}
}

void places_find(const char *dir, struct strv *ret)
{
	size_t from = 0;

	add_place("/", dir, strlen(dir), ret);
	for (int depth = 0; depth <= ALTERNATES_DEPTH_MAX; depth++) {
		size_t to = ret->n;

		while (from < to)
			add_alternates(ret->items[from++], ret);
	}
}

static void add_packs(const char *dir, struct pack **packs, unsigned int *n)
{
	_cleanup_free_ char *path = str_printf("%s/pack", dir);
	_cleanup_closedir_ DIR *d = opendir(path);
	struct dirent *e;

	while (d && *n < PACKS_MAX && (e = readdir(d))) {
		_cleanup_free_ char *idx = NULL;

		if (!str_ends(e->d_name, ".idx"))
			continue;
		idx = str_printf("%s/%s", path, e->d_name);
		*packs = xrealloc(*packs, *n + 1, sizeof(**packs));
		if (pack_open(idx, *packs + *n))
			++*n;
	}
}

void places_packs(const struct strv *dirs, struct pack **ret, unsigned int *n)
{
	*ret = NULL;
	*n = 0;
	for (size_t i = 0; i < dirs->n; i++)
		add_packs(dirs->items[i], ret, n);
}
