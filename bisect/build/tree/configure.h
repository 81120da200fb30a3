/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A tree's config is made, checked and noted. Inner to the tree. */
#ifndef BUILD_TREE_CONFIGURE_H
#define BUILD_TREE_CONFIGURE_H

#include "base/err.h"
#include "build/tree.h"

/**
 * configure_make() - .config from the inputs alone, and what `make modules_prepare` makes of it
 * @blame: ERR_USAGE: what fails is the user's source, config or fragment; ERR_BUILD: the candidate's
 * @log:   file that make's output is appended to
 * @err:   @blame; ERR_USAGE: a package is missing; ERR_HOST; ERR_STOPPED
 */
int configure_make(const struct tree *t, const struct build_spec *spec, const struct maker *m,
		   enum err_kind blame, const char *log, struct err *err);

/** tree_marker() - path of the file whose text is the tree's key once the tree is whole; owned */
char *tree_marker(const struct tree *t);

/** configure_note() - remember which Kconfig files the config was made from; as tree_configure() */
int configure_note(const struct tree *t, const struct build_spec *spec,
		   const struct patches *patches, const char *id, struct err *err);

#endif
