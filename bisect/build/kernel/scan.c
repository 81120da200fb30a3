// SPDX-License-Identifier: GPL-2.0-or-later
/* What kernels and sources are installed: see kernel.h. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/kernel/kernel.h"
#include "build/kernel/source.h"

static const char *const tarball_ends[] = { ".tar.xz", ".tar.bz2", ".tar.gz", ".tar.zst", ".tar" };

static bool is_tarball(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(tarball_ends); i++)
		if (str_ends(name, tarball_ends[i]))
			return true;
	return false;
}

static void add_source(struct kernel_sources *s, const char *path)
{
	struct err ignored = { 0 };
	struct kversion v;

	/* under a name of this kind it is never read through for its version */
	if (!kversion_of_name(path, &v) || source_version(path, &v, &ignored) < 0)
		return;
	s->items = xrealloc(s->items, s->n + 1, sizeof(*s->items));
	s->items[s->n++] = (struct kernel_source){ .path = xstrdup(path), .version = v };
}

void kernel_sources_deinit(struct kernel_sources *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i].path);
	free(s->items);
	*s = (struct kernel_sources){ 0 };
}

/* Debian: linux-source-6.1.tar.xz; Ubuntu: linux-source-6.8.0/linux-source-6.8.0.tar.bz2. */
static void scan_dir(const char *path, bool outer, struct kernel_sources *ret)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		_cleanup_free_ char *full = str_printf("%s/%s", path, e->d_name);

		if (!str_starts(e->d_name, "linux-source-"))
			continue;
		if (is_tarball(e->d_name)) {
			add_source(ret, full);
		} else if (outer && fs_is_dir(full)) {
			add_source(ret, full);
			scan_dir(full, false, ret);
		}
	}
}

/* Newest first; of one version a tarball first, since nobody edits it. */
static int by_preference(const void *a, const void *b)
{
	const struct kernel_source *x = a, *y = b;
	bool xt = is_tarball(x->path), yt = is_tarball(y->path);
	const unsigned int xs[] = { x->version.version, x->version.patchlevel, xt,
				    x->version.sublevel };
	const unsigned int ys[] = { y->version.version, y->version.patchlevel, yt,
				    y->version.sublevel };

	for (size_t i = 0; i < ARRAY_SIZE(xs); i++)
		if (xs[i] != ys[i])
			return xs[i] < ys[i] ? 1 : -1;
	return strcmp(x->path, y->path);
}

void kernel_sources_scan(const char *root, struct kernel_sources *ret)
{
	_cleanup_free_ char *src = str_printf("%s/usr/src", root);

	scan_dir(src, true, ret);
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), by_preference);
}

static int newest_first(const void *a, const void *b)
{
	return strverscmp(*(char *const *)b, *(char *const *)a);
}

void kernel_releases_scan(const char *root, struct strv *ret)
{
	static const char *const prefixes[] = { "config-", "vmlinuz-" };
	_cleanup_free_ char *boot = str_printf("%s/boot", root);
	_cleanup_closedir_ DIR *dir = opendir(boot);
	struct dirent *e;
	struct kversion v;

	while (dir && (e = readdir(dir)))
		for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
			const char *release = e->d_name + strlen(prefixes[i]);

			if (str_starts(e->d_name, prefixes[i]) && kversion_parse(release, &v) &&
			    !strv_has(ret, release))
				strv_add(ret, release);
		}
	if (ret->n)
		qsort(ret->items, ret->n, sizeof(*ret->items), newest_first);
}
