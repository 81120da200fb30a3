// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loose objects, read here and not by libgit2: its 1.5 goes round for ever in one that was cut short, as
 * a power cut leaves it, and writes behind its buffer for one that holds more than its head says.
 */
#include "range/objects/loose.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

#include "range/objects/mapped.h"
#include "range/pack/pack.h"

#define HEAD_LEN_MAX  32 /* "commit ", ten digits, a NUL, and to spare */
#define ROOM_AT_FIRST 4	 /* times what it is deflated: enough for nearly all */

void loose_deinit(struct loose *l)
{
	free(l->text);
	*l = (struct loose){ 0 };
}

static char *path_of(const char *dir, const git_oid *id)
{
	char hex[COMMIT_ID_SIZE];

	gitlib_hex(id, hex);
	return str_printf("%s/%.2s/%s", dir, hex, hex + 2);
}

/* "commit 123" and a NUL. Return: where the content begins, or NULL. */
static const unsigned char *read_head(const unsigned char *text, size_t len, git_object_t *type,
				      uint64_t *size)
{
	const unsigned char *nul = memchr(text, '\0', len < HEAD_LEN_MAX ? len : HEAD_LEN_MAX);
	_cleanup_free_ char *name = NULL;
	const char *blank;

	blank = nul ? memchr(text, ' ', (size_t)(nul - text)) : NULL;
	if (!blank)
		return NULL;
	name = xstrndup((const char *)text, (size_t)(blank - (const char *)text));
	*type = git_object_string2type(name);
	if (*type < GIT_OBJECT_COMMIT || !str_to_u64(blank + 1, OBJECT_MAX_BYTES, size))
		return NULL;
	return nul + 1;
}

/* How much it will be is said inside only, so the room for it grows until it fits. */
static int inflate(const struct mapped *file, struct loose *l, size_t *len, const char **why)
{
	struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
	size_t room = file->len < OBJECT_MAX_BYTES ? ROOM_AT_FIRST * file->len + HEAD_LEN_MAX : 0;
	enum libdeflate_result rc = LIBDEFLATE_INSUFFICIENT_SPACE;

	*why = pack_claims_too_much;
	while (inflater && room && room / 2 <= OBJECT_MAX_BYTES + HEAD_LEN_MAX) {
		free(l->text);
		l->text = xmalloc(room);
		rc = libdeflate_zlib_decompress(inflater, file->data, file->len, l->text, room,
						len);
		if (rc != LIBDEFLATE_INSUFFICIENT_SPACE)
			break;
		room *= 2;
	}
	libdeflate_free_decompressor(inflater);
	if (rc == LIBDEFLATE_BAD_DATA)
		*why = "it cannot be inflated";
	return rc == LIBDEFLATE_SUCCESS ? 0 : -1;
}

static int take_apart(const struct mapped *file, const git_oid *id, struct loose *l,
		      const char **why)
{
	uint64_t size;
	git_oid hash;
	size_t len;

	if (inflate(file, l, &len, why) < 0)
		return -1;
	*why = "its head is malformed";
	l->data = read_head(l->text, len, &l->type, &size);
	if (!l->data)
		return -1;
	*why = "it is not as long as its head says";
	l->len = len - (size_t)(l->data - l->text);
	if (l->len != size)
		return -1;
	*why = "its content has another hash than its name says";
	return git_odb_hash(&hash, l->data, l->len, l->type) == 0 && git_oid_equal(&hash, id) ? 0
											      : -1;
}

static int read_file(const char *path, const git_oid *id, struct loose *ret, const char **why)
{
	struct loose l = { 0 };
	struct mapped file;
	int rc;

	if (mapped_open(path, &file) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		*why = errno == EINVAL ? "it is empty, or no file" : strerror(errno);
		return -1;
	}
	rc = take_apart(&file, id, &l, why);
	mapped_close(&file);
	if (rc < 0) {
		loose_deinit(&l);
		return -1;
	}
	*ret = l;
	return 1;
}

int loose_read(const struct strv *dirs, const git_oid *id, struct loose *ret, const char **why)
{
	int found = 0;

	for (size_t i = 0; i < dirs->n; i++) {
		_cleanup_free_ char *path = path_of(dirs->items[i], id);
		int rc = read_file(path, id, ret, why);

		if (rc > 0)
			return 1;
		if (rc < 0)
			found = -1;
	}
	return found;
}

bool loose_has(const struct strv *dirs, const git_oid *id)
{
	for (size_t i = 0; i < dirs->n; i++) {
		_cleanup_free_ char *path = path_of(dirs->items[i], id);

		if (access(path, F_OK) == 0)
			return true;
	}
	return false;
}

static int find_in(const char *dir, const char *hex, size_t n,
		   int (*each)(const git_oid *id, void *arg), void *arg)
{
	_cleanup_free_ char *path = str_printf("%s/%.2s", dir, hex);
	_cleanup_closedir_ DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		_cleanup_free_ char *name = str_printf("%.2s%s", hex, e->d_name);
		git_oid id;
		int rc;

		if (!str_is_commit_id(name) || strncmp(name, hex, n) != 0 ||
		    git_oid_fromstr(&id, name) < 0)
			continue;
		rc = each(&id, arg);
		if (rc)
			return rc;
	}
	return 0;
}

int loose_find(const struct strv *dirs, const char *hex, size_t n,
	       int (*each)(const git_oid *id, void *arg), void *arg)
{
	for (size_t i = 0; i < dirs->n; i++) {
		int rc = find_in(dirs->items[i], hex, n, each, arg);

		if (rc)
			return rc;
	}
	return 0;
}
