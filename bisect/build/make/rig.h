/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is it the rig? After a failure, words in the log are not all that is asked: a disk that is full, memory
 * that ran out and a toolchain that is broken are looked at as well. Each of them makes a candidate look as
 * if it did not build, even with a place in a source: Kbuild leaves out each flag that its trial of the
 * compiler seems to refuse, and headers then say #error. Inner to build/make.
 */
#ifndef BUILD_RIG_H
#define BUILD_RIG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

/* Less than that is free after a failure, when make has removed what was half-written: it was full. */
#define RIG_FREE_MIN_BYTES (UINT64_C(64) << 20)

/**
 * rig_oom_kills() - processes that the kernel has killed for want of memory, in our control group
 *
 * Return: a count that only rises; 0 if it is not known.
 * Source: memory.events (cgroup v2), memory.oom_control (v1), oom_kill of /proc/vmstat in the root group.
 */
uint64_t rig_oom_kills(void);

/**
 * rig_check() - what may be wrong with this machine
 * @tree:      where make ran
 * @oom_kills: rig_oom_kills() before it
 *
 * Return: 0: nothing that is known; -1: ERR_HOST, and what to do.
 */
int rig_check(const char *tree, uint64_t oom_kills, struct err *err);

/**
 * rig_check_limit() - a compiler crashed: is the memory that it may use limited (ulimit -v, -d)?
 *
 * cc1 does not always find words for that. Return: 0, or -1: ERR_HOST.
 */
int rig_check_limit(struct err *err);

/**
 * rig_canary() - compile, assemble and join a few lines in a temporary directory beside the tree
 * @before: arguments and variables for env(1)
 * @cc:     CC as make has it
 * @joins:  false: the compiler alone
 *
 * Return: 0, or -1: ERR_HOST with the first thing that the tools said; ERR_STOPPED.
 */
int rig_canary(const char *tree, const struct strv *before, const char *cc, bool joins,
	       struct err *err);

#endif
