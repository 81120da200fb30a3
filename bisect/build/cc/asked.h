/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kbuild asks the compiler about some thirty options each time make is called, and again in some of the
 * makes below: six programs a question, more than the one file of a candidate takes to compile. Here
 * make asks a tree's compiler once: what it says is kept beside the tree.
 *
 * Kept is only what a toolchain says for good: that it takes an option, or that it does not know it. A
 * compiler that was killed, or a full disk, answers no such thing, and is asked again.
 *
 * Source: try-run of scripts/Makefile.compiler, before 5.19 of scripts/Kbuild.include: its three
 * parameters, and $TMP and $TMPO of the shell, have been the same since 2.6.
 */
#ifndef BUILD_ASKED_H
#define BUILD_ASKED_H

#include "base/str.h"

/**
 * asked_file() - where the answers of this toolchain are kept
 * @tree: where make runs
 * @cc:   the compiler; @version: what it says to --version
 *
 * Return: path, owned by the caller; NULL: the compiler or binutils are not found, ask each time.
 */
char *asked_file(const char *tree, const char *cc, const char *version);

/** asked_env() - for env(1), before make; asked_arg() - for make itself; both or none */
void asked_env(const char *file, struct strv *argv);
void asked_arg(struct strv *argv);

#endif
