// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of run.db. Rows are only added, which triggers hold: a fact that changes gets a new
 * row and the last one counts; a trial that ends gets a row in another table. So what was known at
 * any moment can be read afterwards, and no crash can leave half an update.
 */
#include "store/db.h"

#include <inttypes.h>
#include <string.h>

#define STR2(x) #x
#define STR(x)	STR2(x)

/* "aBis": tells a run from any other SQLite file (sqlite.org/pragma.html#pragma_application_id). */
#define APPLICATION_ID 1631742323

#define ONLY_ADDED(table)                                            \
	"CREATE TRIGGER " table "_no_update BEFORE UPDATE ON " table \
	" BEGIN SELECT RAISE(ABORT, 'rows are only added'); END;"    \
	"CREATE TRIGGER " table "_no_delete BEFORE DELETE ON " table \
	" BEGIN SELECT RAISE(ABORT, 'rows are only added'); END;"

/* clang-format off */
static const char schema[] =
	"CREATE TABLE fact (id INTEGER PRIMARY KEY, key TEXT NOT NULL, value TEXT,"
	" date_s INTEGER NOT NULL) STRICT;"
	"CREATE INDEX fact_key ON fact (key, id);"
	"CREATE TABLE candidate (id INTEGER PRIMARY KEY, node INTEGER NOT NULL UNIQUE,"
	" commit_id TEXT NOT NULL UNIQUE, subject TEXT NOT NULL) STRICT;"
	"CREATE TABLE trial (trial INTEGER PRIMARY KEY, commit_id TEXT NOT NULL, role TEXT NOT "
	"NULL,"
	" begun_s INTEGER NOT NULL) STRICT;"
	"CREATE TABLE stage (id INTEGER PRIMARY KEY, trial INTEGER NOT NULL REFERENCES trial,"
	" stage TEXT NOT NULL, elapsed_ns INTEGER NOT NULL, detail TEXT) STRICT;"
	"CREATE INDEX stage_trial ON stage (trial);"
	"CREATE TABLE sample (id INTEGER PRIMARY KEY, trial INTEGER NOT NULL REFERENCES trial,"
	" regime TEXT NOT NULL, warmup INTEGER NOT NULL, repeat INTEGER NOT NULL,"
	" bytes INTEGER NOT NULL, offset INTEGER NOT NULL, elapsed_ns INTEGER NOT NULL,"
	" extents INTEGER NOT NULL, resident INTEGER NOT NULL, present BLOB NOT NULL,"
	" pages_present INTEGER NOT NULL, restarts INTEGER NOT NULL, calls INTEGER NOT NULL,"
	" result INTEGER NOT NULL, read_permission INTEGER NOT NULL) STRICT;"
	"CREATE INDEX sample_trial ON sample (trial);"
	"CREATE TABLE ending (trial INTEGER PRIMARY KEY REFERENCES trial, verdict TEXT NOT NULL,"
	" rule TEXT NOT NULL, reason TEXT NOT NULL, windows INTEGER NOT NULL,"
	" predicted INTEGER NOT NULL, off INTEGER NOT NULL, signature TEXT NOT NULL,"
	" date_s INTEGER NOT NULL) STRICT;"
	"CREATE TABLE event (id INTEGER PRIMARY KEY, date_s INTEGER NOT NULL, kind TEXT NOT NULL,"
	" text TEXT NOT NULL) STRICT;"
	ONLY_ADDED("fact")
	ONLY_ADDED("candidate")
	ONLY_ADDED("trial")
	ONLY_ADDED("stage")
	ONLY_ADDED("sample")
	ONLY_ADDED("ending")
	ONLY_ADDED("event")
	"PRAGMA application_id = " STR(APPLICATION_ID) ";"
	"PRAGMA user_version = " STR(STORE_FORMAT) ";";
/* clang-format on */

int schema_create(struct store *s, struct err *err)
{
	int failed;

	if (db_begin(s, err))
		return -1;
	failed = db_exec(s, schema, err);
	return db_commit(s, failed, err);
}

/* A run's file is small, so its pages are looked through each time it is opened. */
static int check_pages(struct store *s, struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	int r;

	if (db_prepare(s, &st, err, "PRAGMA quick_check(1)", ""))
		return -1;
	r = db_step(s, st, err);
	if (r < 0)
		return -1;
	if (r && strcmp(db_text(st, 0), "ok") == 0)
		return 0;
	return db_damaged(s, r ? db_text(st, 0) : "no answer to quick_check", err);
}

int schema_check(struct store *s, struct err *err)
{
	int64_t format, id, tables;

	if (db_pragma(s, "PRAGMA user_version", &format, err) ||
	    db_pragma(s, "PRAGMA application_id", &id, err) ||
	    db_pragma(s, "SELECT count(*) FROM sqlite_schema", &tables, err))
		return -1;
	if (!format && !id && !tables)
		return 0;
	if (id != APPLICATION_ID)
		return err_set(err, ERR_HOST,
			       "%s is no run of amdgpu-bisect; choose another directory", s->path);
	if (format > STORE_FORMAT)
		return err_set(err, ERR_HOST,
			       "%s is of format %" PRId64
			       ", this amdgpu-bisect reads up to %d; use "
			       "the newer one that wrote it",
			       s->path, format, STORE_FORMAT);
	return check_pages(s, err) ? -1 : 1;
}

int schema_raise(struct store *s, struct err *err)
{
	int64_t format;

	if (db_pragma(s, "PRAGMA user_version", &format, err))
		return -1;
	return format == STORE_FORMAT ? 0
				      : db_exec(s, "PRAGMA user_version = " STR(STORE_FORMAT), err);
}
