// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Copies under the kernel's probes: evidence, and no measurement. So they are no rows of the samples, which
 * verdicts are made from, but rows beside the stages, each the line that the agent would send.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "store/db.h"

static int write_rows(struct store *s, int64_t trial, const struct wire_sample *samples, size_t n,
		      struct err *err)
{
	for (size_t i = 0; i < n; i++) {
		const struct wire_msg msg = { .type = WIRE_SAMPLE, .sample = samples[i] };
		char line[WIRE_LINE_MAX];

		if (wire_encode(&msg, line, err) < 0)
			return -1;
		line[strcspn(line, "\n")] = '\0';
		if (store_stage(s, trial, ROW_KERNEL, samples[i].elapsed_ns, line, err) < 0)
			return -1;
	}
	return 0;
}

int store_kernel(struct store *s, int64_t trial, const struct wire_sample *samples, size_t n,
		 struct err *err)
{
	if (db_begin(s, err))
		return -1;
	return db_commit(s, write_rows(s, trial, samples, n, err), err);
}

int store_trial_kernel(struct store *s, int64_t trial, struct wire_sample **ret, size_t *n,
		       struct err *err)
{
	_cleanup_(sqlite3_finalize_stmt_p) sqlite3_stmt *st = NULL;
	_cleanup_free_ struct wire_sample *w = NULL;
	size_t used = 0;
	int r;

	if (db_prepare(s, &st, err,
		       "SELECT detail FROM stage WHERE trial = ? AND stage = ? ORDER BY id", "is",
		       trial, ROW_KERNEL))
		return -1;
	while ((r = db_step(s, st, err)) > 0) {
		const char *line = db_text(st, 0);
		struct wire_msg msg;
		struct err why;

		if (wire_decode(line, strlen(line), &msg, &why) < 0 || msg.type != WIRE_SAMPLE ||
		    !msg.sample.evidence)
			return db_damaged(s, "a copy under the kernel's probes that is none", err);
		w = xrealloc(w, used + 1, sizeof(*w));
		w[used++] = msg.sample;
	}
	if (r < 0)
		return -1;
	*ret = take_ptr(w);
	*n = used;
	return 0;
}
