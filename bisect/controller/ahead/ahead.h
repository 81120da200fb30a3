/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Building ahead: while a guest tests, what may come next is built with what the machine has left.
 *
 * One thread runs `amdgpu-bisect build --idle` for one commit after the other, so a build ahead is one by
 * another process: it takes the tree's lock, ends with its whole group, and leaves its artifact in the cache.
 * What turns out not to be needed is stopped at once; what is needed and being built goes on as if the
 * controller itself had begun it. A build ahead that fails costs a line in the store.
 *
 * All but the thread is called from one thread; NULL builds nothing ahead.
 */
#ifndef CONTROLLER_AHEAD_H
#define CONTROLLER_AHEAD_H

#include "base/err.h"
#include "base/progress.h"
#include "build/build.h"
#include "options.h"
#include "store/store.h"

struct ahead;

struct ahead_spec {
	const struct options *o;	   /* those of the run */
	const struct build_kernel *kernel; /* as build_find() filled it */
	const char *repo;
	const char *dir; /* the run's directory; logs go to DIR/candidates/ID/ahead.log */
	struct store *
		store; /* what was built, used and stopped: events "ahead", facts build.ahead.*; outlives it */
	const char *program; /* NULL: this one */
};

/**
 * ahead_open() - the thread, and DIR/ahead.conf, which holds all options that make an artifact's key
 * @err: ERR_HOST
 */
int ahead_open(const struct ahead_spec *spec, struct ahead **ret, struct err *err);

/** ahead_close() - stops what is being built, and waits for its end */
void ahead_close(struct ahead *a);

/** ahead_plan() - what may be needed next, the likelier first; @ids: [n] full ids, copied */
void ahead_plan(struct ahead *a, const char *const *ids, size_t n);

/** ahead_foresees() - true if the plan has it */
bool ahead_foresees(const struct ahead *a, const char *id);

/**
 * ahead_need() - the controller is about to build a commit
 * If it is being built it is given our own priority and waited for; where the kernel refuses that, for as long
 * as it had so far, and then it is stopped. Else what is being built is stopped;
 * but it goes on if it is planned and nothing has to be built for @id. Returns at once when a stop is asked for.
 */
void ahead_need(struct ahead *a, const char *id, struct progress *progress);

/** ahead_have() - a commit is built, or known not to build: it needs no building ahead */
void ahead_have(struct ahead *a, const char *id);

/** ahead_go() - the guest is at work: build what is planned */
void ahead_go(struct ahead *a);

#endif
