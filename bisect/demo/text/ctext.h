/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C source as tokens: enough to find a function, its statements and its labels, whatever the line
 * numbers, comments, strings and conditional compilation around it. Pure.
 */
#ifndef DEMO_CTEXT_H
#define DEMO_CTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

enum ctoken_kind {
	CTOKEN_WORD, /* identifier or keyword */
	CTOKEN_NUMBER,
	CTOKEN_STRING,	  /* string or character constant */
	CTOKEN_DIRECTIVE, /* a whole preprocessor line, continuations included */
	CTOKEN_SIGN	  /* one character, but "->" is one token */
};

struct ctoken {
	uint32_t at;	/* offset [bytes] */
	uint32_t len;	/* [bytes] */
	uint16_t kind;	/* enum ctoken_kind */
	uint16_t depth; /* braces open around it; a brace has the depth outside of it */
};

struct ctext {
	const char *text; /* not owned */
	size_t len;
	struct ctoken *tokens; /* [n], comments left out */
	size_t n;
	uint32_t *slots; /* [n_slots], ascending: see below */
	size_t n_slots;
};

/* A function's tokens: signature from first, body in braces from open to close, both included. */
struct cfunction {
	size_t first;
	size_t open;
	size_t close;
};

/**
 * ctext_scan() - split a text into tokens
 * @text: need not be terminated, must outlive @ret
 * @ret:  owned by the caller, ctext_deinit()
 *
 * A slot is the offset of a blank line that follows a closing brace in the first column, outside of
 * everything: a place where a definition may stand. Where the branches of a conditional open
 * different numbers of braces, the last branch counts as the first one did.
 */
void ctext_scan(const char *text, size_t len, struct ctext *ret);
void ctext_deinit(struct ctext *c);

/** ctext_function() - find a function's definition; false if there is none, or more than one */
bool ctext_function(const struct ctext *c, const char *name, struct cfunction *ret);

/** ctext_is() - token @i exists and is spelt @spelling */
bool ctext_is(const struct ctext *c, size_t i, const char *spelling);

/** ctext_find() - first place in [from, to) where the tokens spell @words[n]; @to if none */
size_t ctext_find(const struct ctext *c, size_t from, size_t to, const char *const *words,
		  size_t n);

/** ctext_statement() - first token of the statement that holds token @i, looking back to @from */
size_t ctext_statement(const struct ctext *c, size_t i, size_t from);

/** ctext_line() / ctext_line_end() - offset of the first byte of a line / of the one after it */
size_t ctext_line(const struct ctext *c, size_t at);
size_t ctext_line_end(const struct ctext *c, size_t at);

#endif
