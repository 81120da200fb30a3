/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The stages of a session, which return as session.h says; inside the guest room only. */
#ifndef GUEST_STEPS_H
#define GUEST_STEPS_H

#include "guest/talk/session.h"

/* The agent ends a probe at its limit; it gets this to say so before the stage ends [ms]. */
#define STEP_PROBE_GRACE_MS 5000

int step_hello(struct session *s, struct err *err);
int step_load_all(struct session *s, const struct trial_spec *spec, struct err *err);

/** step_probe() - the last one: always SESSION_ENDED or -1 */
int step_probe(struct session *s, const struct trial_spec *spec, int64_t limit_ms, struct err *err);

/**
 * step_exec() - the user's program, as often as @spec says; likewise
 * A run that ends otherwise than with 0 is the last one.
 */
int step_exec(struct session *s, const struct trial_spec *spec, int64_t limit_ms, struct err *err);

/* Inner to the steps. */

/** step_unexpected() - the trial ends: @msg came where @wanted was due */
int step_unexpected(struct session *s, const struct wire_msg *msg, const char *wanted);
/** step_ended() - what WIRE_PROBE_END means; 0 instead of an end if a program of the user's just ended */
int step_ended(struct session *s, const struct wire_msg *msg, bool own);

#endif
