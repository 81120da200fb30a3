/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SQLite behind the store: the connection, its errors as ours, statements; within store/ only. */
#ifndef STORE_DB_H
#define STORE_DB_H

#include <sqlite3.h>

#include "store/store.h"

/*
 * Written by this version; a higher user_version is refused, so that nothing is misread.
 *   1  the tables
 *   2  trials may be merge-base, retest, turn, turn-confirm, user
 *   3  trials may be canary, tip, tip-without, tip-with-followup, old-end-with, validate
 */
#define STORE_FORMAT 3

/* Rows of the table of stages that are none. */
#define ROW_ARTIFACT "artifact" /* KEY ASKED CONFIG, each may be empty */
#define ROW_PATCHES  "apply"
#define ROW_SAME     "same"
#define ROW_PLACE    "place"
#define ROW_RUN	     "run"     /* CODE OUTPUT, of a program of the user's */
#define ROW_CONSOLE  "console" /* what the kernel said meanwhile */
#define ROW_SAID     "said"    /* its last note */
#define ROW_KERNEL   "kernel"  /* a copy under the kernel's probes, as a line of the wire */
#define ROW_ENDED    "ended"   /* END WHY; both empty: every run was made */

struct store {
	sqlite3 *db;
	char *path; /* DIR/run.db */
	int lock;   /* held by a writer; -1 */
};

static inline void sqlite3_finalize_stmt(sqlite3_stmt *st)
{
	sqlite3_finalize(st);
}
DEFINE_CLEANUP(sqlite3_stmt *, sqlite3_finalize_stmt)

/**
 * db_error() - SQLite's last error as one line that says what to do
 * @rc:   what SQLite returned
 * @what: what was tried, "read", "write", "open"
 * Return: -1, ERR_HOST.
 */
int db_error(struct store *s, int rc, const char *what, struct err *err);

/** db_damaged() - rows that this program cannot have written; -1, ERR_HOST */
int db_damaged(struct store *s, const char *what, struct err *err);

/** db_exec() - statements without parameters and rows */
int db_exec(struct store *s, const char *sql, struct err *err);

/**
 * db_prepare() - one statement with its parameters
 * @types: a letter each: 'i' int64_t, 's' const char * (may be NULL), 'b' const void *, int (a blob)
 */
int db_prepare(struct store *s, sqlite3_stmt **ret, struct err *err, const char *sql,
	       const char *types, ...);

/** db_write() - db_prepare(), run to its end, finalized */
int db_write(struct store *s, struct err *err, const char *sql, const char *types, ...);

/** db_step() - 1 a row, 0 the end, -1 with @err */
int db_step(struct store *s, sqlite3_stmt *st, struct err *err);

/** db_text() - a column's text, "" for NULL; valid until the next step */
const char *db_text(sqlite3_stmt *st, int column);

/** db_begin() / db_commit() - several rows at once or none; rolled back if @failed or it fails */
int db_begin(struct store *s, struct err *err);
int db_commit(struct store *s, int failed, struct err *err);

/** db_pragma() - the number a pragma answers */
int db_pragma(struct store *s, const char *sql, int64_t *ret, struct err *err);

/** schema_create() - the tables of STORE_FORMAT, in an empty database, all or none */
int schema_create(struct store *s, struct err *err);

/** schema_check() - 1 the database holds a run, 0 it is empty, -1 foreign, newer or damaged */
int schema_check(struct store *s, struct err *err);

/** schema_raise() - what is gone on with may get rows of this version, so it is of its format then */
int schema_raise(struct store *s, struct err *err);

#endif
