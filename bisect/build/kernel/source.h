/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's source, as tarball or as tree: its version, its identity, and a copy of it. */
#ifndef BUILD_SOURCE_H
#define BUILD_SOURCE_H

#include "base/err.h"
#include "base/progress.h"
#include "build/kernel/version.h"

/**
 * source_version() - which kernel a source is of
 *
 * A tree's Makefile says it. A tarball's name does, where it follows the distributions' habit; only
 * where it does not is the tarball read up to its Makefile, which takes seconds.
 *
 * @err: ERR_USAGE if it is no kernel source
 */
int source_version(const char *source, struct kversion *ret, struct err *err);

/**
 * source_identity() - a text that changes when the source does: size and time of the tarball, or of
 * each source file in the tree; owned by the caller
 */
int source_identity(const char *source, char **ret, struct err *err);

/**
 * source_unpack() - unpack a tarball, or copy a tree, without its outer directory
 *
 * Of a tree, .git and what an earlier build left (objects, commands, configuration) stay behind.
 *
 * @dest:     directory, made
 * @progress: or NULL
 * @err:      ERR_USAGE: not an archive; ERR_HOST: damaged, disk full; ERR_STOPPED
 */
int source_unpack(const char *source, const char *dest, struct progress *progress, struct err *err);

#endif
