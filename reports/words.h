/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures and foreign text as words; within reports/ only. */
#ifndef REPORTS_WORDS_H
#define REPORTS_WORDS_H

#include "reports/model.h"

/* A short text by value, so that several fit into one printf. */
struct word {
	char text[96];
};

struct word word_size(uint64_t bytes, uint64_t offset); /* "8 MiB", "8 MiB +4 KiB" */
struct word word_ms(int64_t ns);			/* "15.3 ms", "4016 ms", "-" for < 0 */
struct word word_windows(const struct measurement *m);	/* "4 of 4", "0 of 4", "0" of a control */
/* "4 windows + 16 ms", "15.3 ms" */
struct word word_split(const struct measurement *m);
struct word word_count(uint64_t n, const char *one, const char *many); /* "1 trial", "2 trials" */

/** buf_row() - one regime at one size, as a line: windows and median of each of the first @n subjects */
void buf_row(struct buf *b, const char *indent, const struct report *r,
	     const struct measurement *row, size_t n);

/** buf_plain() - foreign text for a terminal: nothing that moves, hides or turns anything */
void buf_plain(struct buf *b, const char *s);

/** buf_plain_cut() - the same, at most @columns characters, "..." if cut; padded to them if @pad */
void buf_plain_cut(struct buf *b, const char *s, size_t columns, bool pad);

/** buf_plain_wrapped() - the same under a label, broken at blanks to 100 columns; nothing if it is empty */
void buf_plain_wrapped(struct buf *b, const char *label, const char *text);

/** buf_html() - foreign text for an element's content or a quoted attribute */
void buf_html(struct buf *b, const char *s);

#endif
