// SPDX-License-Identifier: GPL-2.0-or-later
/* SQLite's statements and errors in this project's form: see db.h. */
#include "store/db.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/str.h"

static bool is_disk_full(int rc, int sys_errno)
{
	return rc == SQLITE_FULL ||
	       (rc == SQLITE_IOERR && (sys_errno == ENOSPC || sys_errno == EDQUOT));
}

int db_error(struct store *s, int rc, const char *what, struct err *err)
{
	int sys_errno = s->db ? sqlite3_system_errno(s->db) : 0;
	const char *text = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);

	rc &= 0xff; /* the primary code; the extended ones only say where */
	if (is_disk_full(rc, sys_errno))
		return err_set(err, ERR_HOST,
			       "cannot %s %s: the disk is full; free some space there, then "
			       "try again",
			       what, s->path);
	if (rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB)
		return db_damaged(s, text, err);
	if (rc == SQLITE_BUSY || rc == SQLITE_LOCKED)
		return err_set(err, ERR_HOST,
			       "cannot %s %s: another process keeps it busy; try again", what,
			       s->path);
	if (rc == SQLITE_READONLY || rc == SQLITE_CANTOPEN || rc == SQLITE_PERM ||
	    rc == SQLITE_AUTH)
		return err_set(err, ERR_HOST,
			       "cannot %s %s (%s); see that you may write there, or choose another "
			       "directory",
			       what, s->path, sys_errno ? strerror(sys_errno) : text);
	if (rc == SQLITE_IOERR)
		return err_set(
			err, ERR_HOST,
			"cannot %s %s: %s%s%s; see what the disk (dmesg) and its limits (quota, "
			"ulimit -f) say, then try again",
			what, s->path, text, sys_errno ? ": " : "",
			sys_errno ? strerror(sys_errno) : "");
	return err_set(err, ERR_HOST, "cannot %s %s: %s", what, s->path, text);
}

int db_damaged(struct store *s, const char *what, struct err *err)
{
	return err_set(
		err, ERR_HOST,
		"%s is damaged (%s); put it aside and start the run again, artifacts are kept",
		s->path, what);
}

int db_exec(struct store *s, const char *sql, struct err *err)
{
	int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : db_error(s, rc, "write", err);
}

static int bind(sqlite3_stmt *st, const char *types, va_list ap)
{
	int rc = SQLITE_OK;

	for (int i = 1; types[i - 1] && rc == SQLITE_OK; i++) {
		const void *blob;

		switch (types[i - 1]) {
		case 'i':
			rc = sqlite3_bind_int64(st, i, va_arg(ap, int64_t));
			break;
		case 's':
			rc = sqlite3_bind_text(st, i, va_arg(ap, const char *), -1,
					       SQLITE_TRANSIENT);
			break;
		case 'b':
			blob = va_arg(ap, const void *);
			rc = sqlite3_bind_blob(st, i, blob, va_arg(ap, int), SQLITE_TRANSIENT);
			break;
		default:
			assert(!"a letter that db_prepare() does not know");
			rc = SQLITE_MISUSE;
		}
	}
	return rc;
}

static int prepare(struct store *s, sqlite3_stmt **ret, struct err *err, const char *sql,
		   const char *types, va_list ap)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK)
		rc = bind(st, types, ap);
	if (rc != SQLITE_OK)
		return db_error(s, rc, "read", err);
	*ret = take_ptr(st);
	return 0;
}

int db_prepare(struct store *s, sqlite3_stmt **ret, struct err *err, const char *sql,
	       const char *types, ...)
{
	va_list ap;
	int r;

	va_start(ap, types);
	r = prepare(s, ret, err, sql, types, ap);
	va_end(ap);
	return r;
}

int db_write(struct store *s, struct err *err, const char *sql, const char *types, ...)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	va_list ap;
	int rc;

	va_start(ap, types);
	rc = prepare(s, &st, err, sql, types, ap);
	va_end(ap);
	if (rc)
		return -1;
	rc = sqlite3_step(st);
	return rc == SQLITE_DONE ? 0 : db_error(s, rc, "write", err);
}

int db_step(struct store *s, sqlite3_stmt *st, struct err *err)
{
	int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return 1;
	return rc == SQLITE_DONE ? 0 : db_error(s, rc, "read", err);
}

const char *db_text(sqlite3_stmt *st, int column)
{
	const unsigned char *text = sqlite3_column_text(st, column);

	return text ? (const char *)text : "";
}

int db_begin(struct store *s, struct err *err)
{
	return db_exec(s, "BEGIN IMMEDIATE", err);
}

int db_commit(struct store *s, int failed, struct err *err)
{
	if (!failed && db_exec(s, "COMMIT", err) == 0)
		return 0;
	/* SQLite has rolled back by itself after some errors (a full disk): then this does nothing. */
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

int db_pragma(struct store *s, const char *sql, int64_t *ret, struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	int r;

	if (db_prepare(s, &st, err, sql, ""))
		return -1;
	r = db_step(s, st, err);
	if (r < 0)
		return -1;
	*ret = r ? sqlite3_column_int64(st, 0) : 0;
	return 0;
}
