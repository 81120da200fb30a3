/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of the loop: a run over a planted history, started, stopped, told and asked what it found. */
#ifndef TESTS_ASKED_H
#define TESTS_ASKED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "run.h"
#include "unit/controller/planted.h"

/* One run and what it was asked; each gets a directory of its own. */
struct asked {
	char *repo;
	char *dir;
	const char *argv[24]; /* besides --repo and --path */
	const char *workers;  /* when it is gone on with, or NULL */
	struct {
		const char *name;
		enum verdict verdict;
	} told[4]; /* [n_told] verdicts of a replayed log */
	size_t n_told;
	bool prove; /* with the corners that need a commit which nobody made */
	struct run_result result;
	struct err err;
};

/** asked_of() - a run that is to be asked; owned by the caller */
struct asked asked_of(const char *name, struct planted_commit *c, size_t n);
void asked_deinit(struct asked *a);
#define _cleanup_asked_ __attribute__((cleanup(asked_deinit)))

#define ASK(name, history) asked_of(name, history, ARRAY_SIZE(history))
#define STRAND(name, state, parent)                \
	{                                          \
		name, state, { parent }, false, "" \
	}
#define MERGE(name, state, ...)                         \
	{                                               \
		name, state, { __VA_ARGS__ }, false, "" \
	}

/** asked_ends() - the ends as options, by name */
void asked_ends(struct asked *a, const char *old, const char *new);

/** asked_start() / asked_resume() - as run_start() and run_resume(); asked_must() fails the test on -1 */
int asked_start(struct asked *a);
int asked_resume(struct asked *a);
void asked_must(int r, const struct asked *a);

/** asked_begin() - a run that has begun and tried nothing */
void asked_begin(struct asked *a);

/** asked_tell() - a verdict that was not tried for, as a replayed log leaves it */
void asked_tell(const struct asked *a, const char *name, enum verdict verdict);

/** asked_again() - the same run in another directory, told the same; owned by the caller */
struct asked asked_again(const struct asked *a);

/** asked_will_tell() - one that asked_start_told(), and each repetition, tells before it tries anything */
void asked_will_tell(struct asked *a, const char *name, enum verdict verdict);
int asked_start_told(struct asked *a);

/** asked_fact() - a stored fact, with ids as names; owned by the caller. NULL: there is none */
char *asked_fact(const struct asked *a, const char *key);
void asked_expect_fact(const struct asked *a, const char *key, const char *want);
void asked_expect_culprit(const struct asked *a, const char *name);

/** asked_kill_everywhere() - killed at any trial, and at every one, a run ends as it did and says the same */
void asked_kill_everywhere(const struct asked *a);

/** asked_run() - the tests, in directories of their own */
int asked_run(const struct CMUnitTest *tests, size_t n);

#endif
