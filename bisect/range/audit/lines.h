/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: which lines of which functions a commit changes. */
#ifndef RANGE_AUDIT_LINES_H
#define RANGE_AUDIT_LINES_H

#include "range/audit/audit.h"
#include "range/change/view.h"

/**
 * lines_read() - fill in what audit_index_lines() promises
 * @paths: as gitlib_paths() gives them; none: all
 */
int lines_read(struct view *v, const struct strv *paths, struct audit_commit *c, struct err *err);

void touch_deinit(struct audit_touch *t);

#endif
