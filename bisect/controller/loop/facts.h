/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the loop only: the facts of histories that are no straight line; keys in reports/report.h. */
#ifndef CONTROLLER_LOOP_FACTS_H
#define CONTROLLER_LOOP_FACTS_H

#include "controller/loop/loop.h"

/* What is known of the commit where an old end forked off. */
enum fork_state {
	FORK_BEFORE,   /* it is old */
	FORK_MENDED,   /* it is new: the end was mended on its own side */
	FORK_UNTESTED, /* it cannot be tested */
	FORK_STATES
};

/** facts_fork() - @end forked off at @base; @next: the command that finds what mended it, or NULL */
int facts_fork(struct store *s, enum fork_state state, const char *base, const char *end,
	       const char *story, const char *next, struct err *err);

/** facts_inherit() - candidate @id is new since @parent, older than the ends, is; @end was mended */
int facts_inherit(struct run *r, size_t n, const char *id, const char *parent, const char *end,
		  const char *story, struct err *err);

/* Where a history turned. */
struct facts_turn {
	char commit[COMMIT_ID_SIZE]; /* empty: none is named */
	const char *subject;	     /* borrowed */
	bool proven;		     /* it and its parents repeated */
	struct strv set;	     /* none is named: one of these */
};
void facts_turn_deinit(struct facts_turn *t);

/** facts_turn_met() - the two verdicts of a turn, as soon as they stand */
int facts_turn_met(struct run *r, size_t n, struct err *err);

/** facts_turn() - @part: "introducer", "repairer", or "other" of two ways */
int facts_turn(struct run *r, size_t n, const char *part, const struct facts_turn *found,
	       struct err *err);

/** facts_team() - how many trials at once, and why */
int facts_team(struct store *s, const struct team_size *size, struct err *err);

#endif
