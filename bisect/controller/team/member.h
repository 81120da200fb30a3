/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside controller/team only: one worker's process, seen from the controller.
 *
 *	to it		"try ROLE ID BASE SOUND" with "-" for none
 *	from it		"ready", "done", "failed KIND TEXT", "lost TEXT", or what progress_relay() tells
 *
 * "failed" before "ready": it cannot work at all. "lost": nor can it from now on. Its standard input ends with
 * the controller, and so does it; in the middle of a trial the kernel's signal tells it.
 */
#ifndef CONTROLLER_TEAM_MEMBER_H
#define CONTROLLER_TEAM_MEMBER_H

#include <sys/types.h>

#include "base/str.h"
#include "controller/team/team.h"

#define MEMBER_LOCK_FD 3 /* of the run, inherited */

struct member {
	size_t n; /* from 0 */
	const char *card;
	pid_t pid;	 /* 0: there is none */
	int in, out;	 /* what it reads, and writes */
	struct buf line; /* begun, and not ended */
	bool ready;
	bool building;		       /* which may be silent for long */
	bool out_of_it;		       /* given up */
	bool was_told;		       /* to end */
	struct err why;		       /* the last that it said */
	int64_t heard_ns;	       /* when it said something */
	unsigned int deaths, failures; /* in a row */
	bool has_task;
	struct team_task task;
};

/** member_start() - @err: ERR_HOST */
int member_start(struct member *m, const struct team_spec *spec, const char *conf, struct err *err);

/** member_give() - begin a task; false: it has ended, which member_read() will tell */
bool member_give(struct member *m, const struct team_task *task);

/**
 * member_read() - what it said since
 * @each: called for each whole line
 * Return: false once it has ended.
 */
bool member_read(struct member *m, void (*each)(struct member *m, const char *line, void *arg),
		 void *arg);

/** member_end() - ask it to end, or with @kill make it */
void member_end(struct member *m, bool kill);

/**
 * member_reap() - after its end; waits for it
 * @ret: [size] how it ended, for people
 * Return: true if it could clean up after itself.
 */
bool member_reap(struct member *m, char *ret, size_t size);

#endif
