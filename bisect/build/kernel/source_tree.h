/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A source that is a directory: what of it is source. Inner to source.c. */
#ifndef BUILD_SOURCE_TREE_H
#define BUILD_SOURCE_TREE_H

#include <stdbool.h>

#include "base/err.h"

/** source_tree_skips() - true for .git and what a build leaves; @inner is relative to the tree */
bool source_tree_skips(const char *inner);

/** source_tree_identity() - digest of each source file's path, size and time; owned by the caller */
int source_tree_identity(const char *tree, char **ret, struct err *err);

#endif
