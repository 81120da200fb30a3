/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of the user's that go into a guest; inside the guest room only. */
#ifndef GUEST_OWN_H
#define GUEST_OWN_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "guest/image/closure.h"

/**
 * own_needs() - what a file of the user's needs to be run
 * @path:    program, script or data
 * @bare:    the guest has nothing but what is packed
 * @libs:    added to: its libraries, and with @bare those of a script's interpreter
 * @program: written on success: the interpreter to be packed under its own path, or ""
 * @err:     ERR_USAGE: no such file; a library that is not found; with @bare an interpreter that this machine
 *           does not have
 *
 * Of an interpreter that is a script itself, or that has its modules in files (python, perl), only the program is
 * packed.
 */
int own_needs(const char *path, bool bare, struct closure *libs, char program[256],
	      struct err *err);

#endif
