/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is told beside an answer, in each form: what other trees call the culprit, how sure it is, what
 * hides it, where an end forked off, what was new before the ends, and where the history turned.
 * Within reports/ only; the facts are in reports/report.h.
 */
#ifndef REPORTS_HISTORY_HISTORY_H
#define REPORTS_HISTORY_HISTORY_H

#include "reports/model.h"
#include "wire/json.h"

/* One commit of a turn, or the set that holds it; foreign text. */
struct turn_part {
	const char *commit; /* NULL: none is named */
	const char *subject;
	bool proven;
	const char *set; /* ids, blank-separated; NULL: none */
};

struct turn {
	bool twice; /* it came on two ways, of which @other is one; else it came, went and came again */
	const char *fresh, *stale;
	struct turn_part introducer, repairer, other;
};

/** history_turn() - the @n-th turn; false: there are no more */
bool history_turn(const struct report *r, size_t n, struct turn *ret);

/** history_numbered() - the fact "PART.N.KEY", or NULL */
const char *history_numbered(const struct report *r, const char *part, size_t n, const char *key);

/** history_is_mended() - true if the run ended since an old end lost the change on its own side */
bool history_is_mended(const struct report *r);

/** history_text() / history_html() - below an answer; nothing where there is nothing to tell */
void history_text(struct buf *b, const struct report *r);
void history_html(struct buf *b, const struct report *r);

/** history_json() - "fork", "inherited" and "turns" */
void history_json(struct json *root, const struct report *r);
/** history_json_upstream() - "upstream" and "patch_id" of the culprit */
void history_json_upstream(struct json *culprit, const struct report *r);
/** history_json_blockers() - "blockers" of a set */
void history_json_blockers(struct json *set, const struct report *r);

#endif
