/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name of an artifact: all that it is made from.
 *
 * What the bytes that go to the guest depend on, and where the name holds it:
 *
 *	the candidate's files, patched		content: of the limited paths, or of every path if whole
 *	the rest of the kernel's source		tree key; whole: there is none
 *	config, fragments, and how they are	tree key: digests of the inputs, from which the tree makes the
 *	  laid over one another			  same config each time; and fragments once more, by content
 *	Module.symvers of the base		tree key; at scope kernel it comes out of the build
 *	release, for vermagic			tree key, and again
 *	compiler				tree key, and its version again
 *	assembler, linker, objcopy		binutils: one package has one version
 *	what is built: scope, driver's part	scope, part
 *	where the driver is			driver
 *	the mirror's sources			mirror
 *	what this program does			ARTIFACT_FORMAT, raised by hand
 *
 * What they do not depend on: user, host and time (fixed for make), environment (taken out by maker_run()),
 * where the tree lies (mapped out of __FILE__; and each cache directory has artifacts of its own), number
 * of jobs, ccache, the commit's id and what the tree held before. The version of make, flex, bison and perl
 * changes no code that is known of.
 */
#ifndef BUILD_KEY_H
#define BUILD_KEY_H

#include "base/err.h"
#include "build/build.h"
#include "build/pool.h"
#include "range/patch/patch.h"

/* All that is the same for each candidate of a builder but the compiler. */
struct key_base {
	char *binutils; /* first line of ld --version */
	char fragments[65];
	char mirror[65];
};

/** key_base_init() - owned by the caller, key_base_deinit() */
int key_base_init(struct key_base *k, const struct build_spec *spec, struct err *err);
void key_base_deinit(struct key_base *k);

/**
 * key_of() - the name of what a candidate builds to
 * @patches: or NULL
 * @err:     ERR_BUILD: a patch does not apply
 */
int key_of(const struct key_base *k, const struct build_spec *spec, const struct pool_tree *tree,
	   const struct patches *patches, const char *id, char ret[65], struct err *err);

#endif
