/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON for the rooms that write it (reports, plan): cJSON behind our own names. */
#ifndef WIRE_JSON_H
#define WIRE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json;

struct json *json_object(void);
struct json *json_array(void);
void json_destroy(struct json *j); /* NULL is fine; only for a root */

/* json_set_*() add to an object; the child is owned by the parent. A NULL string is JSON null. */
void json_set_str(struct json *obj, const char *key, const char *value);
void json_set_int(struct json *obj, const char *key, int64_t value);
void json_set_num(struct json *obj, const char *key, double value);
void json_set_bool(struct json *obj, const char *key, bool value);
void json_set_null(struct json *obj, const char *key);
struct json *json_set_object(struct json *obj, const char *key); /* new child */
struct json *json_set_array(struct json *obj, const char *key);	 /* new child */

/* json_push_*() append to an array. */
void json_push_str(struct json *arr, const char *value);
void json_push_int(struct json *arr, int64_t value);
void json_push_num(struct json *arr, double value);
struct json *json_push_object(struct json *arr); /* new child */

/** json_text() - the tree as text; @pretty with line breaks; owned by the caller */
char *json_text(const struct json *j, bool pretty);

/** json_parse() - NULL if @text is no JSON; @len bytes */
struct json *json_parse(const char *text, size_t len);
/* json_get_*() read from an object; false or NULL if the key is missing or of another kind. */
const char *json_get_str(const struct json *obj, const char *key);
bool json_get_int(const struct json *obj, const char *key, int64_t *ret);
const struct json *json_get(const struct json *obj, const char *key);
size_t json_len(const struct json *arr);
const struct json *json_at(const struct json *arr, size_t i);

#endif
