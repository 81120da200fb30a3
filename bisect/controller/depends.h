/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that builds of one repository read, kept in the cache from build to build. Which file a
 * candidate reads may change within a range, so the list only grows: a commit counts as unable to
 * matter only if no build that is known of read what it touches.
 */
#ifndef CONTROLLER_DEPENDS_H
#define CONTROLLER_DEPENDS_H

#include "base/str.h"

/**
 * depends_keep() - add what a build read
 * @repo:  the candidates' repository
 * @scope: "unit", "module" or "kernel", each with a list of its own
 * @files: as builder_depends() gave them
 *
 * What cannot be written is left out: it only costs a hint.
 */
void depends_keep(const char *repo, const char *scope, const struct strv *files);

/**
 * depends_recall() - what the builds read; empty if none is known
 * @ret: sorted, each once; owned by the caller
 */
void depends_recall(const char *repo, const char *scope, struct strv *ret);

#endif
