/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Children: whatever may hang or oops in the kernel runs in a process group of its own that is
 * never waited for longer than said.
 */
#ifndef AGENT_CHILD_H
#define AGENT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct child {
	pid_t pid;
	int pidfd;  /* readable once it ended */
	int out;    /* its stdout, non-blocking; -1 once closed */
	int errors; /* its stderr, likewise */
	bool ended;
	int status; /* as waitpid() gives it, once ended */
};

/**
 * child_start() - fork
 * @run: runs in the child, in its own process group, signals at their defaults, stdin empty, stdout
 *       and stderr in pipes; its return is the exit code
 * @ret: child_deinit()
 */
int child_start(int (*run)(void *arg), void *arg, struct child *ret, struct err *err);

/** child_ended() - true once it ended; waits for that at most @wait_ms */
bool child_ended(struct child *c, int64_t wait_ms);

/** child_kill() - SIGKILL to the whole group */
void child_kill(struct child *c);

/* How long a killed child may take to die before it counts as stuck in the kernel. */
#define CHILD_DIES_MS 2000

/** child_where() - a few words on where a child is stuck: its state and the kernel function */
void child_where(const struct child *c, char *ret, size_t size);

/** child_deinit() - kill what is left of the group, close; does not wait */
void child_deinit(struct child *c);

#define _cleanup_child_ __attribute__((cleanup(child_deinit)))

#endif
