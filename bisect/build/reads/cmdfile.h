/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Kbuild notes beside each object, .NAME.o.cmd: the command, and every file that the compiler read.
 *
 * "source_x := a.c", then "deps_x := \" and one file a line. Those in $(wildcard ...) are markers of
 * config options, and the config is told from elsewhere.
 *
 * Source: scripts/basic/fixdep.c, parse_dep_file().
 */
#ifndef BUILD_READS_CMDFILE_H
#define BUILD_READS_CMDFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

#define CMDFILE_MAX_BYTES (4u << 20)

/**
 * cmdfile_each() - the files that one .cmd file names, in order, the source first
 * @text: the file's; anything else yields some names or none
 * @seen: called with each, which is not terminated; returns false to end it
 */
void cmdfile_each(const char *text, bool (*seen)(const char *name, size_t len, void *arg),
		  void *arg);

/** cmdfile_object() - "d/.a.o.cmd" → "d/a.o"; NULL if it is no such name; to be freed */
char *cmdfile_object(const char *path);

/** cmdfile_of() - "d/a.o" → "d/.a.o.cmd"; to be freed */
char *cmdfile_of(const char *object);

/**
 * cmdfile_find() - all .cmd files below a directory, with paths, in no order
 * @err: ERR_HOST: a directory that cannot be read
 */
int cmdfile_find(const char *dir, struct strv *ret, struct err *err);

/* Names, each once. The objects of a driver read the same headers again and again. */
struct nameset {
	struct strv names; /* in order of coming */
	uint32_t *slots;   /* [n_slots] index into names + 1, or 0 */
	size_t n_slots;	   /* a power of two */
};

void nameset_deinit(struct nameset *s);
void nameset_add(struct nameset *s, const char *name, size_t len);

#endif
