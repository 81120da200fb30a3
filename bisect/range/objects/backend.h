/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what libgit2 reads for us comes from the same readers as what the walk reads. */
#ifndef RANGE_OBJECTS_BACKEND_H
#define RANGE_OBJECTS_BACKEND_H

#include "range/gitlib.h"

/**
 * backend_add() - read a repository's packs and loose objects ourselves, also where libgit2 asks
 *
 * Of its own backends the one for loose objects stays, for what is written.
 *
 * Return: 0, or libgit2's error.
 */
int backend_add(git_repository *repo);

#endif
