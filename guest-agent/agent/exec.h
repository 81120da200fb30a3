/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a program was not run, in words that say what to bring along. */
#ifndef AGENT_EXEC_H
#define AGENT_EXEC_H

#include <stddef.h>

/**
 * exec_refused() - execve(2) says ENOENT also where not the program is missing but what it needs
 * @path:  of the program, which is there
 * @error: errno of execve()
 * @ret:   [size] one line: the interpreter or the loader that is missing, else what @error means
 */
void exec_refused(const char *path, int error, char *ret, size_t size);

#endif
