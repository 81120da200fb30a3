/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Forms of error lines, tool by tool. Inner to the reading of build logs. */
#ifndef BUILD_LOG_FORM_H
#define BUILD_LOG_FORM_H

#include "build/make/buildlog.h"

/* Parts of a line, which points into; not yet shortened. */
struct buildlog_form {
	enum buildlog_rank rank;
	const char *file;
	size_t file_len;
	const char *symbol; /* with its "()" if it has one */
	size_t symbol_len;
	const char *msg;
	bool in_function; /* the symbol is the function that was named before */
	bool once;	  /* the first of one compile counts alone */
	bool quotes;	  /* the next line is the source's, not the tool's */
	bool later;	  /* an error only if modpost says so in the end */
};

enum buildlog_is {
	BUILDLOG_IS_NONE,	  /* no form that is known */
	BUILDLOG_IS_TALK,	  /* a warning, a note: whatever it says is no error */
	BUILDLOG_IS_ERROR,	  /* ret is written */
	BUILDLOG_IS_MISMATCH_END, /* modpost's, of mismatched sections that it listed */
};

/**
 * buildlog_form_place() - take a message apart that names a place in a file
 * @line:   plain text; @ret points into it
 * @object: what is being made, for messages about a temporary file; @ret may point into it
 * @ret:    ->quotes is written for all that is not BUILDLOG_IS_NONE, the rest for errors
 */
enum buildlog_is buildlog_form_place(const char *line, const char *object,
				     struct buildlog_form *ret);

/** buildlog_form_tool() - take any other message apart: modpost's, objtool's, the linker's, make's */
enum buildlog_is buildlog_form_tool(const char *line, struct buildlog_form *ret);

#endif
