// SPDX-License-Identifier: GPL-2.0-or-later
/* What the loop writes, one row per state change, each on the disk before its call returns. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "store/db.h"

static const char *const role_names[] = {
	[ROLE_GOOD_END] = "good-end",
	[ROLE_BAD_END] = "bad-end",
	[ROLE_SEARCH] = "search",
	[ROLE_CONFIRM] = "confirm",
	[ROLE_CONFIRM_PARENT] = "confirm-parent",
	[ROLE_TEST] = "test",
	[ROLE_MERGE_BASE] = "merge-base",
	[ROLE_RETEST] = "retest",
	[ROLE_TURN] = "turn",
	[ROLE_TURN_CONFIRM] = "turn-confirm",
	[ROLE_CANARY] = "canary",
	[ROLE_USER] = "user",
	[ROLE_TIP] = "tip",
	[ROLE_TIP_WITHOUT] = "tip-without",
	[ROLE_TIP_WITH_FOLLOWUP] = "tip-with-followup",
	[ROLE_OLD_END_WITH] = "old-end-with",
	[ROLE_VALIDATE] = "validate",
};
static_assert(ARRAY_SIZE(role_names) == ROLES, "a role has no name");

const char *store_role_name(enum store_role r)
{
	return (unsigned int)r < ROLES ? role_names[r] : "unknown";
}

bool store_role_parse(const char *name, enum store_role *ret)
{
	for (unsigned int i = 0; i < ROLES; i++)
		if (strcmp(name, role_names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

int store_set(struct store *s, const char *key, const char *value, struct err *err)
{
	return db_write(s, err, "INSERT INTO fact (key, value, date_s) VALUES (?, ?, ?)", "ssi",
			key, value, clock_date_s());
}

int store_add_candidates(struct store *s, const struct store_candidate *c, size_t n,
			 struct err *err)
{
	int failed = 0;

	if (db_begin(s, err))
		return -1;
	for (size_t i = 0; i < n && !failed; i++)
		failed = db_write(
			s, err, "INSERT INTO candidate (node, commit_id, subject) VALUES (?, ?, ?)",
			"iss", (int64_t)c[i].node, c[i].id, c[i].subject ? c[i].subject : "");
	return db_commit(s, failed, err);
}

int store_begin(struct store *s, const char *commit, enum store_role role, int64_t *ret_trial,
		struct err *err)
{
	if (db_write(s, err, "INSERT INTO trial (commit_id, role, begun_s) VALUES (?, ?, ?)", "ssi",
		     commit, store_role_name(role), clock_date_s()))
		return -1;
	*ret_trial = sqlite3_last_insert_rowid(s->db);
	return 0;
}

int store_stage(struct store *s, int64_t trial, const char *stage, int64_t elapsed_ns,
		const char *detail, struct err *err)
{
	return db_write(s, err,
			"INSERT INTO stage (trial, stage, elapsed_ns, detail) VALUES (?, ?, ?, ?)",
			"isis", trial, stage, elapsed_ns, detail);
}

/*
 * Rows beside the stages, as stages that take no time: a run of an older version lacks them, and an
 * older version passes them over.
 */
int store_artifact(struct store *s, int64_t trial, const struct store_artifact *a, struct err *err)
{
	_cleanup_free_ char *text = str_printf("%s %s %s", a->key, a->asked, a->config);

	return store_stage(s, trial, ROW_ARTIFACT, 0, text, err);
}

int store_patches(struct store *s, int64_t trial, const char *names, struct err *err)
{
	return store_stage(s, trial, ROW_PATCHES, 0, names, err);
}

int store_same(struct store *s, int64_t trial, const char *commit, struct err *err)
{
	return store_stage(s, trial, ROW_SAME, 0, commit, err);
}

int store_place(struct store *s, int64_t trial, const char *where, struct err *err)
{
	return store_stage(s, trial, ROW_PLACE, 0, where, err);
}

/* Bytes of the presence map that hold a bit; a copy of few extents needs few. */
static int present_bytes(const struct wire_sample *w)
{
	size_t n = ARRAY_SIZE(w->present);

	while (n && !w->present[n - 1])
		n--;
	return (int)(n * sizeof(w->present[0]));
}

static int write_sample(struct store *s, int64_t trial, const struct wire_sample *w,
			struct err *err)
{
	return db_write(
		s, err,
		"INSERT INTO sample (trial, regime, warmup, repeat, bytes, offset, elapsed_ns,"
		" extents, resident, present, pages_present, restarts, calls, result,"
		" read_permission) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"isiiiiiiibiiiii", trial, regime_name(w->regime), (int64_t)w->warmup,
		(int64_t)w->repeat, (int64_t)w->bytes, (int64_t)w->offset, w->elapsed_ns,
		(int64_t)w->extents, (int64_t)w->resident, (const void *)w->present,
		present_bytes(w), (int64_t)w->pages_present, (int64_t)w->restarts,
		(int64_t)w->calls, (int64_t)w->result, (int64_t)w->read_permission);
}

int store_samples(struct store *s, int64_t trial, const struct wire_sample *samples, size_t n,
		  struct err *err)
{
	int failed = 0;

	if (db_begin(s, err))
		return -1;
	for (size_t i = 0; i < n && !failed; i++)
		failed = write_sample(s, trial, &samples[i], err);
	return db_commit(s, failed, err);
}

int store_end(struct store *s, int64_t trial, const struct store_verdict *v, struct err *err)
{
	return db_write(s, err,
			"INSERT INTO ending (trial, verdict, rule, reason, windows, predicted, off,"
			" signature, date_s) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			"isssiiisi", trial, verdict_name(v->verdict), v->rule, v->reason,
			(int64_t)v->windows, (int64_t)v->predicted, (int64_t)v->off, v->signature,
			clock_date_s());
}

int store_event(struct store *s, const char *kind, struct err *err, const char *fmt, ...)
{
	_cleanup_buf_ struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&text, fmt, ap);
	va_end(ap);
	return db_write(s, err, "INSERT INTO event (date_s, kind, text) VALUES (?, ?, ?)", "iss",
			clock_date_s(), kind, text.data);
}
