/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A `git bisect log`, read and written. The file may come from anybody: whatever is not understood is
 * an error with its line, never passed over, since a verdict that was lost would change the answer.
 */
#ifndef CONTROLLER_LOG_BISECT_LOG_H
#define CONTROLLER_LOG_BISECT_LOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "controller/log/terms.h"

enum log_state { LOG_OLD, LOG_NEW, LOG_SKIP };

struct log_mark {
	enum log_state state;
	char *rev; /* as the log names it */
	unsigned int line;
};

struct bisect_log {
	char old[TERM_SIZE]; /* what the log calls the states; "good" and "bad" without a word */
	char new[TERM_SIZE];
	bool first_parent;
	char *new_end; /* revision on the start line, or NULL */
	struct strv old_ends;
	struct strv paths;
	unsigned int start_line; /* 0: there is none */
	struct log_mark *marks;	 /* [n_marks] in order */
	size_t n_marks, cap_marks;
};

void bisect_log_deinit(struct bisect_log *l);

/**
 * bisect_log_parse() - read a log
 * @text: [len], any bytes
 * @ret:  owned by the caller, bisect_log_deinit()
 * @err:  ERR_USAGE: "line N: ..." and what is wrong there
 *
 * Revisions of the start line may have moved since: where the comments before it give as many ids, as
 * git writes them, those are taken.
 *
 * Source: git's builtin/bisect.c, bisect_write() and process_replay_line().
 */
int bisect_log_parse(const char *text, size_t len, struct bisect_log *ret, struct err *err);

/* What is written; ids are full. */
struct log_entry {
	enum log_state state;
	const char *id;
	const char *subject;
	bool remark; /* as a comment only: git's search cannot hold it */
};

struct log_session {
	const char *old, *new; /* terms */
	bool first_parent;
	struct log_entry new_end;
	const struct log_entry *old_ends; /* [n_old_ends] */
	size_t n_old_ends;
	const struct strv *paths;
	const struct log_entry *entries; /* [n_entries] in order */
	size_t n_entries;
	const struct log_entry *first_new; /* what was found, or NULL */
	const struct log_entry *possible;  /* [n_possible] if only a set was */
	size_t n_possible;
};

/** bisect_log_write() - text that `git bisect replay` takes; owned by the caller */
char *bisect_log_write(const struct log_session *s);

#endif
