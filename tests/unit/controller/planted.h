/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lab whose answers are planted. It takes the place of lab.c and trial.c by linking: the loop asks
 * for hundreds of trials here, is killed at each of them, and a guest takes seconds. Everything else
 * is the real thing: histories made by git, the rooms range, search and store, the whole loop.
 */
#ifndef TESTS_CONTROLLER_PLANTED_H
#define TESTS_CONTROLLER_PLANTED_H

#include "lab.h"

#define PLANTED_PARENTS 3

/* A commit of a history, by its name; it changes drv/code, or with @outside another file only. */
struct planted_commit {
	const char *name;
	const char *state; /* "good", "bad", or why it cannot be tested */
	const char *parents[PLANTED_PARENTS];
	bool outside;
	const char *body;	 /* of its message, or NULL */
	const char *signature;	 /* of its artifact; NULL: its name */
	const char *code;	 /* what it changes drv/code to; NULL: its name */
	char id[COMMIT_ID_SIZE]; /* filled by planted_history() */
	bool tried, foreseen;	 /* planted_foresight() */
};

/** planted_history() - make it a repository; its path, owned by the caller; each commit is a tag */
char *planted_history(const char *name, struct planted_commit *c, size_t n);

/** planted_id() - a commit of the last history by its name */
const char *planted_id(const char *name);
/** planted_name() - the inverse; NULL: not of the last history */
const char *planted_name(const char *id);

/**
 * planted_judge() - what trials find of commits that are not of the history, by what drv/code holds
 * @by: gives a state; NULL: there must be no such commit
 */
void planted_judge(const char *(*by)(const char *code));

/** planted_state() - what its trials find */
const char *planted_state(const char *name);

/* How the controller ends in the middle. */
enum planted_end {
	PLANTED_STOP,	/* asked to stop before the trial */
	PLANTED_FLIGHT, /* killed while the trial goes on */
	PLANTED_KILL,	/* killed when its verdict is on the disk */
};

/** planted_end_at() - end at the @trial-th trial of this process; 0: never */
void planted_end_at(unsigned int trial, enum planted_end how);

/** planted_miss() - a bad commit's trial is good with chance @p, as @seed falls; 0: never */
void planted_miss(double p, uint64_t seed);

/** planted_lie() - the next @n trials of a commit find @state instead; the last call counts */
void planted_lie(const char *name, const char *state, unsigned int n);

/* Of the commits that were tried for the first time, but the very first: which had been planned before. */
struct planted_foresight {
	unsigned int n_new, n_foreseen;
};
struct planted_foresight planted_foresight(void);

/**
 * planted_fault() - the next worker that tries a commit does something else
 * @how: "kill": it is killed, with its trial; "stop": it hangs; "fail": its machine fails; "each": it is
 *       killed, and so is each that tries it after
 */
void planted_fault(const char *name, const char *how);

/** planted_worker() - the main function of a worker, with the answers of the process that started it */
int planted_worker(int argc, char **argv);

/** planted_trials() - trials of this process so far */
unsigned int planted_trials(void);

#endif
