// SPDX-License-Identifier: GPL-2.0-or-later
/* Artifacts by key: see cache.h. */
#include "build/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/make/object.h"

/* The list of an artifact's modules; its first line names the format. */
#define LIST_NAME  "artifact"
#define LIST_FIRST "amdgpu-bisect artifact 1"
#define LIST_MAX   65536

void artifact_deinit(struct artifact *a)
{
	for (size_t i = 0; i < a->n_modules; i++)
		free(a->modules[i].path);
	strv_deinit(&a->depends);
	strv_deinit(&a->patches);
	free(a->image);
	*a = (struct artifact){ 0 };
}

static bool is_own(const struct artifact *a, const char *name)
{
	for (size_t i = 0; i < a->n_modules; i++)
		if (strcmp(a->modules[i].name, name) == 0)
			return true;
	return false;
}

static void add_depend(struct artifact *a, const char *name)
{
	if (is_own(a, name))
		return;
	for (size_t i = 0; i < a->depends.n; i++)
		if (strcmp(a->depends.items[i], name) == 0)
			return;
	strv_add(&a->depends, name);
}

/* Reads what the modules say about themselves; names and paths are set. */
static int identify(struct artifact *a, struct err *err)
{
	for (size_t i = 0; i < a->n_modules; i++) {
		_cleanup_(object_identity_deinit) struct object_identity id = { 0 };
		struct artifact_module *m = &a->modules[i];
		struct stat st;

		if (stat(m->path, &st) < 0)
			return err_errno(err, ERR_HOST, "cannot read %s", m->path);
		m->bytes = (uint64_t)st.st_size;
		if (object_identity(m->path, &id, err) < 0)
			return -1;
		str_copy(m->srcversion, sizeof(m->srcversion), id.srcversion);
		str_copy(m->build_id, sizeof(m->build_id), id.build_id);
		for (size_t d = 0; d < id.depends.n; d++)
			add_depend(a, id.depends.items[d]);
	}
	return 0;
}

/* Each "NAME SHA256" line; false if a line is wrong, or a file is not what was stored. */
static bool take_list(const char *dir, char *text, struct artifact *a)
{
	char *save = NULL;
	char *line = strtok_r(text, "\n", &save);

	if (!line || strcmp(line, LIST_FIRST) != 0)
		return false;
	while ((line = strtok_r(NULL, "\n", &save))) {
		struct artifact_module *m = &a->modules[a->n_modules];
		struct err ignored = { 0 };
		char digest[65], is[65];

		if (a->n_modules == BUILD_MODULES_MAX ||
		    sscanf(line, "%63s %64s", m->name, digest) != 2)
			return false;
		m->path = str_printf("%s/%s.ko", dir, m->name);
		a->n_modules++;
		if (fs_sha256_file(m->path, is, &ignored) < 0 || strcmp(is, digest) != 0)
			return false;
	}
	return a->n_modules > 0;
}

static int load_failure(const char *dir, const char *key, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s.failed", dir, key);
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };

	if (!fs_exists(path) || fs_read(path, LIST_MAX, &text, NULL, &ignored) < 0 || !*text)
		return 0;
	return err_set(err, ERR_BUILD, "%s", text);
}

int cache_load(const char *dir, const char *key, struct artifact *ret, struct err *err)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	_cleanup_free_ char *own = str_printf("%s/%s", dir, key);
	_cleanup_free_ char *list = str_printf("%s/" LIST_NAME, own);
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };

	if (load_failure(dir, key, err) < 0)
		return -1;
	if (!fs_exists(own))
		return 0;
	if (fs_read(list, LIST_MAX, &text, NULL, &ignored) < 0 || !take_list(own, text, &a) ||
	    identify(&a, &ignored) < 0)
		return fs_remove_tree(own, err);
	/* for the order in which artifacts are given up */
	utimensat(AT_FDCWD, own, NULL, 0);
	str_copy(a.key, sizeof(a.key), key);
	a.cached = true;
	*ret = a;
	a = (struct artifact){ 0 };
	return 1;
}

int cache_draft(const char *dir, char **ret, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/draft-XXXXXX", dir);

	if (fs_mkdirs(dir, err) < 0)
		return -1;
	if (!mkdtemp(path))
		return err_errno(err, ERR_HOST, "cannot write below %s", dir);
	*ret = take_ptr(path);
	return 0;
}

static int write_list(const char *built, const struct artifact *a, struct err *err)
{
	_cleanup_free_ char *list = str_printf("%s/" LIST_NAME, built);
	_cleanup_buf_ struct buf text = { 0 };

	buf_puts(&text, LIST_FIRST "\n");
	for (size_t i = 0; i < a->n_modules; i++) {
		char digest[65];

		if (fs_sha256_file(a->modules[i].path, digest, err) < 0)
			return -1;
		buf_printf(&text, "%s %s\n", a->modules[i].name, digest);
	}
	return fs_write(list, text.data, text.len, err);
}

static void place_modules(struct artifact *a, const char *dir)
{
	for (size_t i = 0; i < a->n_modules; i++) {
		free(a->modules[i].path);
		a->modules[i].path = str_printf("%s/%s.ko", dir, a->modules[i].name);
	}
}

int cache_store(const char *dir, const char *built, struct artifact *a, struct err *err)
{
	_cleanup_free_ char *own = str_printf("%s/%s", dir, a->key);

	place_modules(a, built);
	if (identify(a, err) < 0 || write_list(built, a, err) < 0)
		return -1;
	if (rename(built, own) < 0) {
		/* another controller was faster with the same input: its bytes are as good */
		if (errno != ENOTEMPTY && errno != EEXIST)
			return err_errno(err, ERR_HOST, "cannot make %s", own);
		if (fs_remove_tree(built, err) < 0)
			return -1;
	}
	place_modules(a, own);
	return 0;
}

int cache_store_failure(const char *dir, const char *key, const char *why, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s.failed", dir, key);

	if (fs_mkdirs(dir, err) < 0)
		return -1;
	return fs_write(path, why, strlen(why), err);
}
