/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the shape and the edits to commits. */
#ifndef DEMO_HISTORY_H
#define DEMO_HISTORY_H

#include "base/err.h"
#include "demo/base.h"
#include "demo/text/edits.h"
#include "demo/plan.h"
#include "range/author/author.h"

/**
 * history_files() - choose the files that are edited, by the seed; the first is the unit's, the last are
 *                   the core files if the base has them
 * @ret: owned by the caller, edits_deinit(), also on failure
 * @err: ERR_USAGE: the function is not where it was looked for, or of a form not known
 */
int history_files(const struct demo_spec *spec, const struct base *base, struct author *author,
		  struct edits *ret, struct err *err);

/**
 * history_write() - store all commits
 * @ids: written, [plan->n]
 */
int history_write(const struct demo_spec *spec, const struct base *base, const struct plan *plan,
		  const struct edits *edits, struct author *author, char (*ids)[COMMIT_ID_SIZE],
		  struct err *err);

#endif
