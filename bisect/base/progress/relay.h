/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sending side of a relayed display, each with the lock held; inner to base/progress. */
#ifndef BASE_PROGRESS_RELAY_H
#define BASE_PROGRESS_RELAY_H

#include "base/progress/state.h"

void relay_stage(struct progress *p, const char *stage, int64_t expect_ns);
void relay_detail(struct progress *p);
/** relay_tick() - a sign of life where there is nothing else to tell */
void relay_tick(struct progress *p);
/** relay_words() - @kind: "event" or "warn" */
void relay_words(struct progress *p, const char *kind, const char *text);

#endif
