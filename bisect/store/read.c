// SPDX-License-Identifier: GPL-2.0-or-later
/* What was written, read back: for resume, status and the reports. */
#include <string.h>

#include "base/str.h"
#include "store/db.h"

int store_get(struct store *s, const char *key, char **ret, struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	int r;

	if (db_prepare(s, &st, err, "SELECT value FROM fact WHERE key = ? ORDER BY id DESC LIMIT 1",
		       "s", key))
		return -1;
	r = db_step(s, st, err);
	if (r < 0)
		return -1;
	*ret = r && sqlite3_column_type(st, 0) != SQLITE_NULL ? xstrdup(db_text(st, 0)) : NULL;
	return 0;
}

int store_each_fact(struct store *s, int (*each)(const char *key, const char *value, void *arg),
		    void *arg, struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	int r;

	if (db_prepare(s, &st, err,
		       "SELECT key, value FROM fact WHERE id IN (SELECT max(id) FROM fact GROUP BY"
		       " key) AND value IS NOT NULL ORDER BY key",
		       ""))
		return -1;
	while ((r = db_step(s, st, err)) > 0) {
		int stop = each(db_text(st, 0), db_text(st, 1), arg);

		if (stop)
			return stop;
	}
	return r;
}

void store_candidates_free(struct store_candidate *c, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(c[i].subject);
	free(c);
}

int store_candidates(struct store *s, struct store_candidate **ret, size_t *n, struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	struct store_candidate *c = NULL;
	size_t used = 0, cap = 0;
	int r;

	if (db_prepare(s, &st, err, "SELECT node, commit_id, subject FROM candidate ORDER BY node",
		       ""))
		return -1;
	while ((r = db_step(s, st, err)) > 0) {
		if (used == cap) {
			cap = cap ? 2 * cap : 64;
			c = xrealloc(c, cap, sizeof(*c));
		}
		c[used].node = (uint32_t)sqlite3_column_int64(st, 0);
		str_copy(c[used].id, sizeof(c[used].id), db_text(st, 1));
		c[used++].subject = xstrdup(db_text(st, 2));
	}
	if (r < 0) {
		store_candidates_free(c, used);
		return -1;
	}
	*ret = c;
	*n = used;
	return 0;
}

static int read_trial(struct store *s, sqlite3_stmt *st, struct store_trial *t, struct err *err)
{
	*t = (struct store_trial){
		.trial = sqlite3_column_int64(st, 0),
		.begun_s = sqlite3_column_int64(st, 3),
		.ended = sqlite3_column_type(st, 4) != SQLITE_NULL,
	};
	str_copy(t->commit, sizeof(t->commit), db_text(st, 1));
	if (!store_role_parse(db_text(st, 2), &t->role))
		return db_damaged(s, "a trial of an unknown role", err);
	if (!t->ended)
		return 0;
	if (!verdict_parse(db_text(st, 4), &t->v.verdict))
		return db_damaged(s, "a trial of an unknown verdict", err);
	str_copy(t->v.rule, sizeof(t->v.rule), db_text(st, 5));
	str_copy(t->v.reason, sizeof(t->v.reason), db_text(st, 6));
	t->v.windows = (uint32_t)sqlite3_column_int64(st, 7);
	t->v.predicted = (uint32_t)sqlite3_column_int64(st, 8);
	t->v.off = (uint32_t)sqlite3_column_int64(st, 9);
	str_copy(t->v.signature, sizeof(t->v.signature), db_text(st, 10));
	return 0;
}

/* The next of several words, each ended by one blank or the end; cut if there is no room. */
static const char *take_word(const char *text, char *ret, size_t size)
{
	size_t len = strcspn(text, " ");
	_cleanup_free_ char *word = xstrndup(text, len);

	str_copy(ret, size, word);
	return text[len] ? text + len + 1 : text + len;
}

/* True for a row that is no stage. */
static bool read_beside(struct store_trial *t, const char *row, const char *detail)
{
	if (strcmp(row, ROW_SAME) == 0) {
		str_copy(t->same_as, sizeof(t->same_as), detail);
		if (!str_is_commit_id(t->same_as))
			t->same_as[0] = '\0';
		return true;
	}
	if (strcmp(row, ROW_PATCHES) == 0) {
		str_copy(t->patches, sizeof(t->patches), detail);
		return true;
	}
	if (strcmp(row, ROW_PLACE) == 0) {
		str_copy(t->where, sizeof(t->where), detail);
		return true;
	}
	if (strcmp(row, ROW_RUN) == 0 || strcmp(row, ROW_CONSOLE) == 0 ||
	    strcmp(row, ROW_SAID) == 0 || strcmp(row, ROW_ENDED) == 0 ||
	    strcmp(row, ROW_KERNEL) == 0)
		return true;
	if (strcmp(row, ROW_ARTIFACT) != 0)
		return false;
	detail = take_word(detail, t->key, sizeof(t->key));
	detail = take_word(detail, t->asked, sizeof(t->asked));
	take_word(detail, t->config, sizeof(t->config));
	return true;
}

