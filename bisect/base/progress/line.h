/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of the live line, cut to a terminal's width. Pure; inner to base/progress. */
#ifndef BASE_PROGRESS_LINE_H
#define BASE_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct progress_line {
	char who[32];		  /* "worker 2"; empty: the run itself */
	unsigned int step, about; /* step 0: not in a step */
	char name[256];
	char stage[32]; /* empty: none */
	char detail[128];
	int64_t elapsed_ns;
	int64_t expect_ns; /* < 0: not known; shown until it has passed */
	int64_t eta_ns;	   /* < 0: not known */
};

/**
 * line_compose() - the line, cut at @columns
 * @bold: the stage stands out
 * @ret:  the text is added to it
 *
 * The name comes last, so that in a narrow terminal it is the first to be cut.
 *
 * Return: columns used, at most @columns. Characters of unknown width count as two, so that the
 * line never wraps.
 */
unsigned int line_compose(const struct progress_line *l, unsigned int columns, bool bold,
			  struct buf *ret);

/** line_clean() - copy text without control characters into @dst[size], cut between characters */
void line_clean(char *dst, size_t size, const char *src);

#endif
