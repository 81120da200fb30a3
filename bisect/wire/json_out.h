/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON that is too long to be held as a tree: written as it comes, a list of a hundred thousand objects
 * in the memory of its text. Whoever calls keeps the order: begin, members, end.
 */
#ifndef WIRE_JSON_OUT_H
#define WIRE_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

#define JSON_OUT_DEPTH 16

struct json_out {
	FILE *to;	 /* text goes there as it comes; NULL: it stays in @text */
	struct buf text; /* owned */
	bool compact;	 /* no blanks and no line breaks */
	unsigned int depth;
	bool members[JSON_OUT_DEPTH]; /* the level has one already */
	bool list[JSON_OUT_DEPTH];    /* and is an array, so that nothing in it has a key */
};

void json_out_deinit(struct json_out *j);

/**
 * json_out_object() / json_out_list() - a level begins
 * @key: in an object; NULL in an array, and for the root
 */
void json_out_object(struct json_out *j, const char *key);
void json_out_list(struct json_out *j, const char *key);
/** json_out_end() - the level ends; with the root the text is complete */
void json_out_end(struct json_out *j);

/* One member; @key as above. Text that is no UTF-8 is made valid; NULL is null. */
void json_out_str(struct json_out *j, const char *key, const char *value);
void json_out_int(struct json_out *j, const char *key, int64_t value);
/** json_out_num() - to six significant digits; what is no number is null */
void json_out_num(struct json_out *j, const char *key, double value);
void json_out_bool(struct json_out *j, const char *key, bool value);

#endif
