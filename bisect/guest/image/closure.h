/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shared libraries a program needs; inside the guest room only. */
#ifndef GUEST_CLOSURE_H
#define GUEST_CLOSURE_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct library {
	char *host;  /* file on this machine */
	char *guest; /* where the guest's dynamic linker looks for it */
};

/* Zero-initialised it is empty; each guest path once. */
struct closure {
	struct library *items;
	size_t n;
	/*
	 * For libraries that are loaded beside a program of this machine: looked for in @dirs first
	 * [n_dirs], and put into @place. The C library is the program's then, and left out.
	 */
	const char *const *dirs;
	size_t n_dirs;
	const char *place; /* NULL: where the C library is */
};

void closure_deinit(struct closure *c);

/**
 * closure_add() - add what @program needs to run: its interpreter and libraries, theirs as well
 * @program: an ELF file; a static one needs nothing
 * @err:     ERR_USAGE: no such program, no program for this machine, a library that is not found
 *
 * What a program opens with dlopen() is not followed.
 * Source: ld.so(8) for the order of the search.
 */
int closure_add(struct closure *c, const char *program, struct err *err);

/** closure_add_library() - a library itself, and all it needs; @err as closure_add() */
int closure_add_library(struct closure *c, const char *path, struct err *err);

#endif
