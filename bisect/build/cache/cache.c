// SPDX-License-Identifier: GPL-2.0-or-later
/* Artifacts by key: see cache.h. */
#include "build/cache/cache.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/cache/log.h"
#include "build/cache/entry.h"
#include "build/make/buildlog.h"
#include "build/make/object.h"
#include "build/make/signature.h"

#define FAILURE_NAME "failure"
#define FAILURE_MAX  65536

void artifact_deinit(struct artifact *a)
{
	for (size_t i = 0; i < a->n_modules; i++)
		free(a->modules[i].path);
	strv_deinit(&a->depends);
	strv_deinit(&a->patches);
	free(a->image);
	free(a->config);
	cap_release(a->hold);
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
	if (!is_own(a, name) && !strv_has(&a->depends, name))
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

static int sign(struct artifact *a, struct err *err)
{
	const char *paths[BUILD_MODULES_MAX + 1];
	size_t n = 0;

	if (a->signature[0])
		return 0;
	for (size_t i = 0; i < a->n_modules; i++)
		paths[n++] = a->modules[i].path;
	if (a->image)
		paths[n++] = a->image;
	return signature_of(paths, n, a->signature, err);
}

/* Paths as they are, or will be, below @dir. */
static void place(struct artifact *a, const char *dir)
{
	for (size_t i = 0; i < a->n_modules; i++) {
		free(a->modules[i].path);
		a->modules[i].path = str_printf("%s/%s.ko", dir, a->modules[i].name);
	}
	if (a->image) {
		const char *slash = strrchr(a->image, '/');
		char *image = str_printf("%s/%s", dir, slash ? slash + 1 : a->image);

		free(a->image);
		a->image = image;
	}
}

static void describe(const struct artifact *a, struct buf *about)
{
	char objects[16];

	snprintf(objects, sizeof(objects), "%u", a->objects);
	entry_line(about, "key", a->key);
	entry_line(about, "scope", build_scope_name(a->scope));
	entry_line(about, "signature", a->signature);
	entry_line(about, "objects", objects);
	if (a->image)
		entry_line(about, "image", strrchr(a->image, '/') + 1);
	for (size_t i = 0; i < a->n_modules; i++)
		entry_line(about, "module", a->modules[i].name);
	for (size_t i = 0; i < a->depends.n; i++)
		entry_line(about, "depend", a->depends.items[i]);
	for (size_t i = 0; i < a->patches.n; i++)
		entry_line(about, "patch", a->patches.items[i]);
}

/* One line of what describe() wrote. */
static bool take_line(struct artifact *a, const char *word, const char *value)
{
	uint64_t objects;

	if (strcmp(word, "key") == 0)
		return str_copy(a->key, sizeof(a->key), value);
	if (strcmp(word, "scope") == 0)
		return build_scope_parse(value, &a->scope);
	if (strcmp(word, "signature") == 0)
		return str_copy(a->signature, sizeof(a->signature), value);
	if (strcmp(word, "objects") == 0)
		return str_to_u64(value, UINT32_MAX, &objects); /* that build's, not ours */
	if (strcmp(word, "image") == 0)
		return !a->image && (a->image = xstrdup(value));
	if (strcmp(word, "module") == 0)
		return a->n_modules < BUILD_MODULES_MAX &&
		       str_copy(a->modules[a->n_modules++].name, sizeof(a->modules[0].name), value);
	if (strcmp(word, "depend") == 0)
		strv_add(&a->depends, value);
	else if (strcmp(word, "patch") == 0)
		strv_add(&a->patches, value);
	return true;
}

static bool take_about(struct artifact *a, const char *dir, const char *key, char *about)
{
	struct err ignored = { 0 };
	const char *word;
	char *value;

	while (entry_next(&about, &word, &value))
		if (!take_line(a, word, value))
			return false;
	if (*about || strcmp(a->key, key) != 0 || (!a->n_modules && !a->image))
		return false;
	place(a, dir);
	return identify(a, &ignored) == 0;
}

/* 0, also if another process still holds it: then it is replaced when it is stored again. */
static int give_up(const char *path, struct cap_hold *hold, const char *key,
		   struct progress *progress, struct err *err)
{
	progress_event(progress, "artifact %.12s in the cache was damaged: it is built again", key);
	return cap_discard(path, hold, err) < 0 ? -1 : 0;
}

/* Return: -1 with @err filled, also if it is known not to build; else 0. */
static int load_failure(const char *dir, const char *key, const char *log,
			struct progress *progress, struct err *err)
{
	_cleanup_(cap_release_p) struct cap_hold *hold = NULL;
	_cleanup_free_ char *path = str_printf("%s/%s.failed", dir, key);
	_cleanup_free_ char *file = str_printf("%s/" FAILURE_NAME, path);
	_cleanup_free_ char *about = NULL;
	_cleanup_free_ char *text = NULL;
	struct err ignored = { 0 };
	enum entry_state state;

	if (entry_open(path, &state, &hold, &about, err) < 0)
		return -1;
	if (state == ENTRY_NONE)
		return 0;
	if (state == ENTRY_DAMAGED || fs_read(file, FAILURE_MAX, &text, NULL, &ignored) < 0 ||
	    !*text)
		return give_up(path, take_ptr(hold), key, progress, err);
	utimensat(AT_FDCWD, path, NULL, 0);
	if (cache_log_give(path, log, err) < 0)
		return -1;
	return err_set(err, ERR_BUILD, "%s", text);
}

int cache_load(const char *dir, const char *key, const char *log, struct progress *progress,
	       struct artifact *ret, struct err *err)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	_cleanup_free_ char *own = str_printf("%s/%s", dir, key);
	_cleanup_free_ char *about = NULL;
	enum entry_state state;

	if (entry_open(own, &state, &a.hold, &about, err) < 0)
		return -1;
	if (state == ENTRY_NONE)
		return load_failure(dir, key, log, progress, err);
	if (state == ENTRY_DAMAGED || !take_about(&a, own, key, about))
		return give_up(own, take_ptr(a.hold), key, progress, err);
	/* for the order in which artifacts are given up */
	utimensat(AT_FDCWD, own, NULL, 0);
	if (cache_log_give(own, log, err) < 0)
		return -1;
	a.cached = true;
	*ret = a;
	a = (struct artifact){ 0 };
	return 1;
}

