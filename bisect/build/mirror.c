// SPDX-License-Identifier: GPL-2.0-or-later
/* The mirror's sources: see mirror.h. */
#include "build/mirror.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

#define FILE_MAX_BYTES (16u << 20)

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_files(const char *path, struct strv *ret, struct err *err)
{
	_cleanup_closedir_ DIR *dir = opendir(path);
	struct dirent *e;

	if (!dir)
		return err_errno(err, ERR_USAGE,
				 "the mirror's sources are not in %s; reinstall amdgpu-bisect",
				 path);
	while ((e = readdir(dir))) {
		_cleanup_free_ char *full = str_printf("%s/%s", path, e->d_name);
		struct stat st;

		if (e->d_name[0] != '.' && stat(full, &st) == 0 && S_ISREG(st.st_mode))
			strv_add(ret, e->d_name);
	}
	if (!ret->n)
		return err_set(err, ERR_USAGE, "%s is empty; reinstall amdgpu-bisect", path);
	qsort(ret->items, ret->n, sizeof(*ret->items), by_text);
	return 0;
}

int mirror_hash(const char *dir, char ret[65], struct err *err)
{
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_buf_ struct buf text = { 0 };

	if (list_files(dir, &files, err) < 0)
		return -1;
	for (size_t i = 0; i < files.n; i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, files.items[i]);
		char digest[65];

		if (fs_sha256_file(path, digest, err) < 0)
			return -1;
		buf_printf(&text, "%s %s\n", digest, files.items[i]);
	}
	fs_sha256_text(text.data, text.len, ret);
	return 0;
}

int mirror_put(const char *dir, const char *name, const void *data, size_t len, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	_cleanup_free_ char *old = NULL;
	struct err ignored = { 0 };
	size_t old_len;

	if (fs_exists(path) && fs_read(path, FILE_MAX_BYTES, &old, &old_len, &ignored) == 0 &&
	    old_len == len && memcmp(old, data, len) == 0)
		return 0;
	return fs_write(path, data, len, err);
}

int mirror_copy(const char *from, const char *to, struct err *err)
{
	_cleanup_strv_ struct strv files = { 0 };

	if (list_files(from, &files, err) < 0 || fs_mkdirs(to, err) < 0)
		return -1;
	for (size_t i = 0; i < files.n; i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", from, files.items[i]);
		_cleanup_free_ char *data = NULL;
		size_t len;

		if (fs_read(path, FILE_MAX_BYTES, &data, &len, err) < 0 ||
		    mirror_put(to, files.items[i], data, len, err) < 0)
			return -1;
	}
	return 0;
}