static int read_stages(struct store *s, struct store_trial *t, struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	int r;

	if (db_prepare(s, &st, err,
		       "SELECT stage, elapsed_ns, detail FROM stage WHERE trial = ? ORDER BY id",
		       "i", t->trial))
		return -1;
	while ((r = db_step(s, st, err)) > 0) {
		if (read_beside(t, db_text(st, 0), db_text(st, 2)) ||
		    t->n_stages == ARRAY_SIZE(t->stages))
			continue;
		str_copy(t->stages[t->n_stages].stage, sizeof(t->stages[0].stage), db_text(st, 0));
		t->stages[t->n_stages++].elapsed_ns = sqlite3_column_int64(st, 1);
	}
	return r < 0 ? -1 : 0;
}

int store_trials(struct store *s, struct store_trial **ret, size_t *n, struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	_cleanup_free_ struct store_trial *t = NULL;
	size_t used = 0, cap = 0;
	int r;

	if (db_prepare(
		    s, &st, err,
		    "SELECT trial.trial, commit_id, role, begun_s, verdict, rule, reason, windows,"
		    " predicted, off, signature FROM trial LEFT JOIN ending"
		    " ON ending.trial = trial.trial ORDER BY trial.trial",
		    ""))
		return -1;
	while ((r = db_step(s, st, err)) > 0) {
		if (used == cap) {
			cap = cap ? 2 * cap : 32;
			t = xrealloc(t, cap, sizeof(*t));
		}
		if (read_trial(s, st, &t[used], err) || read_stages(s, &t[used], err))
			return -1;
		used++;
	}
	if (r < 0)
		return -1;
	*ret = take_ptr(t);
	*n = used;
	return 0;
}

static int read_sample(struct store *s, sqlite3_stmt *st, struct wire_sample *w, struct err *err)
{
	int bytes = sqlite3_column_bytes(st, 8);
	const void *present = sqlite3_column_blob(st, 8);

	*w = (struct wire_sample){
		.warmup = sqlite3_column_int(st, 1),
		.repeat = (uint32_t)sqlite3_column_int64(st, 2),
		.bytes = (uint64_t)sqlite3_column_int64(st, 3),
		.offset = (uint64_t)sqlite3_column_int64(st, 4),
		.elapsed_ns = sqlite3_column_int64(st, 5),
		.extents = (uint32_t)sqlite3_column_int64(st, 6),
		.resident = (uint32_t)sqlite3_column_int64(st, 7),
		.pages_present = (uint64_t)sqlite3_column_int64(st, 9),
		.restarts = (uint32_t)sqlite3_column_int64(st, 10),
		.calls = (uint32_t)sqlite3_column_int64(st, 11),
		.result = sqlite3_column_int(st, 12),
		.read_permission = sqlite3_column_int(st, 13),
	};
	if (!regime_parse(db_text(st, 0), &w->regime))
		return db_damaged(s, "a sample of an unknown regime", err);
	if (bytes < 0 || (size_t)bytes > sizeof(w->present))
		return db_damaged(s, "a presence map that is too long", err);
	if (bytes)
		memcpy(w->present, present, (size_t)bytes);
	return 0;
}

int store_trial_samples(struct store *s, int64_t trial, struct wire_sample **ret, size_t *n,
			struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	_cleanup_free_ struct wire_sample *w = NULL;
	size_t used = 0, cap = 0;
	int r;

	if (db_prepare(
		    s, &st, err,
		    "SELECT regime, warmup, repeat, bytes, offset, elapsed_ns, extents, resident,"
		    " present, pages_present, restarts, calls, result, read_permission"
		    " FROM sample WHERE trial = ? ORDER BY id",
		    "i", trial))
		return -1;
	while ((r = db_step(s, st, err)) > 0) {
		if (used == cap) {
			cap = cap ? 2 * cap : 64;
			w = xrealloc(w, cap, sizeof(*w));
		}
		if (read_sample(s, st, &w[used++], err))
			return -1;
	}
	if (r < 0)
		return -1;
	*ret = take_ptr(w);
	*n = used;
	return 0;
}

int store_each_event(struct store *s,
		     int (*each)(int64_t date_s, const char *kind, const char *text, void *arg),
		     void *arg, struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	int r;

	if (db_prepare(s, &st, err, "SELECT date_s, kind, text FROM event ORDER BY id", ""))
		return -1;
	while ((r = db_step(s, st, err)) > 0) {
		int stop = each(sqlite3_column_int64(st, 0), db_text(st, 1), db_text(st, 2), arg);

		if (stop)
			return stop;
	}
	return r;
}
