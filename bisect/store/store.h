/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What must survive: run.db, one row per state change, written before the next step starts. SQLite
 * in WAL mode with synchronous=FULL; kill -9 at any moment loses at most the step in flight.
 * Rows are only added: a verdict can always be recomputed from its samples.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/verdict.h"
#include "wire/wire.h"

struct store;

/** store_create() - make DIR/run.db; ERR_USAGE if there is one already (says resume) */
int store_create(const char *dir, struct store **ret, struct err *err);

/**
 * store_open() - open DIR/run.db
 * @write: take the run's lock; ERR_USAGE naming the pid if another controller holds it. Readers
 *         (status, report) need none.
 * @err:   ERR_USAGE: no run there; ERR_HOST: damaged, of a newer format, disk full
 */
int store_open(const char *dir, bool write, struct store **ret, struct err *err);
/**
 * store_join() - open DIR/run.db to write beside the controller that holds the run's lock: for its workers
 * @err: as store_open()
 */
int store_join(const char *dir, struct store **ret, struct err *err);

/**
 * store_lock_fd() - what a writer holds the run's lock with; -1: it has none
 * A worker inherits it: so nobody goes on with the run before all of its workers have ended.
 */
int store_lock_fd(const struct store *s);
void store_close(struct store *s);
DEFINE_CLEANUP(struct store *, store_close)

/* Facts of the run: options with their origin, ends, kernel, accelerator... Keys are dotted names. */
/** store_set() - a later value of the same key counts; NULL takes the key back */
int store_set(struct store *s, const char *key, const char *value, struct err *err);
/** store_get() - owned by the caller; *ret is NULL if there is no such key */
int store_get(struct store *s, const char *key, char **ret, struct err *err);
/**
 * store_each_fact() - the last value of each key, by key
 * @each: anything but 0 ends the reading and is returned
 */
int store_each_fact(struct store *s, int (*each)(const char *key, const char *value, void *arg),
		    void *arg, struct err *err);

/* Why a trial is made. */
enum store_role {
	ROLE_GOOD_END,
	ROLE_BAD_END,
	ROLE_SEARCH,
	ROLE_CONFIRM,	     /* a culprit once more */
	ROLE_CONFIRM_PARENT, /* and its parents */
	ROLE_TEST,
	ROLE_MERGE_BASE,   /* where an end on another branch forked off */
	ROLE_RETEST,	   /* once more, since it contradicts another verdict */
	ROLE_TURN,	   /* the search for an earlier turn of a history that turned twice */
	ROLE_TURN_CONFIRM, /* what that search named once more, and its parents */
	ROLE_CANARY,	   /* the module known good, to see that the card is sound */
	ROLE_USER,	   /* not tried: the verdict of a replayed log */
	ROLE_TIP,	   /* the tip that the proof is about, where it is no end */
	ROLE_TIP_WITHOUT,  /* made for the proof: the tip without the culprit, */
	ROLE_TIP_WITH_FOLLOWUP, /* with what follows it up, */
	ROLE_OLD_END_WITH,	/* and the old end with the culprit */
	ROLE_VALIDATE,		/* a build of validate's table */
	ROLES
};
const char *store_role_name(enum store_role r);
bool store_role_parse(const char *name, enum store_role *ret);

/* The candidates of the run, in topological order, stored once at its start. */
struct store_candidate {
	char id[COMMIT_ID_SIZE];
	char *subject; /* owned by the list */
	uint32_t node;
};
int store_add_candidates(struct store *s, const struct store_candidate *c, size_t n,
			 struct err *err);
int store_candidates(struct store *s, struct store_candidate **ret, size_t *n, struct err *err);
void store_candidates_free(struct store_candidate *c, size_t n);

/** store_begin() - a trial starts: its row and its number (1-based) */
int store_begin(struct store *s, const char *commit, enum store_role role, int64_t *ret_trial,
		struct err *err);
/** store_stage() - a stage ended: "build", "create", "boot", "load", "probe"; @detail may be NULL */
int store_stage(struct store *s, int64_t trial, const char *stage, int64_t elapsed_ns,
		const char *detail, struct err *err);
