/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ctrl-C: a request to stop that long work looks at, so that a run ends whole and can be resumed. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/**
 * stop_install() - from now on SIGINT, SIGTERM and SIGHUP ask for a stop; a second SIGINT kills
 *
 * A SIGHUP that is ignored at the call, as nohup(1) has it, stays so.
 *
 * SIGPIPE is ignored as well. Child processes get the default actions back (see spawn.h).
 */
void stop_install(void);

/** stop_requested() - true once a stop was asked for; safe from any thread */
bool stop_requested(void);

/** stop_check() - 0, or -1 with ERR_STOPPED once a stop was asked for */
int stop_check(struct err *err);

/** stop_after() - ask for a stop by itself, once that time has passed [ms]; after stop_install() */
void stop_after(int64_t ms);

/** stop_was_due() - true if the time of stop_after() was what asked for the stop */
bool stop_was_due(void);

/** stop_fd() - becomes readable when a stop is asked for; for poll(); -1 before stop_install() */
int stop_fd(void);

#endif
