/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what a tree holds in the limited paths, under a name that outlives the program. */
#ifndef RANGE_CONTENT_H
#define RANGE_CONTENT_H

#include "range/gitlib.h"

/**
 * content_key() - SHA-256 in hex over mode, id and path of each of the paths
 * @git:   may be a repository that writes to memory, with @tree in it
 * @paths: [n_paths]; 0: the whole tree
 * @err:   ERR_USAGE for a path that leaves the repository; ERR_HOST for what cannot be read
 *
 * Where git replace has replaced trees or files, ids alone do not tell what is read in their place, so all
 * such replacements count too.
 */
int content_key(git_repository *git, const git_tree *tree, const char *const *paths, size_t n_paths,
		char ret[65], struct err *err);

#endif
