/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Other programs: started in their own process group, with default signals and no descriptors but
 * the standard three, bounded in time, ended whole: by the limit, a cancel, a stop request, their own
 * end, or a controller that is killed. To end means SIGTERM, so that make removes half-written objects, and
 * SIGKILL two seconds later.
 */
#ifndef BASE_SPAWN_H
#define BASE_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

struct spawn {
	const char *const *argv; /* NULL-terminated; argv[0] is looked up in PATH */
	const char *cwd;	 /* or NULL */
	const char *const
		*env;	     /* "NAME=value" added to the environment; NULL-terminated, or NULL */
	const char *output;  /* file that stdout and stderr are appended to; NULL: /dev/null */
	struct buf *capture; /* or stdout goes here instead, cut at capture_max */
	size_t capture_max;  /* [bytes]; 0 means 1 MiB */
	int64_t limit_ms;    /* the group is ended after this; 0: no limit */
	int nice;	     /* added to the niceness */
	bool apart;    /* in a session of its own, which gets next to no time besides others */
	int cancel_fd; /* the group is ended once this is readable; 0: none */
	int hold_fd;   /* a lock that is held until the whole group has ended, even if this
				controller is killed before; 0: none */
	/* called with each line of output (stdout and stderr) as it comes, cut at 64 KiB, or NULL */
	void (*on_line)(const char *line, void *arg);
	void *arg;
};

struct spawn_result {
	int exit_code;	/* 0..255, or -1 if a signal ended it */
	int signal;	/* that signal, or 0 */
	bool timed_out; /* limit_ms was over and the group was ended */
	bool cancelled; /* cancel_fd became readable and the group was ended */
	int64_t elapsed_ns;
	int64_t max_rss_kib; /* of the largest process that was waited for */
};

/**
 * spawn_run() - run a program and wait for it
 * @spawn: what to run
 * @ret:   how it ended; a program that fails is data, not an error
 * @err:   ERR_HOST if it could not be started, ERR_STOPPED if a stop was asked for (group ended)
 */
int spawn_run(const struct spawn *spawn, struct spawn_result *ret, struct err *err);

/** spawn_find() - full path of a program in PATH (owned by the caller), or NULL */
char *spawn_find(const char *program);

#endif
