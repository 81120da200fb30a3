/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is built of a candidate whose files are in the tree, by scope. Inner to builder.c. */
#ifndef BUILD_STEPS_H
#define BUILD_STEPS_H

#include "base/err.h"
#include "build/build.h"
#include "build/make/maker.h"
#include "build/kernel/symvers.h"
#include "build/tree.h"

struct steps {
	const struct build_spec *spec;
	const struct tree *tree;
	const struct maker *maker;
	const struct symvers *symvers;
	const char *mirror_hash;
	const char *log; /* file that the output is appended to */
	const char *out; /* directory that NAME.ko is put into, without debug information */
};

/** steps_make() - build all modules of a scope into s->out, naming them in @a in order of loading */
int steps_make(const struct steps *s, struct artifact *a, struct err *err);

/**
 * steps_mirror_dir() - where the mirror is built; owned by the caller
 *
 * Another directory for other sources of its own, and for a driver whose header has another name:
 * __has_include() leaves no trace that make could follow.
 */
char *steps_mirror_dir(const struct steps *s);

/** steps_mend() - after a crash: nothing half-written is left to be taken for finished */
int steps_mend(const struct steps *s, struct err *err);

#endif
