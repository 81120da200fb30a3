/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Work that must cost nobody anything: only with what the machine has left, until it is needed. */
#ifndef BASE_SPAWN_PRIORITY_H
#define BASE_SPAWN_PRIORITY_H

#include <stdbool.h>

/**
 * priority_idle() - this process, and whatever it starts, runs only when nothing else wants to
 * SCHED_IDLE, the highest niceness, and the idle class for the disk; what is refused is left.
 * Source: sched(7), ioprio_set(2).
 */
void priority_idle(void);

/**
 * priority_lift() - idle processes among those that this one has started, and theirs, run as this one does
 * Their sessions, which spawn.apart puts last, weigh as much as this one's, whatever is refused otherwise.
 * Return: true if all could be lifted; else the kernel wants CAP_SYS_NICE, or RLIMIT_NICE, for it.
 */
bool priority_lift(void);

#endif
