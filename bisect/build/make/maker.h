/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call of make in the prepared tree, and what became of it.
 *
 * A failure is the candidate's or the rig's, and only the first may ever be remembered. So the rig is
 * asked after each: disk and memory, a canary through the same tools, ccache. And a compiler that crashed
 * gets one more try, for a crash that comes again at the same place is the candidate's.
 */
#ifndef BUILD_MAKER_H
#define BUILD_MAKER_H

#include "base/err.h"
#include "base/progress.h"
#include "base/str.h"

struct ccache;

struct maker {
	const char *tree;	/* where make runs */
	const char *release;	/* KERNELRELEASE, so that vermagic fits */
	const char *cc;		/* CC */
	const char *cc_version; /* maker_cc_version() of it, or NULL */
	int lock; /* the tree's: held as long as a compiler works in it, even if we are killed; 0: none */
	unsigned int jobs;
	struct ccache *ccache;	   /* or NULL: cc/ccache.h */
	const char *counts;	   /* file that keeps how many objects builds had, or NULL */
	unsigned int *objects;	   /* those that were compiled are added to it, or NULL */
	struct progress *progress; /* or NULL */
};

/**
 * maker_run() - make, with everything that comes from the caller's environment taken out
 * @args: targets and variables, NULL-terminated
 * @log:  file that the output is appended to
 * @err:  ERR_BUILD or ERR_HOST as buildlog_err() says; ERR_HOST if make is missing; ERR_STOPPED
 */
int maker_run(const struct maker *m, const char *const *args, const char *log, struct err *err);

/**
 * maker_check_tools() - compile, assemble and join a few lines, before an hour depends on it
 * @m:   its tree's parent must exist
 * @err: ERR_HOST with the first thing that the tools said; ERR_STOPPED
 */
int maker_check_tools(const struct maker *m, struct err *err);

/** maker_cc_version() - first line of the compiler's --version, owned by the caller */
int maker_cc_version(const char *cc, char **ret, struct err *err);

/**
 * maker_strip() - take debug information out of a module, so that little is streamed
 * @from: .ko as built
 * @to:   written anew
 */
int maker_strip(const char *from, const char *to, const char *log, struct err *err);

#endif
