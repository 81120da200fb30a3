/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "120 of 527 objects, 3 min left": how far a build is. Inner to build/make. */
#ifndef BUILD_COUNT_H
#define BUILD_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/progress.h"

struct count {
	char *key;	       /* what is built; NULL: nothing that is worth counting */
	bool first;	       /* from clean; else what a candidate changes */
	unsigned int before;   /* objects that were there */
	unsigned int expected; /* or 0: not known */
	int64_t begun_ns;
};
void count_deinit(struct count *c);

/**
 * count_begin() - what is to be expected, by the last build of that kind
 * @ret:  count_deinit()
 * @file: where counts are kept, or NULL: nothing is expected
 * @tree: where make runs
 * @args: of make, NULL-terminated
 *
 * A build from clean, or what is left of one that was cut short, has what the last one from clean had,
 * less what is there; any other as many as the last such had.
 */
void count_begin(struct count *ret, const char *file, const char *tree, const char *const *args);

/** count_end() - keep what a build that succeeded had */
void count_end(const struct count *c, const char *file, unsigned int objects);

/**
 * count_show() - tell the progress
 * @objects: compiled so far; more than expected: no longer said "of"
 * @linking: objects are being joined
 */
void count_show(const struct count *c, unsigned int objects, bool linking, struct progress *p);

#endif
