/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside patch/ only: the names in the head of a file's part of a patch. Pure. */
#ifndef RANGE_PATCH_NAMES_H
#define RANGE_PATCH_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Names as they are written. Zero-initialised it is empty. */
struct patch_names {
	char *header;		     /* behind "diff --git ", both sides; NULL: not git's form */
	char *from, *to;	     /* of "---" and "+++"; NULL: there are none; "" is /dev/null */
	bool no_from, no_to;	     /* /dev/null, or a date that says so */
	char *moved_from, *moved_to; /* of "rename" and "copy" */
};
void patch_names_deinit(struct patch_names *n);

/**
 * patch_name_read() - a name up to the end of its line, unquoted, without a date
 * @absent: set if it is /dev/null, which reads as "", or the date is that of a file that is not there
 * Return: owned by the caller; NULL if it is none.
 */
char *patch_name_read(const char *text, size_t len, bool *absent);

/**
 * patch_names_settle() - what the file is called on both sides
 * @ret_old, @ret_new: owned by the caller; the same unless it was moved
 * Return: NULL, or what is wrong
 */
const char *patch_names_settle(const struct patch_names *n, char **ret_old, char **ret_new);

#endif
