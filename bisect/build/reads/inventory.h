/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lies in the paths that vary from candidate to candidate: all a build may depend on that no
 * compiler notes down.
 */
#ifndef BUILD_READS_INVENTORY_H
#define BUILD_READS_INVENTORY_H

#include "base/err.h"
#include "base/str.h"
#include "build/steps.h"

/* Zero-initialised it holds nothing. */
struct inventory {
	struct strv
		sources; /* names of what a compiler reads (.c, .h, .S), from the tree's root, sorted */
	struct strv
		others; /* "name size time" of Makefiles and of all that is no known output, sorted */
};

/**
 * inventory_take() - look at what the tree holds now
 * @ret: owned by the caller, inventory_deinit()
 *
 * Documentation is left out, and so are objects. Headers that make itself generates are not told from
 * others: they are the same before and after a build that does nothing.
 */
int inventory_take(const struct steps *s, struct inventory *ret, struct err *err);
void inventory_deinit(struct inventory *i);

/** inventory_digest() - SHA-256 of the files of no known kind, with their times */
void inventory_digest(const struct inventory *i, char ret[65]);

#endif
