// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kept ranges: history/<hash of the question>.range, one file each.
 *
 * The question is the repository, the ids of the ends, the paths, and what is laid over the history. Its
 * answer stays true, so what is checked before use is that the objects are still there: at no cost while
 * the object store is as it was (its stamp), else one look-up for each candidate, and the new stamp is
 * written down.
 */
#include "range/cache/cache.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cap/cap.h"
#include "base/fs.h"
#include "range/cache/stamp.h"
#include "range/objects/objects.h"

#define KEPT_MAX_BYTES (UINT64_C(256) << 20) /* of all files; several hundred ranges of 20 000 */

struct kept {
	char *dir;
	char *name;
	char *path;
	char *key;
	char stamp[STAMP_SIZE]; /* of the object store, when the question was asked */
};

/* The repository by its true place, so that a link or another work tree of it finds the same. */
static char *question(git_repository *repo, const struct ends *ends, const struct strv *paths,
		      bool first_parent, const char *overlay)
{
	_cleanup_free_ char *place = realpath(git_repository_commondir(repo), NULL);
	_cleanup_buf_ struct buf b = { 0 };
	char hex[COMMIT_ID_SIZE];

	if (!place)
		return NULL;
	gitlib_hex(&ends->bad, hex);
	buf_printf(&b, "repository %zu %s\noverlay %s\nfirst-parent %d\nbad %s\n", strlen(place),
		   place, overlay, first_parent, hex);
	for (size_t i = 0; i < ends->n_good; i++) {
		gitlib_hex(&ends->good[i], hex);
		buf_printf(&b, "good %s\n", hex);
	}
	for (size_t i = 0; i < paths->n; i++)
		buf_printf(&b, "path %zu %s\n", strlen(paths->items[i]), paths->items[i]);
	return buf_take(&b);
}

struct kept *kept_find(const char *dir, git_repository *repo, const struct ends *ends,
		       const struct strv *paths, bool first_parent)
{
	_cleanup_(kept_destroy_p) struct kept *k = xcalloc(1, sizeof(*k));
	struct err ignored = { 0 };
	char hash[STAMP_SIZE];

	k->dir = str_printf("%s/history", dir);
	if (stamp_overlay(repo, hash, &ignored) < 0 || stamp_store(repo, k->stamp, &ignored) < 0)
		return NULL;
	k->key = question(repo, ends, paths, first_parent, hash);
	if (!k->key)
		return NULL;
	fs_sha256_text(k->key, strlen(k->key), hash);
	k->name = str_printf("%.40s.range", hash);
	k->path = str_printf("%s/%s", k->dir, k->name);
	return take_ptr(k);
}

void kept_destroy(struct kept *k)
{
	if (!k)
		return;
	free(k->dir);
	free(k->name);
	free(k->path);
	free(k->key);
	free(k);
}

static bool has(struct reader *reader, const char *hex)
{
	git_oid id;

	return git_oid_fromstr(&id, hex) == 0 && reader_has(reader, &id);
}

/* The ends were read a moment ago; the rest is looked up. */
static bool is_whole(git_repository *repo, const struct range *r)
{
	_cleanup_(objects_destroy_p) struct objects *objects = NULL;
	_cleanup_(reader_destroy_p) struct reader *reader = NULL;
	struct err ignored = { 0 };

	if (objects_open(repo, &objects, &ignored) < 0 ||
	    reader_create(objects, &reader, &ignored) < 0)
		return false;
	for (size_t i = 0; i < r->n; i++)
		if (!has(reader, r->commits[i].id))
			return false;
	for (size_t i = 0; i < r->n_bases; i++)
		if (!has(reader, r->base_ids[i]))
			return false;
	return true;
}

struct range *kept_load(struct kept *k, git_repository *repo)
{
	_cleanup_(range_destroy_p) struct range *r = NULL;
	struct err ignored = { 0 };
	char stamp[STAMP_SIZE];
	char *data;
	size_t len;

	if (!fs_exists(k->path) || fs_is_special(k->path) ||
	    fs_read(k->path, KEPT_MAX_BYTES, &data, &len, &ignored) < 0 ||
	    !image_decode(data, len, k->key, &r, stamp))
		return NULL;
	if (strcmp(stamp, k->stamp) == 0) {
		utimensat(AT_FDCWD, k->path, NULL, 0);
		return take_ptr(r);
	}
	if (!is_whole(repo, r))
		return NULL;
	kept_save(k, r, r->weights);
	return take_ptr(r);
}

bool cache_place(const char *path, const struct buf *b)
{
	_cleanup_free_ char *draft = str_printf("%s.%d.tmp", path, (int)getpid());
	_cleanup_close_ int fd = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	size_t done = 0;

	if (fd < 0)
		return false;
	while (done < b->len) {
		ssize_t n = write(fd, b->data + done, b->len - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (done == b->len && rename(draft, path) == 0)
		return true;
	unlink(draft);
	return false;
}

void kept_save(const struct kept *k, const struct range *r, const uint32_t *weights)
{
	_cleanup_buf_ struct buf b = { 0 };
	struct err ignored = { 0 };

	image_encode(r, weights, k->key, k->stamp, &b);
	if (!b.len || b.len > KEPT_MAX_BYTES || fs_mkdirs(k->dir, &ignored) < 0)
		return;
	if (cache_place(k->path, &b))
		cap_trim(k->dir, KEPT_MAX_BYTES, k->name, &ignored);
}

void range_keep_weights(const struct range_spec *spec, const struct range *r,
			const uint32_t *weights)
{
	if (spec->cache_dir && r->kept)
		kept_save(r->kept, r, weights);
}
