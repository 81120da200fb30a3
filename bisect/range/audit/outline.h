/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: which function each line of a C text stands in. Pure. */
#ifndef RANGE_AUDIT_OUTLINE_H
#define RANGE_AUDIT_OUTLINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "range/audit/audit.h"

#define OUTLINE_NONE UINT32_MAX

struct outline {
	struct strv names; /* functions, in their order; one may be there twice */
	uint32_t *of_line; /* [n_lines] index into @names, or OUTLINE_NONE; the first line is 0 */
	size_t n_lines;
};

/**
 * outline_read() - find the functions
 * @text: [len], any bytes
 *
 * In the kernel's style: the head begins in column 0, the body with a brace there, and it ends with one
 * there. Comments and strings are not told apart.
 *
 * Source: Documentation/process/coding-style.rst, 3) and 6).
 */
void outline_read(const char *text, size_t len, struct outline *ret);
void outline_deinit(struct outline *o);

/** outline_at() - the function of a line counted from 1, or NULL */
const char *outline_at(const struct outline *o, int line);

/**
 * line_hash() - a line, however it is indented
 * Return: 0 if it says too little to be known again: a brace, "break;", "return r;", a declaration of a
 * counter.
 */
uint64_t line_hash(const char *line, size_t len);

void lines_deinit(struct audit_lines *l);
void lines_add(struct audit_lines *l, uint64_t hash);
/** lines_sort() - ascending, each once */
void lines_sort(struct audit_lines *l);

#endif
