/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several processes that copy at once, and one output that all of them write to. */
#ifndef PROBES_PROCESSES_H
#define PROBES_PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/**
 * processes_run() - run @run in @n processes that start together
 * @run: gets its number, 0-based; its return is the process's exit code
 *
 * With one it runs in the caller. Return: the largest exit code (128 for one that a signal ended),
 * or -1.
 */
int processes_run(uint32_t n, int (*run)(uint32_t process, void *arg), void *arg, struct err *err);

/** processes_write() - whole lines to stdout, never within a line of another process */
int processes_write(const char *text, size_t len, struct err *err);

#endif
