/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a build's output says: which error came first, and whose fault it is.
 *
 * A compiler that was killed, or a full disk, says nothing about the candidate. Taking that for a
 * candidate that does not build would skip a commit that can be tested.
 */
#ifndef BUILD_BUILDLOG_H
#define BUILD_BUILDLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define BUILDLOG_TEXT_MAX 768

/* Zero-initialised it has seen nothing. */
struct buildlog {
	char candidate[BUILDLOG_TEXT_MAX]; /* first error that is the candidate's, shortened */
	bool weak;			   /* ...is make's or the linker's, which follow others */
	char host[BUILDLOG_TEXT_MAX];	   /* first error that is the rig's */
	unsigned int objects;		   /* compiled so far */
};

/**
 * buildlog_line() - look at one line of output
 * @line: as make, a compiler, the linker or modpost prints it in the C locale
 */
void buildlog_line(struct buildlog *l, const char *line);

/**
 * buildlog_err() - what a failed build means
 * @l: all its lines were given
 *
 * The text is "file.c: message" without directories and line numbers, so that one mistake reads the
 * same on each machine and in each candidate that has it.
 *
 * Return: always -1: ERR_HOST if the rig failed, else ERR_BUILD.
 */
int buildlog_err(const struct buildlog *l, struct err *err);

/* How the error of a failure begins that no line of the log explains; not worth remembering. */
extern const char buildlog_untold[];

#endif
