/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * WIRE_PROBE: a program is run within its limit; what it prints goes on as samples and notes.
 *
 * Its code runs through the candidate's, so it may hang, oops, flood or print nonsense: all of that
 * is passed on, bounded, and ends with one WIRE_PROBE_END.
 */
#ifndef AGENT_PROBE_H
#define AGENT_PROBE_H

#include <stdint.h>

#include "guest-agent/agent/port.h"
#include "base/err.h"

/* Notes of one probe run that are passed on; the rest is counted. */
#define PROBE_NOTES_MAX 256
/* Of one run of a user's program, which may run a hundred times in one session. */
#define PROBE_EXEC_NOTES_MAX 24

/**
 * probe_run() - run a probe to its end
 * @dir:      directory of the probes
 * @name:     checked by the wire
 * @args:     blank-separated options
 * @limit_ms: after it the probe's whole group is killed
 * @err:      ERR_USAGE if there is no such probe, ERR_HOST if it cannot be started
 *
 * Return: 0 once WIRE_PROBE_END was sent, however the probe ended, or -1.
 */
int probe_run(struct port *p, const char *dir, const char *name, const char *args,
	      uint32_t limit_ms, struct err *err);

/**
 * probe_exec() - WIRE_EXEC: run a program of the user's to its end
 * @name: beside the probes, or an absolute path; checked by the wire
 *
 * What it prints is passed on as notes, but for the last line of its stdout: that is its result, and
 * goes as WIRE_OUTPUT before WIRE_PROBE_END, empty where there is none.
 * Otherwise as probe_run().
 */
int probe_exec(struct port *p, const char *dir, const char *name, const char *args,
	       uint32_t limit_ms, struct err *err);

#endif
