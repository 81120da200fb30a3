/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a build's output says: which error came first, and whose fault it is.
 *
 * A compiler that was killed, or a full disk, says nothing about the candidate. Taking that for a
 * candidate that does not build would skip a commit that can be tested.
 *
 * One mistake must read the same in each candidate that has it, whatever else they have and however
 * make's jobs raced: the search takes candidates with one text for one blocker. So an error is (file,
 * symbol, message). Of one compile only its first error counts, since the others may follow from it;
 * which compiles came to their error before make stopped is chance, so of all firsts the smallest is
 * told, those of a compiler before those of the linker. make writes the output of each compile in
 * one piece (--output-sync), so that two of them do not mix.
 */
#ifndef BUILD_BUILDLOG_H
#define BUILD_BUILDLOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define BUILDLOG_TEXT_MAX 768

/* Of several errors the one of the lowest rank is told. */
enum buildlog_rank {
	BUILDLOG_NOTHING,
	BUILDLOG_SOURCE, /* names a place in a file: nothing but the candidate can be the cause */
	BUILDLOG_TOOL,	 /* modpost and objtool, of the object they looked at */
	BUILDLOG_LINK,	 /* the linker, make, a tool that refuses: may follow from something else */
	BUILDLOG_CRASH,	 /* a compiler's internal error: the candidate's if it comes again */
};

struct build_error {
	enum buildlog_rank rank;
	char file[128];	  /* its last part; or empty: msg says it all */
	char symbol[128]; /* "f()" or "name", or empty */
	char msg[BUILDLOG_TEXT_MAX / 2];
};

/* Zero-initialised it has seen nothing. */
struct buildlog {
	struct build_error first;     /* the one to tell */
	struct build_error mismatch;  /* modpost's warning that it will call an error in the end */
	char host[BUILDLOG_TEXT_MAX]; /* first error that is the rig's */
	bool ccache;		      /* ccache itself failed, not the compiler */
	char object[128];	      /* what is being made, "x.o" */
	char function[128];	      /* in which the compiler or the linker is */
	bool told;		      /* this compile's first error was seen */
	bool quote;		      /* the line to come may be source that is quoted */
	unsigned int objects;	      /* compiled so far */
	bool linking;		      /* the last command joined objects */
};

/**
 * buildlog_line() - look at one line of output
 * @line: as make, a compiler, the linker or modpost prints it
 */
void buildlog_line(struct buildlog *l, const char *line);

/**
 * buildlog_err() - what a failed build means
 * @l: all its lines were given
 *
 * The text is "file.c: symbol: message" without directories, lines and columns.
 *
 * Return: always -1: ERR_HOST if the rig failed, else ERR_BUILD.
 */
int buildlog_err(const struct buildlog *l, struct err *err);

/* How the error of a failure begins that no line of the log explains; not worth remembering. */
extern const char buildlog_untold[];

#endif
