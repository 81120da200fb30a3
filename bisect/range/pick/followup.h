/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which commits a repository has that follow a culprit up: they say so in their messages, and the tip under
 * test does not have them.
 */
#ifndef RANGE_PICK_FOLLOWUP_H
#define RANGE_PICK_FOLLOWUP_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* How a message names the culprit, what says most first. */
enum followup_how {
	FOLLOWUP_FIXES,	  /* "Fixes: ID" */
	FOLLOWUP_REVERTS, /* "This reverts commit ID" */
	FOLLOWUP_NAMES,	  /* anywhere else */
	FOLLOWUP_NOT
};

/**
 * followup_in() - how a message names one of some commits; pure
 * @message: text from outside, NUL-terminated
 * @names:   [n] ids of 8 to 40 hex digits; abbreviations, on either side, count as what they begin
 *
 * A message that says that its commit is the named one, taken from another tree, follows nothing up.
 */
enum followup_how followup_in(const char *message, const char *const *names, size_t n);

struct followup {
	char id[COMMIT_ID_SIZE];
	enum followup_how how;
	int64_t date_s;
};

/**
 * followup_find() - commits that name one of some commits and are not in the history of a tip
 * @names:  as above, [n]
 * @tip:    full id
 * @branch: revision: only its history; NULL: that of all refs
 * @ret:    array owned by the caller, by how and then the oldest first; merges are left out
 * @err:    ERR_USAGE: @branch names no commit; ERR_HOST; ERR_STOPPED
 */
int followup_find(const char *repo, const char *const *names, size_t n, const char *tip,
		  const char *branch, struct followup **ret, size_t *ret_n, struct err *err);

#endif
