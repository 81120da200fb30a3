/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the loop only: a run while it goes on, and the steps that run.c puts one after the other. */
#ifndef CONTROLLER_LOOP_LOOP_H
#define CONTROLLER_LOOP_LOOP_H

#include "base/err.h"
#include "base/progress.h"
#include "build/package/package.h"
#include "controller/loop/past.h"
#include "controller/team/size.h"
#include "controller/team/team.h"
#include "halving.h"
#include "lab.h"
#include "options.h"
#include "range/range.h"
#include "run.h"
#include "search/search.h"

/* Two verdicts that contradict each other and were found twice. */
struct turn {
	uint32_t fresh; /* new */
	uint32_t stale; /* an old descendant of it; or new as well, if @twice */
	bool twice;	/* the two are new without a candidate in common: it came on two ways */
};

struct run {
	const struct options *o;
	const char *dir;
	struct progress *progress;
	struct halving_words words;
	struct lab lab;
	struct package_kernel packages; /* of a gate's bisection that goes on: held in the cache */
	struct store *store;
	struct range *range;
	struct search *search;
	struct past past;
	struct baseline base;
	bool has_base;
	int64_t base_trial;	 /* whose samples it is */
	struct team_size size;	 /* how many trials at once, and with which cards */
	struct team *team;	 /* makes them; NULL: they are made here, one after the other */
	struct team_done broken; /* the last one that no worker could make */
	unsigned int step;	 /* trials of this run so far, ends included */
	unsigned int rounds;	 /* culprits that did not confirm */
	unsigned int doubts;	 /* contradictions met */
	const char *unconfirmed; /* why a culprit could not be confirmed, if that is known */
	struct turn *turns;
	size_t n_turns;
	size_t n_inherited;
	struct run_result *result;
};

/** loop_flaky() - true if trials may miss the defect by chance, so that every one is weighed */
bool loop_flaky(const struct run *r);

/**
 * loop_tries() - how many trials that find nothing say that nothing is there
 * 1, unless trials may miss: then so many that this is less likely than the doubt that is allowed.
 */
unsigned int loop_tries(const struct run *r);

/** loop_word() - a verdict as the user calls it */
const char *loop_word(const struct run *r, enum verdict v);

/* A commit as people know it: short id and subject. */
struct loop_name {
	char text[160];
};
struct loop_name loop_name(const struct run *r, const char *id);

/**
 * loop_foresee() - what may be tried after a step of a search, for building ahead: if the node is found
 * old, and if new
 * @s: of @search, to be tried now
 */
void loop_foresee(struct run *r, const struct search *search, const struct search_step *s);

/** loop_foresee_these() - the same where it is known; @ids: what will be tried, in order; may be empty */
void loop_foresee_these(struct run *r, const struct strv *ids);

/** loop_foresee_ends() - the ends, and what the search would begin with */
void loop_foresee_ends(struct run *r);

/**
 * loop_try() - the verdict on a commit: what is stored for it, else a trial, shown and counted
 * @more: expected further trials after this one
 * @err:  as lab_try_hard()
 */
int loop_try(struct run *r, const char *id, enum store_role role, unsigned int more,
	     struct attempt *ret, struct err *err);

/** loop_size_team() - how many trials at once, before the rig is opened; @err: as team_size() */
int loop_size_team(struct run *r, struct err *err);

/** loop_open_team() - start the workers, if there are to be any; @err: ERR_HOST */
int loop_open_team(struct run *r, struct err *err);

/**
 * loop_want() - with a team: have a trial begun that loop_try() will ask for
 * Nothing, if it is stored already, or there is no team.
 */
void loop_want(struct run *r, const char *id, enum store_role role);

/** loop_want_with_parents() - the same for a commit and its real parents, each in a role of its own */
void loop_want_with_parents(struct run *r, const char *id, enum store_role role,
			    enum store_role parents);

