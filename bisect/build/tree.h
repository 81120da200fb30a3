/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The prepared kernel tree: unpacked, configured and ready for modules, once; after that only the
 * limited paths change, from candidate to candidate.
 */
#ifndef BUILD_TREE_H
#define BUILD_TREE_H

#include <stdbool.h>

#include "base/err.h"
#include "build/build.h"
#include "build/make/maker.h"

struct tree {
	char key[65];	 /* SHA-256 of all that the tree is made from */
	char *dir;	 /* cache_dir/trees/<short key> */
	char *linux_dir; /* dir/linux: where make runs */
};

/**
 * tree_init() - name the tree that a spec asks for; writes nothing
 * @cc_version: first line of the compiler's --version
 */
int tree_init(struct tree *t, const struct build_spec *spec, const char *cc_version,
	      struct err *err);
void tree_deinit(struct tree *t);

/** tree_lock() - the tree is ours until *ret is closed; waits for another controller, saying so */
int tree_lock(const struct tree *t, struct progress *progress, int *ret, struct err *err);

/**
 * tree_prepare() - make it unless it is there and whole; the lock is held
 * @m:   how to run make in it
 * @err: ERR_USAGE: a tool is missing, or the config does not suit the source; ERR_HOST
 */
int tree_prepare(const struct tree *t, const struct build_spec *spec, const struct maker *m,
		 struct err *err);

/**
 * tree_begin() - make the limited paths hold a candidate; the lock is held
 *
 * From here until tree_end() the tree is marked as unknown, so that whoever comes after a crash
 * compares every file and throws half-written objects away.
 *
 * @was_known: false if the last one crashed
 */
int tree_begin(const struct tree *t, const struct build_spec *spec, const char *id, bool *was_known,
	       struct err *err);
int tree_end(const struct tree *t, const struct build_spec *spec, const char *id, struct err *err);

#endif
