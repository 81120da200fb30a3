// SPDX-License-Identifier: GPL-2.0-or-later
/* What a program of the user's did in a trial, as rows beside its stages, so that it can be judged again. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "store/db.h"

static int write_rows(struct store *s, int64_t trial, const struct store_own *own, struct err *err)
{
	_cleanup_free_ char *ended = str_printf("%s %s", own->ended, own->why);

	for (size_t i = 0; i < own->n_runs; i++) {
		const struct store_run *r = &own->runs[i];
		_cleanup_free_ char *text = str_printf("%d %s", r->code, r->output);

		if (store_stage(s, trial, ROW_RUN, r->elapsed_ns, text, err) < 0)
			return -1;
	}
	if (store_stage(s, trial, ROW_CONSOLE, 0, own->console, err) < 0 ||
	    store_stage(s, trial, ROW_SAID, 0, own->said, err) < 0)
		return -1;
	return store_stage(s, trial, ROW_ENDED, 0, ended, err);
}

int store_own(struct store *s, int64_t trial, const struct store_own *own, struct err *err)
{
	if (db_begin(s, err))
		return -1;
	return db_commit(s, write_rows(s, trial, own, err), err);
}

static int take_run(struct store *s, struct store_own *own, int64_t elapsed_ns, const char *text,
		    struct err *err)
{
	size_t digits = strspn(text, "0123456789");
	_cleanup_free_ char *number = xstrndup(text, digits);
	uint64_t code;

	if (text[digits] != ' ' || !str_to_u64(number, 255, &code))
		return db_damaged(s, "a run without its exit code", err);
	own->runs = xrealloc(own->runs, own->n_runs + 1, sizeof(*own->runs));
	own->runs[own->n_runs++] = (struct store_run){
		.code = (int)code,
		.elapsed_ns = elapsed_ns,
		.output = xstrdup(text + digits + 1),
	};
	return 0;
}

static int take_row(struct store *s, struct store_own *own, const char *row, int64_t elapsed_ns,
		    const char *text, struct err *err)
{
	size_t word = strcspn(text, " ");

	if (strcmp(row, ROW_RUN) == 0)
		return take_run(s, own, elapsed_ns, text, err);
	if (strcmp(row, ROW_CONSOLE) == 0 && !own->console)
		own->console = xstrdup(text);
	else if (strcmp(row, ROW_SAID) == 0 && !own->said)
		own->said = xstrdup(text);
	else if (strcmp(row, ROW_ENDED) == 0 && !own->ended) {
		own->ended = xstrndup(text, word);
		own->why = xstrdup(text[word] ? text + word + 1 : "");
	}
	return 0;
}

int store_trial_own(struct store *s, int64_t trial, struct store_own *ret, struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	_cleanup_(store_own_deinit) struct store_own own = { 0 };
	int r;

	if (db_prepare(s, &st, err,
		       "SELECT stage, elapsed_ns, detail FROM stage WHERE trial = ? ORDER BY id",
		       "i", trial))
		return -1;
	while ((r = db_step(s, st, err)) > 0)
		if (take_row(s, &own, db_text(st, 0), sqlite3_column_int64(st, 1), db_text(st, 2),
			     err) < 0)
			return -1;
	if (r < 0)
		return -1;
	if (own.ended && (!own.console || !own.said))
		return db_damaged(s, "a trial of a program without its console", err);
	*ret = own;
	own = (struct store_own){ 0 };
	return 0;
}

void store_own_deinit(struct store_own *own)
{
	for (size_t i = 0; i < own->n_runs; i++)
		free(own->runs[i].output);
	free(own->runs);
	free(own->console);
	free(own->said);
	free(own->ended);
	free(own->why);
	*own = (struct store_own){ 0 };
}
