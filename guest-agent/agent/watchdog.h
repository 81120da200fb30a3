/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's hardware watchdog: a kernel that is locked up says nothing, but it feeds nothing either. */
#ifndef AGENT_WATCHDOG_H
#define AGENT_WATCHDOG_H

/* Unfed for this long it bites; as long as a stalled host may keep an emulated guest from running [s]. */
#define WATCHDOG_BITES_S 20

/**
 * watchdog_start() - arm the watchdog, if there is one, and feed it from a process of its own
 * Once armed it is never disarmed: when its process ends, whatever ended it, the watchdog bites. Where
 * one is fed already, nothing is done.
 * Source: Documentation/watchdog/watchdog-api.rst
 */
void watchdog_start(void);

#endif
