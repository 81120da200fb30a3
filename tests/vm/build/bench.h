/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bench to build on: this machine's kernel source, a small repository that holds the two files of
 * the driver that matter, and a compiler that can be told to die.
 */
#ifndef TESTS_BUILD_BENCH_H
#define TESTS_BUILD_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "build/build.h"

/* The part of a kernel's source that all is made of here: part.sh. It is shared by all tests, one at a time. */
struct part {
	char *dir;
	char *tarball;
	char *repo; /* its work tree, and what is committed on top of the base, are anyone's */
	char base[COMMIT_ID_SIZE];
};

struct bench {
	struct build_kernel kernel;
	struct build_spec spec;
	struct builder *builder;
	struct part part;
	char *repo, *cc, *log;
	char *unit;   /* "amdgpu_mn" or "amdgpu_hmm" */
	char *text_c; /* that file, as the distribution ships it */
	char *text_h;
	char base[COMMIT_ID_SIZE]; /* the untouched files */
};

/** part_open() - of the tarball @source; made unless it is there */
void part_open(const char *source, struct part *ret);
void part_close(struct part *p);

/** bench_open() - false: this machine has no kernel source (the reason is printed) */
bool bench_open(struct bench *b);

/** bench_open_files() - the same without a builder, and of the whole source: spec may be changed before one is opened */
bool bench_open_files(struct bench *b);
void bench_close(struct bench *b);

/** bench_commit() - both files as a commit on top of the last one; NULL: as they were shipped */
void bench_commit(struct bench *b, const char *text_c, const char *text_h,
		  char ret[COMMIT_ID_SIZE]);

/** bench_commit_other() - a file beside the driver's own, as a commit on top of the last one */
void bench_commit_other(struct bench *b, const char *name, const char *text,
			char ret[COMMIT_ID_SIZE]);

/** bench_sh() - a shell command that must succeed; its output without the last newline, owned */
__attribute__((format(printf, 1, 2))) char *bench_sh(const char *fmt, ...);

/** bench_replace() - a text with the first @from made @to, which must be there; owned */
char *bench_replace(const char *text, const char *from, const char *to);

/** bench_kill_compiler() - from now on the compiler is killed when it comes to the unit, or not */
void bench_kill_compiler(struct bench *b, bool kill);

/* Builds that must go well, and that must not. */
void bench_make(struct bench *b, const char *id, struct artifact *ret);
void bench_fails(struct bench *b, const char *id, enum err_kind kind, const char *words);

#endif
