/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an artifact was made of, kept beside it: which commits cannot matter is told by what the compiler
 * read. Inner to the room; builder_depends() is the outside.
 */
#ifndef BUILD_DEPENDS_H
#define BUILD_DEPENDS_H

#include <stdbool.h>

#include "base/err.h"
#include "build/steps.h"

/* The list, in an artifact's directory. */
#define DEPENDS_NAME "depends"

/**
 * depends_store() - write the list of what was just built into s->out
 *
 * Nothing is written if some of it is not known: a list that lacks a file would let a candidate pass for
 * one that cannot matter.
 */
int depends_store(const struct steps *s, struct err *err);

/**
 * depends_load() - the list of an artifact of the cache; empty if it has none
 * @artifacts: the cache's directory
 */
int depends_load(const char *artifacts, const char *key, struct strv *ret, struct err *err);

/** depends_of_mirror() - the files of the tree that the mirror was made of; false if that is not known */
bool depends_of_mirror(const struct steps *s, struct strv *ret);

/** depends_normal() - a path without "." and "..", as the source tree has it; owned by the caller */
char *depends_normal(const char *path);

#endif
