/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of `validate`: a row for each build, a column for each regime, and what the patches do.
 *
 * Facts that are used: validate.rows (how many; set at its end), and for each validate.N.name, .commit, .effect, .rule, .reason;
 * row 0 is the base. validate.base, its commit, is set from the start and tells a validation from a run. What was measured comes from the trials of that commit.
 */
#ifndef REPORTS_VALIDATE_VALIDATE_H
#define REPORTS_VALIDATE_VALIDATE_H

#include "base/err.h"
#include "base/str.h"
#include "store/store.h"

/** report_validate_text() - for a terminal; added to @ret */
int report_validate_text(struct store *s, struct buf *ret, struct err *err);

/** report_validate_json() - for programs: each build with its rows and its effect */
int report_validate_json(struct store *s, struct buf *ret, struct err *err);

#endif
