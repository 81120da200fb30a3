// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ids name content: the same ends under the same overlay have the same candidates for ever. What can
 * change is the overlay, and whether the objects are still there.
 *
 * Source: gitrepository-layout(5), "objects", "info/grafts", "shallow"; git-replace(1).
 */
#include "range/cache/stamp.h"

#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "range/objects/overlay.h"
#include "range/objects/places.h"

#define OVERLAY_MAX_BYTES (64 << 20)

static void put_stat(struct buf *b, const char *name, const struct stat *st)
{
	buf_printf(b, "%s %ju %ju %jd %jd.%09ld\n", name, (uintmax_t)st->st_dev,
		   (uintmax_t)st->st_ino, (intmax_t)st->st_size, (intmax_t)st->st_mtim.tv_sec,
		   st->st_mtim.tv_nsec);
}

static int put_file(struct buf *b, git_repository *repo, const char *name, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s%s", git_repository_commondir(repo), name);
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (!fs_exists(path))
		return 0;
	if (fs_is_special(path))
		return err_set(err, ERR_HOST, "%s is no file; remove it", path);
	if (fs_read(path, OVERLAY_MAX_BYTES, &text, &len, err) < 0)
		return -1;
	buf_printf(b, "%s %zu\n", name, len);
	buf_add(b, text, len);
	return 0;
}

static int put_replacements(struct buf *b, git_repository *repo, struct err *err)
{
	_cleanup_(git_reference_iterator_free_p) git_reference_iterator *it = NULL;
	const char *name;
	int rc = git_reference_iterator_glob_new(&it, repo, "refs/replace/*");

	while (rc == 0 && (rc = git_reference_next_name(&name, it)) == 0) {
		char hex[COMMIT_ID_SIZE];
		git_oid id;

		if (git_reference_name_to_id(&id, repo, name) < 0)
			break;
		gitlib_hex(&id, hex);
		buf_printf(b, "%s %s\n", name, hex);
	}
	return rc == GIT_ITEROVER ? 0
				  : err_set(err, ERR_HOST, "replacements in %s cannot be read (%s)",
					    gitlib_place(repo), gitlib_words());
}

int stamp_overlay(git_repository *repo, char ret[STAMP_SIZE], struct err *err)
{
	_cleanup_buf_ struct buf b = { 0 };

	if ((gitlib_replaces(repo) &&
	     (overlay_check(repo, err) < 0 || put_replacements(&b, repo, err) < 0)) ||
	    put_file(&b, repo, "shallow", err) < 0 || put_file(&b, repo, "info/grafts", err) < 0)
		return -1;
	fs_sha256_text(b.data ? b.data : "", b.len, ret);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* An index without its pack, or a pack without its index, is no way to an object: both count. */
static void put_packs(struct buf *b, const char *objects)
{
	_cleanup_free_ char *path = str_printf("%s/pack", objects);
	_cleanup_closedir_ DIR *dir = opendir(path);
	_cleanup_strv_ struct strv names = { 0 };
	struct dirent *d;
	struct stat st;

	while (dir && (d = readdir(dir)))
		if (str_ends(d->d_name, ".pack") || str_ends(d->d_name, ".idx"))
			strv_add(&names, d->d_name);
	if (names.n)
		qsort(names.items, names.n, sizeof(*names.items), by_text);
	for (size_t i = 0; i < names.n; i++)
		if (fstatat(dirfd(dir), names.items[i], &st, 0) == 0)
			put_stat(b, names.items[i], &st);
}

/* A loose object that comes or goes changes the time of its directory, 00 to ff. */
static void put_loose(struct buf *b, const char *objects)
{
	_cleanup_closedir_ DIR *dir = opendir(objects);
	struct stat st;

	for (unsigned int i = 0; dir && i < 256; i++) {
		char name[3];

		snprintf(name, sizeof(name), "%02x", i);
		if (fstatat(dirfd(dir), name, &st, 0) == 0)
			put_stat(b, name, &st);
	}
}

/* What cannot be read is as if it were not there: so it is for whoever looks for an object. */
static void put_objects(struct buf *b, const char *objects)
{
	struct stat st;

	if (stat(objects, &st) < 0)
		return;
	put_stat(b, objects, &st);
	put_packs(b, objects);
	put_loose(b, objects);
}

int stamp_store(git_repository *repo, char ret[STAMP_SIZE], struct err *err)
{
	_cleanup_strv_ struct strv dirs = { 0 };
	_cleanup_buf_ struct buf b = { 0 };
	git_buf objects = { 0 };

	if (git_repository_item_path(&objects, repo, GIT_REPOSITORY_ITEM_OBJECTS) < 0)
		return err_set(err, ERR_HOST, "%s has no place for objects (%s)",
			       gitlib_place(repo), gitlib_words());
	places_find(objects.ptr, &dirs);
	git_buf_dispose(&objects);
	for (size_t i = 0; i < dirs.n; i++)
		put_objects(&b, dirs.items[i]);
	fs_sha256_text(b.data ? b.data : "", b.len, ret);
	return 0;
}
