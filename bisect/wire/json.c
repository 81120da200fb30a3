// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON for reports and plans: see json.h. A struct json is a cJSON that nobody else sees. */
#include "wire/json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/str.h"
#include "wire/cjson_tree.h"
#include "wire/fields.h"
#include "wire/text.h"

#define DEPTH_MAX 64
#define EXACT_MAX INT64_C(1000000000000000)

static cJSON *tree(struct json *j)
{
	return (cJSON *)j;
}

static const cJSON *const_tree(const struct json *j)
{
	return (const cJSON *)j;
}

struct json *json_object(void)
{
	return (struct json *)cJSON_CreateObject();
}

struct json *json_array(void)
{
	return (struct json *)cJSON_CreateArray();
}

void json_destroy(struct json *j)
{
	cJSON_Delete(tree(j));
}

/* A key is there once: the last value counts. */
static cJSON *set(struct json *obj, const char *key, cJSON *value)
{
	assert(cJSON_IsObject(tree(obj)));
	cJSON_DeleteItemFromObjectCaseSensitive(tree(obj), key);
	cJSON_AddItemToObject(tree(obj), key, value);
	return value;
}

static cJSON *push(struct json *arr, cJSON *value)
{
	assert(cJSON_IsArray(tree(arr)));
	cJSON_AddItemToArray(tree(arr), value);
	return value;
}

static cJSON *new_str(const char *value)
{
	_cleanup_free_ char *valid = NULL;

	if (!value)
		return cJSON_CreateNull();
	valid = text_valid_utf8(value);
	return cJSON_CreateString(valid);
}

/* cJSON's printing rounds beyond 15 digits: a longer number is written by its digits. */
static cJSON *new_int(int64_t value)
{
	char digits[24];

	if (value > -EXACT_MAX && value < EXACT_MAX)
		return cJSON_CreateNumber((double)value);
	snprintf(digits, sizeof(digits), "%" PRId64, value);
	return cJSON_CreateRaw(digits);
}

void json_set_str(struct json *obj, const char *key, const char *value)
{
	set(obj, key, new_str(value));
}

void json_set_int(struct json *obj, const char *key, int64_t value)
{
	set(obj, key, new_int(value));
}

void json_set_num(struct json *obj, const char *key, double value)
{
	set(obj, key, cJSON_CreateNumber(value));
}

void json_set_bool(struct json *obj, const char *key, bool value)
{
	set(obj, key, cJSON_CreateBool(value));
}

void json_set_null(struct json *obj, const char *key)
{
	set(obj, key, cJSON_CreateNull());
}

struct json *json_set_object(struct json *obj, const char *key)
{
	return (struct json *)set(obj, key, cJSON_CreateObject());
}

struct json *json_set_array(struct json *obj, const char *key)
{
	return (struct json *)set(obj, key, cJSON_CreateArray());
}

void json_push_str(struct json *arr, const char *value)
{
	push(arr, new_str(value));
}

void json_push_int(struct json *arr, int64_t value)
{
	push(arr, new_int(value));
}

void json_push_num(struct json *arr, double value)
{
	push(arr, cJSON_CreateNumber(value));
}

struct json *json_push_object(struct json *arr)
{
	return (struct json *)push(arr, cJSON_CreateObject());
}

char *json_text(const struct json *j, bool pretty)
{
	return pretty ? cJSON_Print(const_tree(j)) : cJSON_PrintUnformatted(const_tree(j));
}

struct json *json_parse(const char *text, size_t len)
{
	const char *why;

	return (struct json *)cjson_tree_parse(text, len, DEPTH_MAX, &why);
}

const struct json *json_get(const struct json *obj, const char *key)
{
	if (!cJSON_IsObject(const_tree(obj)))
		return NULL;
	return (const struct json *)cJSON_GetObjectItemCaseSensitive(const_tree(obj), key);
}

const char *json_get_str(const struct json *obj, const char *key)
{
	return cJSON_GetStringValue(const_tree(json_get(obj, key)));
}

bool json_get_int(const struct json *obj, const char *key, int64_t *ret)
{
	return cjson_tree_int(const_tree(json_get(obj, key)), -WIRE_INT_MAX, WIRE_INT_MAX, ret);
}

size_t json_len(const struct json *arr)
{
	return arr ? (size_t)cJSON_GetArraySize(const_tree(arr)) : 0;
}

const struct json *json_at(const struct json *arr, size_t i)
{
	if (!arr || i > INT32_MAX)
		return NULL;
	return (const struct json *)cJSON_GetArrayItem(const_tree(arr), (int)i);
}
