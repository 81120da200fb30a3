/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real repositories for tests, made and questioned by the real git program. */
#ifndef TESTS_RANGE_KIT_H
#define TESTS_RANGE_KIT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/str.h"

/** kit_start() - a directory of this test program's own, and an environment without anybody's config */
void kit_start(void);
/** kit_end() - removes it */
void kit_end(void);

/** kit_path() - a path in that directory, owned by the caller */
__attribute__((format(printf, 1, 2))) char *kit_path(const char *fmt, ...);

/** kit_sh() - run a shell command that must succeed; its output without the last newline, owned */
__attribute__((format(printf, 1, 2))) char *kit_sh(const char *fmt, ...);

/** kit_git() - the same for `git -C repo ...` */
__attribute__((format(printf, 2, 3))) char *kit_git(const char *repo, const char *fmt, ...);

/** kit_write() - a file, with its directories */
void kit_write(const char *dir, const char *name, const char *text);

/** kit_commit() - write one file, commit, give the id (owned) */
char *kit_commit(const char *repo, const char *name, const char *text, const char *subject);

/** kit_lines() - output cut into lines */
void kit_lines(char *text, struct strv *ret);

/** kit_rand() - a number below @n; the same sequence for the same seed, everywhere */
uint32_t kit_rand(uint64_t *state, uint32_t n);

/**
 * kit_rounds() - how many random cases a test makes
 * Starting git takes most of the time, so it is few of them; TEST_ROUNDS=4 in the environment makes four times as many.
 */
unsigned int kit_rounds(unsigned int few);

/* How the dates of a random history run. */
enum kit_dates { DATES_FORWARD, DATES_BACKWARD, DATES_ANY };

/**
 * kit_random_repo() - a history with merges, octopus merges, several roots, reverts and deletions
 * Commit k is tagged c<k>; the last one is the only head. Files: a/x, a/b/y, c/z, d.
 */
char *kit_random_repo(uint64_t seed, unsigned int commits, enum kit_dates dates);

#endif
