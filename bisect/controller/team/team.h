/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several trials at once: workers are processes of this program, each with a rig of its own (libvirt's root,
 * guest, card), which make the trials that the loop asks for and write them into the run's store as if it had.
 *
 * Builds go one after another in the tree's lock; guests run side by side. A worker that dies, hangs or
 * whose card fails costs its trial's time only: another one makes it. With the controller, however it ends,
 * its workers end by themselves.
 *
 * All is called from one thread.
 */
#ifndef CONTROLLER_TEAM_H
#define CONTROLLER_TEAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"
#include "build/build.h"
#include "guest/guest.h"
#include "options.h"
#include "store/store.h"

struct team;

struct team_spec {
	const struct options *o;	   /* those of the run */
	const struct build_kernel *kernel; /* as build_find() filled it */
	const char *repo;
	const char *dir; /* the run's directory; DIR/worker-N.log is each one's standard error */
	struct store *store; /* a writer's; outlives the team */
	struct rig *rig;     /* without guests: to clean up after one that was killed; or NULL */
	struct progress *progress;
	size_t n;		  /* workers, 1 to TEAM_MAX */
	const struct strv *cards; /* [n] PCI addresses, or none: guests have no card */
	const char *program;	  /* NULL: this one */
	int64_t silent_ms; /* one without a word for so long, but when it builds, hangs; 0: 10 min */
};

#define TEAM_MAX 24 /* libvirt's roots are 32: guest/virt/slot.c */

struct team_task {
	char id[COMMIT_ID_SIZE];
	enum store_role role;
	int64_t base;		    /* the trial whose samples are the band, or 0 */
	char sound[COMMIT_ID_SIZE]; /* a commit known good, for the canary, or "" */
	char name[160];		    /* as people know it */
};

struct team_done {
	struct team_task task;
	bool failed; /* @err is filled, and there is no verdict */
	struct err err;
};

/**
 * team_open() - start the workers; each opens its rig in the background
 * @err: ERR_HOST: no process can be started
 */
int team_open(const struct team_spec *spec, struct team **ret, struct err *err);

/** team_close() - end all workers, with what they do; none is left when it returns */
void team_close(struct team *t);
DEFINE_CLEANUP(struct team *, team_close)

/** team_free() - how many tasks would be begun at once */
size_t team_free(const struct team *t);

/** team_want() - have a trial made; one of that commit in that role that is not over yet is the same */
void team_want(struct team *t, const struct team_task *task);

/** team_has() - it is wanted, and not over */
bool team_has(const struct team *t, const char *id, enum store_role role);

/** team_drop() - what is wanted and not begun is wanted no more */
void team_drop(struct team *t);

/**
 * team_wait() - until one trial is over
 * @ret: its verdict is in the store unless it failed, which other workers could not help
 * @err: ERR_STOPPED; ERR_HOST, ERR_USAGE: no worker is left, and why the last of them
 *
 * Return: 1 one is over; 0 none goes on; -1 error.
 */
int team_wait(struct team *t, struct team_done *ret, struct err *err);

#endif
