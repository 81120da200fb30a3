/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What make would not find out, although an object would become another one:
 *
 * - A header that appears may hide another of its name: the compiler would find it first, where before it
 *   found none and went on along its list of directories. make looks only at the files that were read,
 *   and none of those changes.
 * - A header that vanishes, after which another of its name is found. Its rule in Kbuild's notes has no
 *   command, and Kbuild compiles what has newer prerequisites, of which make does not count one that is not
 *   there ($?, since if_changed looks at nothing else).
 *
 * So whoever read a file of such a name is compiled again. What the tree held is kept beside it, and written
 * before make runs: then each object there is either compiled later, of what is listed, or was looked at
 * when a name came to the list or left it. After a crash that still holds.
 *
 * A name is the last part of a path, since "#include <x/y.h>" and "y.h" may mean one file. What only asks
 * whether a header is there (__has_include) leaves no trace: the kernel does not do that, and the mirror
 * is built elsewhere for each answer.
 *
 * Source: scripts/Kbuild.include, newer-prereqs; GNU make's remake.c, update_file_1().
 */
#ifndef BUILD_READS_HIDDEN_H
#define BUILD_READS_HIDDEN_H

#include "base/err.h"
#include "build/reads/inventory.h"
#include "build/steps.h"

/**
 * hidden_mend() - remove the objects that may be made of what appeared or vanished since the last build
 * @now: what the tree holds, before make
 * @ret: number of objects removed
 */
int hidden_mend(const struct steps *s, const struct inventory *now, unsigned int *ret,
		struct err *err);

/**
 * hidden_note() - what the tree holds now is known to all its objects
 * @now: after make, which generates headers of its own; none of them was hidden a moment ago
 */
int hidden_note(const struct steps *s, const struct inventory *now, struct err *err);

#endif
