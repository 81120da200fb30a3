/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of the kernel that carry line numbers for texts alone: see signature.h. Inner to signature.c. */
#ifndef BUILD_LINES_H
#define BUILD_LINES_H

#include "build/make/objfile.h"

/**
 * lines_clear() - a table's content with its line numbers set to 0
 * @s:   a section that is loaded
 * @ret: owned by the caller, [sh_size]; NULL if it is no such table, or not surely one
 */
int lines_clear(const struct objfile *o, const struct objfile_section *s, unsigned char **ret,
		struct err *err);

#endif
