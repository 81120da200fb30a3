// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run's file made and opened: see store.h.
 *
 * One controller writes, kept alone by a lock on DIR/lock that the kernel drops when its process
 * ends, however it ends. Readers take no lock: WAL lets them read beside the writer.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "base/str.h"
#include "store/db.h"

/* A commit takes a few fsyncs; a slow disk must not make `status` fail. */
#define BUSY_MS 10000

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	if (s->lock >= 0)
		close(s->lock);
	free(s->path);
	free(s);
}

static struct store *store_new(const char *dir)
{
	struct store *s = xcalloc(1, sizeof(*s));

	s->lock = -1;
	s->path = str_printf("%s/run.db", dir);
	return s;
}

/* fs_lock() says that it failed, but the loop must know whether waiting could help. */
static bool is_held_by_other(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

static int take_lock(struct store *s, const char *dir, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/lock", dir);

	if (fs_lock(path, false, &s->lock, err) == 0)
		return 0;
	if (is_held_by_other(path))
		err->kind = ERR_USAGE;
	return err_prefix(err, "the run in %s cannot be written", dir);
}

/* @path as an SQLite URI, so that no byte of it is taken for a parameter */
static char *uri_of(const char *path, const char *parameters)
{
	struct buf b = { 0 };

	buf_puts(&b, "file:");
	for (const char *p = path; *p; p++) {
		if (*p == '%' || *p == '?' || *p == '#')
			buf_printf(&b, "%%%02X", (unsigned char)*p);
		else
			buf_add(&b, p, 1);
	}
	buf_puts(&b, parameters);
	return buf_take(&b);
}

static int connect(struct store *s, int flags, const char *parameters, struct err *err)
{
	_cleanup_free_ char *uri = uri_of(s->path, parameters);
	int rc;

	sqlite3_close(s->db);
	s->db = NULL;
	rc = sqlite3_open_v2(uri, &s->db, flags | SQLITE_OPEN_URI, NULL);
	if (rc != SQLITE_OK)
		return db_error(s, rc, "open", err);
	sqlite3_extended_result_codes(s->db, 1);
	sqlite3_busy_timeout(s->db, BUSY_MS);
	return 0;
}

static int connect_writer(struct store *s, int flags, struct err *err)
{
	if (connect(s, SQLITE_OPEN_READWRITE | flags, "", err))
		return -1;
	return db_exec(s,
		       "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
		       "PRAGMA foreign_keys = ON",
		       err);
}

/*
 * A reader needs the -shm file beside the database and makes it if need be. Where it may not (a
 * directory without write permission, a read-only medium) a run that was closed in order, which
 * leaves no -wal, can still be read as a file that does not change.
 */
static int connect_reader(struct store *s, struct err *err)
{
	_cleanup_free_ char *wal = str_printf("%s-wal", s->path);
	struct err first;
	struct stat st;
	int64_t format;
	int rc;

	if (connect(s, SQLITE_OPEN_READONLY, "", err))
		return -1;
	if (db_pragma(s, "PRAGMA user_version", &format, &first) == 0)
		return 0;
	rc = sqlite3_errcode(s->db) & 0xff;
	if ((rc != SQLITE_CANTOPEN && rc != SQLITE_READONLY) ||
	    (stat(wal, &st) == 0 && st.st_size)) {
		*err = first;
		return -1;
	}
	return connect(s, SQLITE_OPEN_READONLY, "?immutable=1", err);
}

int store_create(const char *dir, struct store **ret, struct err *err)
{
	_cleanup_(store_close_p) struct store *s = store_new(dir);
	int r;

	if (fs_mkdirs(dir, err) || take_lock(s, dir, err) ||
	    connect_writer(s, SQLITE_OPEN_CREATE, err))
		return -1;
	/* Killed before its tables stood, an earlier start left an empty file: it is used. */
	r = schema_check(s, err);
	if (r < 0)
		return -1;
	if (r)
		return err_set(
			err, ERR_USAGE,
			"there is a run in %s already; go on with `amdgpu-bisect resume`, or "
			"choose another directory",
			dir);
	if (schema_create(s, err))
		return -1;
	*ret = take_ptr(s);
	return 0;
}

int store_lock_fd(const struct store *s)
{
	return s->lock;
}

enum as { AS_READER, AS_WRITER, AS_WORKER };

static int open_as(const char *dir, enum as as, struct store **ret, struct err *err)
{
	_cleanup_(store_close_p) struct store *s = store_new(dir);
	struct stat st;
	int r;

	if (stat(s->path, &st) < 0) {
		if (errno != ENOENT && errno != ENOTDIR)
			return err_errno(err, ERR_HOST, "cannot open %s", s->path);
		return err_set(err, ERR_USAGE, "no run in %s; start one with `amdgpu-bisect run`",
			       dir);
	}
	if (as == AS_WRITER && take_lock(s, dir, err))
		return -1;
	if (as == AS_READER ? connect_reader(s, err) : connect_writer(s, 0, err))
		return -1;
	r = schema_check(s, err);
	if (r < 0)
		return -1;
	if (!r)
		return err_set(err, ERR_USAGE, "no run in %s; start one with `amdgpu-bisect run`",
			       dir);
	if (as == AS_WRITER && schema_raise(s, err))
		return -1;
	*ret = take_ptr(s);
	return 0;
}

int store_open(const char *dir, bool write, struct store **ret, struct err *err)
{
	return open_as(dir, write ? AS_WRITER : AS_READER, ret, err);
}

int store_join(const char *dir, struct store **ret, struct err *err)
{
	return open_as(dir, AS_WORKER, ret, err);
}
