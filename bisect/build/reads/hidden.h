/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A header that appears may hide another of its name: the compiler would find it first, where before it
 * found none and went on along its list of directories. make looks only at the files that were read, and
 * none of those changes. So whoever read a file of that name is compiled again.
 *
 * What the tree held is kept beside it, and written before make runs: then each object there is either
 * compiled later, seeing all that is listed, or was looked at when a name came to the list. After a crash
 * that still holds. A file that vanishes is no such case: make compiles again whoever read it.
 *
 * A name is the last part of a path, since "#include <x/y.h>" and "y.h" may mean one file. What only asks
 * whether a header is there (__has_include) leaves no trace: the kernel does not do that, and the mirror
 * is built elsewhere for each answer.
 */
#ifndef BUILD_READS_HIDDEN_H
#define BUILD_READS_HIDDEN_H

#include "base/err.h"
#include "build/reads/inventory.h"
#include "build/steps.h"

/**
 * hidden_mend() - remove the objects that a file which appeared since the last build may be read by
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
