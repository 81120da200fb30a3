/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a process between the controller and a program it runs. It outlives a controller that
 * is killed with SIGKILL by just long enough to end the program's whole process group, which a
 * parent-death signal to the program alone would not (make's compilers would go on).
 *
 * Inner to base/spawn; no other room includes this.
 */
#ifndef BASE_SPAWN_KEEPER_H
#define BASE_SPAWN_KEEPER_H

#include <stdbool.h>
#include <sys/types.h>

/* From being asked to end (SIGTERM, so that make removes half-written objects) to SIGKILL. */
#define KEEPER_GRACE_MS 2000

enum keeper_step { KEEPER_ENDED, KEEPER_CHDIR, KEEPER_EXEC, KEEPER_FORK };

/* What is written to the status pipe: at most one failed step, then KEEPER_ENDED. */
struct keeper_report {
	enum keeper_step step;
	int error;	  /* errno of a failed step */
	int wait_status;  /* KEEPER_ENDED: as wait4() gives it */
	long max_rss_kib; /* KEEPER_ENDED */
};

struct keeper {
	pid_t controller;
	const char *path; /* program, resolved */
	char *const *argv;
	char *const *envp;
	const char *cwd; /* or NULL */
	int nice;
	bool apart;
	int hold;   /* open as long as the keeper lives, or 0 */
	int fds[4]; /* stdin, stdout, stderr, status pipe; all close-on-exec */
};

/**
 * keeper_main() - run the program, report its end; in a fresh child, all signals blocked
 *
 * SIGTERM to the keeper ends the program: SIGTERM to its group, SIGKILL after KEEPER_GRACE_MS.
 * Only async-signal-safe calls: the controller may have had threads when it forked.
 */
_Noreturn void keeper_main(const struct keeper *k);

#endif