/** store_artifact() - what was built: its key, how it is tried (a digest), the config's digest */
struct store_artifact {
	char key[65];
	char asked[17];
	char config[13];
};
int store_artifact(struct store *s, int64_t trial, const struct store_artifact *a, struct err *err);
/** store_patches() - what the commit was mended with: names, a line each */
int store_patches(struct store *s, int64_t trial, const char *names, struct err *err);
/** store_same() - not booted: its artifact is the one that @commit was tried as */
int store_same(struct store *s, int64_t trial, const char *commit, struct err *err);
/** store_place() - who made it, where several did: "worker 2", or "worker 2, 0000:03:00.0" */
int store_place(struct store *s, int64_t trial, const char *where, struct err *err);
/** store_samples() - all samples of a trial, in one transaction */
int store_samples(struct store *s, int64_t trial, const struct wire_sample *samples, size_t n,
		  struct err *err);

/**
 * store_kernel() - copies under the kernel's probes, in one transaction; no verdict is made from them
 * @err: ERR_USAGE: one that the wire cannot tell
 */
int store_kernel(struct store *s, int64_t trial, const struct wire_sample *samples, size_t n,
		 struct err *err);
/** store_trial_kernel() - read back; array owned by the caller (free), NULL if there are none */
int store_trial_kernel(struct store *s, int64_t trial, struct wire_sample **ret, size_t *n,
		       struct err *err);

/* What a program of the user's did in one trial. */
struct store_run {
	int code; /* exit code */
	int64_t elapsed_ns;
	char *output; /* the last line of its stdout, or "" */
};
struct store_own {
	struct store_run *runs; /* [n_runs] */
	size_t n_runs;
	char *console; /* lines, or "" */
	char *said;    /* the last that it said besides, or "" */
	char *ended;   /* how the trial ended otherwise, or "" */
	char *why;     /* with @ended */
};
/** store_own() - all of it, in one transaction; once per trial */
int store_own(struct store *s, int64_t trial, const struct store_own *own, struct err *err);
/** store_trial_own() - read back; @ended is NULL if the trial has nothing of it; store_own_deinit() */
int store_trial_own(struct store *s, int64_t trial, struct store_own *ret, struct err *err);
void store_own_deinit(struct store_own *own);

struct store_verdict {
	enum verdict verdict;
	char rule[32]; /* judge rule, trial end or "build" */
	char reason[512];
	uint32_t windows, predicted, off;
	char signature[65]; /* of what the artifact came to be; empty: nothing was built */
};
/** store_end() - a trial's verdict; once per trial, ERR_HOST otherwise */
int store_end(struct store *s, int64_t trial, const struct store_verdict *v, struct err *err);

/* A trial as read back. */
struct store_trial {
	int64_t trial;
	char commit[COMMIT_ID_SIZE];
	enum store_role role;
	int64_t begun_s; /* date */
	bool ended;
	struct store_verdict v; /* valid if ended */
	struct {
		char stage[16];
		int64_t elapsed_ns;
	} stages[8];
	size_t n_stages;
	char key[65];		      /* of its artifact; "": not known, so also below */
	char asked[17];		      /* how it was tried */
	char config[13];	      /* that it was built with */
	char same_as[COMMIT_ID_SIZE]; /* not booted: the commit whose verdict it has */
	char patches[512];	      /* names, a line each */
	char where[48];		      /* as store_place(); "" */
};
/** store_trials() - all trials in order; array owned by the caller (free) */
int store_trials(struct store *s, struct store_trial **ret, size_t *n, struct err *err);
/** store_trial_samples() - samples of one trial; array owned by the caller (free) */
int store_trial_samples(struct store *s, int64_t trial, struct wire_sample **ret, size_t *n,
			struct err *err);

/** store_event() - a line of the run's log: what happened, with a date */
__attribute__((format(printf, 4, 5))) int store_event(struct store *s, const char *kind,
						      struct err *err, const char *fmt, ...);
/** store_each_event() - in order; @each as in store_each_fact() */
int store_each_event(struct store *s,
		     int (*each)(int64_t date_s, const char *kind, const char *text, void *arg),
		     void *arg, struct err *err);

#endif