/** loop_await() - with a team: until one trial is over, and shown; 0 none goes on, -1 error */
int loop_await(struct run *r, unsigned int more, struct err *err);

/** loop_try_there() - loop_try() where a team makes the trial */
int loop_try_there(struct run *r, const char *id, enum store_role role, unsigned int more,
		   struct attempt *ret, struct err *err);

/** loop_show() - the line of a trial that is over */
void loop_show(struct run *r, const char *id, enum store_role role, const struct attempt *a);

/**
 * loop_tell_left() - tell a search a verdict of the past that it did not ask for
 * Of an earlier part of the run that asked in another order, or of a trial that others made needless.
 * Return: false if there is none in that role.
 */
bool loop_tell_left(struct run *r, struct search *search, enum store_role role);

/**
 * loop_round() - with a team: the candidates that cut what is left best together, at once
 * Over as soon as those that are not are of no matter any more.
 * @s: what @search would try alone
 */
int loop_round(struct run *r, struct search *search, enum store_role role,
	       const struct search_step *s, struct err *err);

/**
 * loop_try_end() - the same for a commit that the whole run hangs on
 * One that could not be tested is tried once more, since a guest may die of the machine's own
 * trouble. What does not build will not build the second time.
 */
int loop_try_end(struct run *r, const char *id, enum store_role role, unsigned int more,
		 struct attempt *ret, struct err *err);

/**
 * loop_repeat() - one commit once more
 * @search: is told what comes of it, if the commit is a candidate
 * @want:   what it was found to be
 * @ret:    @want if it repeats, now or in a third trial; else what they settle
 */
int loop_repeat(struct run *r, struct search *search, const char *id, enum store_role role,
		enum verdict want, unsigned int more, enum verdict *ret, struct err *err);

/**
 * loop_ends() - every end must be what was claimed; the first one that is good sets the baseline
 * @more: expected trials after them
 * Return: 1 they are; 0 one is not (said and stored); -1 error.
 */
int loop_ends(struct run *r, unsigned int more, struct err *err);

/**
 * loop_fork() - where ends on other branches forked off
 * Return: 1 before the change, or not known; 0 after it: the end was mended on its own side (said
 * and stored); -1 error.
 */
int loop_fork(struct run *r, unsigned int more, struct err *err);

enum proof {
	PROOF_NO,     /* a verdict did not repeat; the search knows */
	PROOF_SHOWN,  /* it is new, its parents are old */
	PROOF_PARENT, /* it is new only since an excluded parent is; the search knows */
	PROOF_BEFORE, /* so it is, and nothing is left: the change is older than the ends */
	PROOF_NOOP,   /* its artifact is an old parent's: the verdicts contradict each other */
	PROOF_HALF,   /* a parent cannot be tested, and is old by what its descendants showed */
};

/** loop_confirm() - the culprit and its real parents once more, in fresh guests; -1 error */
int loop_confirm(struct run *r, const struct search_step *found, enum proof *ret, struct err *err);

/**
 * loop_is_noop() - 1: a commit was built to the very artifact of a parent of it; 0: not; -1 error
 * @old_parents: full ids of those that were found old
 */
int loop_is_noop(struct run *r, const char *id, const struct strv *old_parents, struct err *err);

/**
 * loop_clash() - two verdicts contradict each other: both once more; if they stand, the change turned
 * @done: set to true if the main search cannot go on
 */
int loop_clash(struct run *r, const struct search_step *s, bool *done, struct err *err);

/** loop_turns() - after the search: who introduced and who repaired, for each turn met */
int loop_turns(struct run *r, struct err *err);

/** loop_set() - only a set can be named: stored with its reason and the blockers that hide it */
int loop_set(struct run *r, const struct search_step *s, const char *why, struct err *err);

/** loop_identity() - what other trees call the culprit; what cannot be found out is left out */
int loop_identity(struct run *r, const char *id, struct err *err);

#endif
