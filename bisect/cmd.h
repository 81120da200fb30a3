/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands: argv to one call each. A command prints; the rooms below it never do. */
#ifndef CMD_H
#define CMD_H

#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"
#include "options.h"

/* Exit codes, so that `git bisect run amdgpu-bisect test HEAD` works too. */
enum {
	EXIT_GOOD = 0, /* good, or done */
	EXIT_BAD = 1,
	EXIT_SET = 3,	    /* run: only a set could be named */
	EXIT_END_WRONG = 4, /* run: an end is not what was claimed */
	EXIT_SKIP = 125,
	EXIT_HOST = 128,
	EXIT_USAGE = 129,
	EXIT_STOPPED = 130,
};

/*
 * Each takes parsed options and gives an exit code, or -1 with @err filled (main prints it and maps
 * its kind to a code).
 */
int cmd_plan(struct options *o, struct err *err);
int cmd_run(struct options *o, struct err *err);
int cmd_resume(struct options *o, struct err *err);
int cmd_prove(struct options *o, struct err *err);
int cmd_validate(struct options *o, struct err *err);
int cmd_status(struct options *o, struct err *err);
int cmd_test(struct options *o, struct err *err);
int cmd_build(struct options *o, struct err *err);
int cmd_image(struct options *o, struct err *err);
int cmd_report(struct options *o, struct err *err);
int cmd_replay(struct options *o, struct err *err);
int cmd_doctor(struct options *o, struct err *err);
int cmd_demo(struct options *o, struct err *err);
int cmd_log(struct options *o, struct err *err);
int cmd_visualize(struct options *o, struct err *err);
int cmd_gate(struct options *o, struct err *err);
int cmd_audit(struct options *o, struct err *err);

/** cmd_take_range() - a "GOOD..BAD" argument sets both ends; ERR_USAGE for other arguments */
int cmd_take_range(struct options *o, struct err *err);

/** cmd_open_session() - the run that the argument names, or the latest */
struct session;
int cmd_open_session(const struct options *o, struct session *ret, struct err *err);

/** cmd_finish_run() - report files, the summary on stdout; gives the exit code or -1 */
struct run_result;
int cmd_finish_run(const struct run_result *result, bool quiet, struct err *err);

/** cmd_hint_resume() - adds to the error of a run that was stopped or failed how to go on; gives -1 */
int cmd_hint_resume(const struct run_result *result, struct err *err);

/** cmd_tell_kernel() - what the kernel's probes saw in a trial, a line for each copy; nothing if they were not asked */
struct store;
int cmd_tell_kernel(struct store *s, int64_t trial, const char *label, struct err *err);

/** cmd_plain() - text from a compiler or a guest, fit for a terminal; owned by the caller */
char *cmd_plain(const char *text);

/** cmd_write() - @text to the --output file, or to standard output */
int cmd_write(const struct options *o, const char *text, struct err *err);

DEFINE_CLEANUP(struct progress *, progress_destroy)

#endif
