/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Most commits of a driver do not change what the guest is given. Then the last candidate's artifact is
 * this one's too, and neither make nor a compiler need be asked.
 *
 * A fingerprint stands for all that the artifact is made of and that may differ from candidate to
 * candidate:
 *
 * - size and time of each file that a compiler read for it (depends.h), generated ones too; checkout_sync()
 *   leaves alone what does not change, and make itself trusts no more than the times;
 * - size and time of each Makefile, Kconfig, script, table and other file of no known kind in the paths that
 *   vary: what no compiler notes down, make or its scripts may read;
 * - the names of all sources there, since a new header may hide another and a Makefile may list a
 *   directory; at scope unit, where one object is named to make, of the headers alone;
 * - the config, the unit's name, and which mirror it is.
 *
 * What is left is a source that was not read, and whose change therefore changes nothing: a script that
 * looks into sources would be the exception, and the kernel has those only for headers it installs or packs
 * (CONFIG_IKHEADERS), which is no code. Compiler, release, and the sources in an overlay that do not
 * vary are told apart by the tree. The artifact was made whole, or there would be no note of it.
 */
#ifndef BUILD_READS_REUSE_H
#define BUILD_READS_REUSE_H

#include "base/err.h"
#include "build/reads/inventory.h"
#include "build/steps.h"

/**
 * reuse_take() - give the last candidate's artifact if it is this one's as well
 * @s:         a tree that holds the candidate, and was known to hold another before
 * @now:       what it holds
 * @artifacts: the cache's directory
 * @a:         its modules and image are named on 1, and lie in s->out, with the list of depends.h
 * Return: 1 taken, 0 it has to be built, -1 with @err filled.
 */
int reuse_take(const struct steps *s, const struct inventory *now, const char *artifacts,
	       struct artifact *a, struct err *err);

/**
 * reuse_note() - this artifact was just built: a->key is where it will lie
 * @now: what the tree holds after make; s->out holds the list of depends.h, or there is no note
 */
int reuse_note(const struct steps *s, const struct inventory *now, const struct artifact *a,
	       struct err *err);

#endif
