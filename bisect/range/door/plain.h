/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are none: libgit2 waits for ever on a pipe that lies where a repository has a file, and takes
 * some directories for empty files. So these are looked for before it opens anything.
 */
#ifndef RANGE_DOOR_PLAIN_H
#define RANGE_DOOR_PLAIN_H

#include "range/gitlib.h"

/**
 * plain_check() - whether what libgit2 opens of a repository, asked for refs and commits, are files
 * @path: work tree, .git or bare directory; what is no repository is left to libgit2
 * @err:  ERR_HOST naming the first that is none
 *
 * Looked at are its own files, refs/ and logs/, and the configuration with all that it includes.
 * /dev/null is a file without content here.
 */
int plain_check(const char *path, struct err *err);

/** plain_check_above() - the same of the first repository at @start or above it, if there is one */
int plain_check_above(const char *start, struct err *err);

/**
 * plain_check_tree() - the same of what is opened of a work tree to compare it
 * @repo:   not bare
 * @limits: as gitlib_paths() gives them; empty: all
 */
int plain_check_tree(git_repository *repo, const struct strv *limits, struct err *err);

/**
 * plain_place() - one line of a file in a .git directory that names a place, from there on
 * @dir: ends in '/'
 * Return: owned by the caller; NULL: there is none.
 */
char *plain_place(const char *dir, const char *name);

#endif
