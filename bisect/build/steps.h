/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is built of a candidate whose files are in the tree, by scope. Inner to builder.c. */
#ifndef BUILD_STEPS_H
#define BUILD_STEPS_H

#include "base/err.h"
#include "build/build.h"
#include "build/kernel/symvers.h"
#include "build/make/maker.h"
#include "build/tree.h"

/* How an artifact's kernel is called in its directory. */
#define STEPS_IMAGE "vmlinux"

struct steps {
	const struct build_spec *spec;
	const struct tree *tree;
	const struct maker *maker;
	const struct symvers
		*symvers; /* of the base kernel; at scope kernel those just built count */
	const char *mirror_hash;
	const char *log; /* file that the output is appended to */
	const char *out; /* directory that NAME.ko is put into, without debug information */
	const char *
		surrounding; /* digest of the tree's Makefiles and scripts, if they may vary; or "" */
};

/**
 * steps_make() - build all of a scope into s->out
 * @a: its modules are named in order of loading, and its image at scope kernel; counts its objects
 */
int steps_make(const struct steps *s, struct artifact *a, struct err *err);

/**
 * steps_collect() - put a module that was made into s->out, and name it last in @a
 * @ko:  as make left it
 * @err: ERR_BUILD: make succeeded without making it; ERR_HOST: it is for another kernel
 */
int steps_collect(const struct steps *s, const char *ko, const char *name, struct artifact *a,
		  struct err *err);

/** steps_unit() - compile the driver's one unit and link the mirror with it */
int steps_unit(const struct steps *s, const struct symvers *symvers, struct artifact *a,
	       struct err *err);

/** steps_mirror() - the mirror that finds the driver's function in a module of its own */
int steps_mirror(const struct steps *s, struct artifact *a, struct err *err);

/** steps_links_unit() - whether the driver's part is its one unit, linked with the mirror */
bool steps_links_unit(const struct build_spec *spec);

/**
 * steps_mirror_dir() - where the mirror is built; owned by the caller
 *
 * Another directory for other sources of its own, and for a driver whose header has another name:
 * __has_include() leaves no trace that make could follow.
 */
char *steps_mirror_dir(const struct steps *s);

/** steps_mirror_dirs() - all of them that are there */
int steps_mirror_dirs(const struct steps *s, struct strv *ret, struct err *err);

/** steps_mend() - after a crash: nothing half-written is left to be taken for finished */
int steps_mend(const struct steps *s, struct err *err);

#endif
