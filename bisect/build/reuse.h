/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope unit: most commits of a driver do not change what its one unit is made of. Then the last
 * candidate's module is this one's too, and neither make nor a compiler need be asked.
 *
 * A fingerprint stands for all that the unit and the mirror are made of: size and time of each file
 * that their compilers read (checkout_sync() leaves alone what does not change), and of each Makefile
 * of the limited paths; the names of all headers there, since a new one may hide another.
 */
#ifndef BUILD_REUSE_H
#define BUILD_REUSE_H

#include <stdbool.h>

#include "base/err.h"
#include "build/steps.h"

/**
 * reuse_take() - give the last candidate's modules if they are this one's as well
 * @s:         a tree that holds the candidate, and was known to hold another before
 * @artifacts: the cache's directory
 * @a:         its modules are named on 1, and lie in s->out
 * Return: 1 taken, 0 it has to be built, -1 with @err filled.
 */
int reuse_take(const struct steps *s, const char *artifacts, struct artifact *a, struct err *err);

/** reuse_note() - these modules were just built: a->key is where they will lie */
int reuse_note(const struct steps *s, const struct artifact *a, struct err *err);

/** reuse_deps() - the files named in a .cmd file of Kbuild, for tests */
void reuse_deps(const char *cmd, struct strv *ret);

#endif