int cache_open(const char *dir, struct err *err)
{
	return cap_sweep(dir, err);
}

int cache_draft(const char *dir, const char *log, struct cache_draft *ret, struct err *err)
{
	struct cache_draft d = { .log = xstrdup(log) };
	struct stat st;

	if (cap_draft(dir, &d.path, &d.hold, err) < 0) {
		free(d.log);
		return -1;
	}
	d.log_from = log && stat(log, &st) == 0 ? (uint64_t)st.st_size : 0;
	*ret = d;
	return 0;
}

void cache_draft_deinit(struct cache_draft *d)
{
	struct err ignored = { 0 };

	if (d->path)
		fs_remove_tree(d->path, &ignored);
	free(d->path);
	free(d->log);
	cap_release(d->hold);
	*d = (struct cache_draft){ 0 };
}

/* Another controller was faster with the same input. Return: as entry_place(). */
static int take_theirs(const char *dir, struct artifact *a, struct err *err)
{
	struct artifact theirs = { 0 };
	int rc = cache_load(dir, a->key, NULL, NULL, &theirs, err);

	if (rc <= 0)
		return rc < 0 ? -1 : 1;
	theirs.objects = a->objects;
	theirs.elapsed_ns = a->elapsed_ns;
	theirs.cached = a->cached;
	artifact_deinit(a);
	*a = theirs;
	return 0;
}

int cache_store(const char *dir, struct cache_draft *d, struct artifact *a, struct err *err)
{
	_cleanup_free_ char *own = str_printf("%s/%s", dir, a->key);
	_cleanup_buf_ struct buf about = { 0 };
	int rc;

	place(a, d->path);
	if (identify(a, err) < 0 || sign(a, err) < 0 || cache_log_keep(d, d->path, err) < 0)
		return -1;
	describe(a, &about);
	if (entry_seal(d->path, &about, err) < 0)
		return -1;
	do {
		rc = entry_place(d->path, own, err);
		if (rc < 0)
			return -1;
		if (rc == 1) {
			place(a, own);
			a->hold = take_ptr(d->hold);
			free(take_ptr(d->path));
		} else {
			/* given up just now: then its place is free */
			rc = take_theirs(dir, a, err);
		}
	} while (rc == 1 && d->path);
	cache_draft_deinit(d);
	return rc < 0 ? -1 : 0;
}

int cache_store_failure(const char *dir, const struct cache_draft *d, const char *key,
			const struct err *why, struct err *err)
{
	_cleanup_(cache_draft_deinit) struct cache_draft own = { 0 };
	_cleanup_free_ char *path = str_printf("%s/%s.failed", dir, key);
	_cleanup_free_ char *file = NULL;
	_cleanup_buf_ struct buf about = { 0 };

	if (why->kind != ERR_BUILD || !*why->msg || str_starts(why->msg, buildlog_untold))
		return 0;
	if (cache_draft(dir, NULL, &own, err) < 0)
		return -1;
	file = str_printf("%s/" FAILURE_NAME, own.path);
	entry_line(&about, "key", key);
	if (fs_write(file, why->msg, strlen(why->msg), err) < 0 ||
	    cache_log_keep(d, own.path, err) < 0 || entry_seal(own.path, &about, err) < 0)
		return -1;
	return entry_place(own.path, path, err) < 0 ? -1 : 0;
}

int cache_trim(const char *dir, uint64_t max_bytes, const char *keep, struct err *err)
{
	return cap_trim(dir, (max_bytes ? max_bytes : BUILD_CACHE_MAX_BYTES) / 4, keep, err);
}
