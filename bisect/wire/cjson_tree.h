/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cJSON with its traps closed. Inner to wire/. */
#ifndef WIRE_CJSON_TREE_H
#define WIRE_CJSON_TREE_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

DEFINE_CLEANUP(cJSON *, cJSON_Delete)

/**
 * cjson_tree_parse() - text as a tree
 * @text:      [len] bytes, need not be NUL-terminated
 * @depth_max: deepest nesting of objects and arrays, 1 for a flat object
 *
 * Refuses what cJSON lets pass: bytes after the value, raw control characters, escaped NULs (which
 * would silently cut a string), a byte order mark, depth.
 *
 * Return: the tree, owned by the caller, or NULL with *@why saying what is wrong.
 */
cJSON *cjson_tree_parse(const char *text, size_t len, unsigned int depth_max, const char **why);

/** cjson_tree_int() - a number that is whole and in [min, max] (within +-WIRE_INT_MAX) */
bool cjson_tree_int(const cJSON *item, int64_t min, int64_t max, int64_t *ret);

#endif
