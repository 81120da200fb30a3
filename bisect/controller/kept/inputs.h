/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files and revisions that a run was given, kept with it: it goes on from another directory, after a file
 * was edited, and after a branch moved.
 */
#ifndef CONTROLLER_KEPT_INPUTS_H
#define CONTROLLER_KEPT_INPUTS_H

#include "base/err.h"
#include "options.h"
#include "store/store.h"

/**
 * inputs_check() - patches, fragments and compilers by what can be known before a run is made
 * @err: ERR_USAGE: which of them, and what is wrong
 */
int inputs_check(const struct options *o, const char *repo, struct err *err);

/**
 * inputs_keep() - copies of files into DIR/inputs; the options name the copies then, revisions by full id
 * @dir: the run's directory, absolute
 * @err: ERR_USAGE: a revision that names no commit; ERR_HOST: a file that cannot be read or copied
 *
 * Kept are --apply, --fragment and --kconfig if they were given. Facts: build.apply.N, as it was given.
 * What is too large to copy (a kernel's source, its image) is named from the root.
 */
int inputs_keep(struct options *o, struct store *s, const char *dir, const char *repo,
		struct err *err);

#endif
