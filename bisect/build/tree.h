/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The prepared kernel tree: made once, configured and ready for modules; after that only what differs
 * from candidate to candidate changes.
 *
 * Overlay: the kernel's source is unpacked, and the limited paths are the candidate's. Whole: every file
 * is, and the config is made again where the candidate's Kconfig wants that. At scope `kernel` the config
 * is trimmed to what the guest needs and nothing of the distribution's Module.symvers is used.
 *
 * One compiler, one tree. A candidate goes: tree_lock(), tree_prepare(), tree_begin(), tree_configure(),
 * make, tree_end(). Each time all of them: a tree that is not locked may be removed to make room.
 */
#ifndef BUILD_TREE_H
#define BUILD_TREE_H

#include <stdbool.h>

#include "base/err.h"
#include "build/build.h"
#include "build/kernel/version.h"
#include "build/make/maker.h"
#include "range/patch/patch.h"

struct config_inputs;

struct tree {
	char key[65];	 /* SHA-256 of all that the tree is made from */
	char *dir;	 /* cache_dir/trees/<short key> */
	char *linux_dir; /* dir/linux: where make runs */
	char *config;	 /* linux_dir/.config: what is built with, as make completed it */
	struct config_inputs *inputs; /* what that is made from */
};

/**
 * tree_init() - name the tree that a spec and a compiler ask for; writes nothing
 * @cc:         compiler, one of compiler_for()'s
 * @cc_version: first line of its --version
 * @err:        ERR_USAGE: source, config, fragment or symvers cannot be read, or is something else
 */
int tree_init(struct tree *t, const struct build_spec *spec, const char *cc, const char *cc_version,
	      struct err *err);
void tree_deinit(struct tree *t);

/**
 * tree_version() - which kernel a candidate is built as: what chooses its compiler
 * Whole: of the candidate's Makefile, else of the source.
 * @err: ERR_BUILD: the candidate has no Makefile with a version; ERR_USAGE: the source has none
 */
int tree_version(const struct build_spec *spec, const char *id, struct kversion *ret,
		 struct err *err);

/** tree_lock() - the tree is ours until *ret is closed; waits for another controller, saying so */
int tree_lock(const struct tree *t, struct progress *progress, int *ret, struct err *err);

/**
 * tree_prepare() - make it unless it is there and whole; the lock is held
 * @m:   how to run make in it
 * @err: ERR_USAGE: a tool is missing, or the config does not suit the source; ERR_HOST
 *
 * A whole tree is empty after this: tree_begin() fills it. Other trees are removed, those used longest
 * ago first and none that is locked, until all take at most half of the cache.
 */
int tree_prepare(const struct tree *t, const struct build_spec *spec, const struct maker *m,
		 struct err *err);

/**
 * tree_begin() - make the tree hold a candidate; the lock is held
 *
 * From here until tree_end() the tree is marked as unknown, so that whoever comes after a crash
 * compares every file and throws half-written objects away.
 *
 * @patches:   what the candidate gets, or NULL
 * @was_known: false if the last one crashed or was stopped, or it held another repository or other patches
 */
int tree_begin(const struct tree *t, const struct build_spec *spec, const struct patches *patches,
	       const char *id, bool *was_known, struct err *err);

/**
 * tree_configure() - make the config anew if what it was made from is not what the tree holds now
 * @m:   how to run make in it
 * @log: file that make's output is appended to
 * @err: ERR_BUILD: the candidate's Kconfig, or an option it lost that must be there; ERR_USAGE: a tool
 *       is missing; ERR_HOST; ERR_STOPPED
 *
 * Called after tree_begin(); reads some files and does nothing else if all is as it was. The config is
 * made from nothing each time, so that it does not depend on what the tree held before.
 */
int tree_configure(const struct tree *t, const struct build_spec *spec,
		   const struct patches *patches, const char *id, const struct maker *m,
		   const char *log, struct err *err);

/** tree_end() - the tree holds the candidate and no half-written object */
int tree_end(const struct tree *t, const struct build_spec *spec, const struct patches *patches,
	     const char *id, struct err *err);

/**
 * tree_stopped() - the tree holds the candidate's files, but an object may be half-written
 * Who comes next need not compare every file, as after a crash, but must throw such objects away.
 */
int tree_stopped(const struct tree *t, const struct build_spec *spec, const struct patches *patches,
		 const char *id, struct err *err);

#endif
