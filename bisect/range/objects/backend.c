// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libgit2 1.5 trusts what it reads: it goes round for ever in a loose object that was cut short, writes
 * behind its buffer for one that holds more than it says, and reads wherever a damaged index sends it. It
 * also knows no quoted line of info/alternates. So it asks here, and only writes by itself.
 */
#include "range/objects/backend.h"

#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "range/objects/raw.h"

enum { PRIORITY_WRITING = 1, PRIORITY_READING };

struct backend {
	git_odb_backend base; /* first: libgit2 gives this back */
	char *dir;
	pthread_mutex_t lock; /* over all below */
	bool open;
	struct places places;
	struct raw raw;
};

/* Under the lock. Opened when something is asked for: many a repository is opened for its refs alone. */
static int open_places(struct backend *b)
{
	if (b->open)
		return 0;
	places_open(b->dir, &b->places);
	if (raw_init(&b->raw, &b->places) < 0) {
		places_close(&b->places);
		return -1;
	}
	b->open = true;
	return 0;
}

/* Under the lock. */
static int look(struct backend *b, const git_oid *id, struct content *ret)
{
	const char *why = "its packs cannot be read";
	int rc = open_places(b) < 0 ? GIT_ERROR : raw_read(&b->raw, id, ret, &why);

	if (rc == GIT_ERROR)
		git_error_set_str(GIT_ERROR_ODB, why);
	return rc;
}

static int backend_header(size_t *len, git_object_t *type, git_odb_backend *base, const git_oid *id)
{
	struct backend *b = (struct backend *)base;
	struct content content;
	int rc;

	pthread_mutex_lock(&b->lock);
	rc = look(b, id, &content);
	pthread_mutex_unlock(&b->lock);
	if (rc < 0)
		return rc;
	*len = content.len;
	*type = (git_object_t)content.type;
	return 0;
}

static int backend_read(void **data, size_t *len, git_object_t *type, git_odb_backend *base,
			const git_oid *id)
{
	struct backend *b = (struct backend *)base;
	struct content content;
	int rc;

	pthread_mutex_lock(&b->lock);
	rc = look(b, id, &content);
	if (rc == 0) {
		*len = content.len;
		*type = (git_object_t)content.type;
		*data = git_odb_backend_data_alloc(base, content.len + 1);
		if (*data)
			memcpy(*data, content.data, content.len);
		rc = *data ? 0 : GIT_ERROR;
	}
	pthread_mutex_unlock(&b->lock);
	return rc;
}

static int backend_find(git_oid *ret, git_odb_backend *base, const git_oid *id, size_t n)
{
	struct backend *b = (struct backend *)base;
	char hex[COMMIT_ID_SIZE];
	int rc;

	gitlib_hex(id, hex);
	pthread_mutex_lock(&b->lock);
	rc = open_places(b) < 0 ? GIT_ERROR : raw_find(&b->raw, hex, n, ret);
	pthread_mutex_unlock(&b->lock);
	return rc;
}

static int backend_read_found(git_oid *ret, void **data, size_t *len, git_object_t *type,
			      git_odb_backend *base, const git_oid *id, size_t n)
{
	int rc = backend_find(ret, base, id, n);

	return rc < 0 ? rc : backend_read(data, len, type, base, ret);
}

static int backend_exists(git_odb_backend *base, const git_oid *id)
{
	struct backend *b = (struct backend *)base;
	bool has;

	pthread_mutex_lock(&b->lock);
	has = open_places(b) == 0 && raw_has(&b->raw, id);
	pthread_mutex_unlock(&b->lock);
	return has;
}

/* What is written again is to look new, which those behind see to. */
static int backend_freshen(git_odb_backend *base, const git_oid *id)
{
	(void)base;
	(void)id;
	return GIT_ENOTFOUND;
}

static void backend_free(git_odb_backend *base)
{
	struct backend *b = (struct backend *)base;

	if (b->open) {
		raw_deinit(&b->raw);
		places_close(&b->places);
	}
	pthread_mutex_destroy(&b->lock);
	free(b->dir);
	free(b);
}

static struct backend *create(const char *dir)
{
	struct backend *b = xcalloc(1, sizeof(*b));

	git_odb_init_backend(&b->base, GIT_ODB_BACKEND_VERSION);
	b->base.read = backend_read;
	b->base.read_header = backend_header;
	b->base.read_prefix = backend_read_found;
	b->base.exists = backend_exists;
	b->base.exists_prefix = backend_find;
	b->base.freshen = backend_freshen;
	b->base.free = backend_free;
	b->dir = xstrdup(dir);
	pthread_mutex_init(&b->lock, NULL);
	return b;
}

static int add(git_odb *odb, git_odb_backend *backend, int priority)
{
	int rc = git_odb_add_backend(odb, backend, priority);

	if (rc < 0)
		backend->free(backend);
	return rc;
}

int backend_add(git_repository *repo)
{
	_cleanup_(git_odb_free_p) git_odb *odb = NULL;
	git_odb_backend *loose;
	git_buf dir = { 0 };
	int rc = git_repository_item_path(&dir, repo, GIT_REPOSITORY_ITEM_OBJECTS);

	if (rc < 0)
		return rc;
	rc = git_odb_new(&odb);
	if (rc == 0)
		rc = add(odb, &create(dir.ptr)->base, PRIORITY_READING);
	if (rc == 0)
		rc = git_odb_backend_loose(&loose, dir.ptr, -1, 0, 0, 0);
	if (rc == 0)
		rc = add(odb, loose, PRIORITY_WRITING);
	git_buf_dispose(&dir);
	return rc < 0 ? rc : git_repository_set_odb(repo, odb);
}
