// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libgit2 1.5 trusts what it reads: it goes round for ever in a loose object that was cut short, writes
 * behind its buffer for one that holds more than it says, and reads wherever a damaged index sends it. It
 * also knows no quoted line of info/alternates. So it asks here, and only writes by itself, or into memory.
 *
 * What refs/replace/ says counts here as it does for the walk. libgit2 would take the content of another
 * object for damage, so it is told to trust what it gets, and names are held against contents here.
 */
#include "range/objects/backend.h"

#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "range/objects/overlay.h"
#include "range/objects/raw.h"

enum { PRIORITY_WRITING = 1, PRIORITY_READING, PRIORITY_MEMORY };

struct backend {
	git_odb_backend base; /* first: libgit2 gives this back */
	git_repository *repo; /* not owned: it owns us */
	char *dir;
	pthread_mutex_t lock; /* over all below */
	bool open;
	struct places places;
	struct overlay overlay;
	struct raw raw;
};

/* Under the lock. Opened when something is asked for: many a repository is opened for its refs alone. */
static int open_places(struct backend *b)
{
	struct err err = { 0 };

	if (b->open)
		return 0;
	if (overlay_read(b->repo, &b->overlay, &err) < 0) {
		git_error_set_str(GIT_ERROR_ODB, err.msg);
		return -1;
	}
	places_open(b->dir, &b->places);
	if (raw_init(&b->raw, &b->places) < 0) {
		places_close(&b->places);
		overlay_deinit(&b->overlay);
		git_error_set_str(GIT_ERROR_ODB, "its packs cannot be read");
		return -1;
	}
	git_error_clear(); /* of files and keys that need not be there */
	b->open = true;
	return 0;
}

static bool is_content_of(const struct content *c, const git_oid *id)
{
	git_oid hashed;

	return git_odb_hash(&hashed, c->data, c->len, (git_object_t)c->type) == 0 &&
	       git_oid_equal(&hashed, id);
}

/* Under the lock. */
static int look(struct backend *b, const git_oid *id, struct content *ret)
{
	const char *why = "it is replaced too many times in a row, see git replace -l";
	git_oid real;
	int rc = GIT_ERROR;

	if (open_places(b) < 0)
		return GIT_ERROR;
	if (overlay_replaced(&b->overlay, id, &real) == 0)
		rc = raw_read(&b->raw, &real, ret, &why);
	if (rc == 0 && !is_content_of(ret, &real)) {
		why = "its content is not what its name says";
		rc = GIT_ERROR;
	}
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
		overlay_deinit(&b->overlay);
	}
	pthread_mutex_destroy(&b->lock);
	free(b->dir);
	free(b);
}

static struct backend *create(git_repository *repo, const char *dir)
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
	b->repo = repo;
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

static int add_writer(git_odb *odb, const char *dir, bool in_memory)
{
	git_odb_backend *writer;
	int rc = in_memory ? git_mempack_new(&writer)
			   : git_odb_backend_loose(&writer, dir, -1, 0, 0, 0);

	return rc < 0 ? rc : add(odb, writer, in_memory ? PRIORITY_MEMORY : PRIORITY_WRITING);
}

/* @aside: where it writes; NULL: into memory, or to the repository's own directory */
static int add_both(git_repository *repo, bool in_memory, const char *aside)
{
	_cleanup_(git_odb_free_p) git_odb *odb = NULL;
	git_buf dir = { 0 };
	int rc = git_repository_item_path(&dir, repo, GIT_REPOSITORY_ITEM_OBJECTS);

	if (rc < 0)
		return rc;
	rc = git_odb_new(&odb);
	if (rc == 0)
		rc = add(odb, &create(repo, dir.ptr)->base, PRIORITY_READING);
	if (rc == 0)
		rc = add_writer(odb, aside ? aside : dir.ptr, in_memory);
	git_buf_dispose(&dir);
	return rc < 0 ? rc : git_repository_set_odb(repo, odb);
}

int backend_add(git_repository *repo, bool in_memory)
{
	return add_both(repo, in_memory, NULL);
}

int backend_add_aside(git_repository *repo, const char *dir)
{
	return add_both(repo, false, dir);
}
