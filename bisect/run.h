/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop: range → search → trial → verdict, until a culprit is named and confirmed. */
#ifndef RUN_H
#define RUN_H

#include "base/err.h"
#include "base/progress.h"
#include "options.h"

/* How a run ended; the values are the exit codes of `run`. */
enum run_outcome {
	RUN_PROVEN = 0,	   /* culprit named, tested again, its parents too */
	RUN_SET = 3,	   /* only a set could be named */
	RUN_END_WRONG = 4, /* an end is not what was claimed */
	RUN_HOST = 128,	   /* the rig failed; resumable */
	RUN_STOPPED = 130, /* asked to stop; resumable */
};

struct run_result {
	enum run_outcome outcome;
	char culprit[COMMIT_ID_SIZE]; /* with RUN_PROVEN, else empty */
	char dir[4096];		      /* the run's directory */
	unsigned int trials;
	int64_t elapsed_ns; /* of this process's part */
	int64_t search_ns;  /* of it, after the kernel tree and the rig were ready */
};

/**
 * run_start() - a new run
 * @o:   repository, ends and the rest; --scope auto is settled in it, and files that are named become
 *       those kept with the run
 * @dir: the run's directory, absolute; made here
 * @err: ERR_USAGE, ERR_HOST, ERR_STOPPED; with the latter two the run can be resumed
 */
int run_start(struct options *o, const char *dir, struct progress *progress, struct run_result *ret,
	      struct err *err);

/**
 * run_resume() - go on with a run by what is stored
 * @o: options of this call; those the run was started with are taken from the run unless a flag
 *     of this call says otherwise
 */
int run_resume(struct options *o, const char *dir, struct progress *progress,
	       struct run_result *ret, struct err *err);

/**
 * run_prove() - the corners of a run that named a commit, whether or not it had them before
 * @o:   as for run_resume(); --tip and --follow-up of this call count
 * @err: ERR_USAGE: none was named; else as run_resume()
 *
 * Trials that are stored are not made again.
 */
int run_prove(struct options *o, const char *dir, struct progress *progress, struct run_result *ret,
	      struct err *err);

#endif
