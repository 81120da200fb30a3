/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what libgit2 reads for us comes from the same readers as what the walk reads. */
#ifndef RANGE_OBJECTS_BACKEND_H
#define RANGE_OBJECTS_BACKEND_H

#include <stdbool.h>

#include "range/gitlib.h"

/**
 * backend_add() - read a repository's packs and loose objects ourselves, also where libgit2 asks
 *
 * @in_memory: what is written is kept in memory, and gone with @repo. Else libgit2's own backend for
 *             loose objects writes it.
 *
 * An object that git replace has replaced reads as what replaces it.
 *
 * Return: 0, or libgit2's error.
 */
int backend_add(git_repository *repo, bool in_memory);

/** backend_add_aside() - the same, but what is written goes to @dir, whose objects can be read too */
int backend_add_aside(git_repository *repo, const char *dir);

#endif
