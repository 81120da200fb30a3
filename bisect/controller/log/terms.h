/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two states are called: words that a `git bisect log` can hold. */
#ifndef CONTROLLER_LOG_TERMS_H
#define CONTROLLER_LOG_TERMS_H

#include <stdbool.h>

#include "base/err.h"

#define TERM_SIZE 64 /* [bytes] with the NUL */

/** term_is_word() - true for what can be a term: a letter or digit, then also ".", "_" and "-" */
bool term_is_word(const char *word);

/** term_is_command() - true for the words of `git bisect` itself: "start", "skip", "next"... */
bool term_is_command(const char *word);

/**
 * terms_check() - may the states be called so?
 * @old, @new: words, or NULL: not set
 * @fix:       the old state is the bad one
 * @err:       ERR_USAGE: no word, a command of git bisect, twice the same, or the other state's name
 *
 * Source: git's builtin/bisect.c, check_term_format().
 */
int terms_check(const char *old, const char *new, bool fix, struct err *err);

#endif
