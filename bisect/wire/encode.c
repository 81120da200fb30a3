// SPDX-License-Identifier: GPL-2.0-or-later
/* A message becomes a line: see wire.h. */
#include "wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "wire/cjson_tree.h"
#include "wire/fields.h"
#include "wire/text.h"

static int out_of_bounds(const struct wire_msg *msg, const struct field *f, struct err *err)
{
	return err_set(err, ERR_USAGE, "cannot send \"%s\": its %s is out of bounds",
		       wire_type_name(msg->type), f->key);
}

static int64_t number_of(const struct field *f, const void *at)
{
	switch (f->kind) {
	case FIELD_U32:
		return *(const uint32_t *)at;
	case FIELD_I32:
		return *(const int32_t *)at;
	case FIELD_U64:
		/* What does not fit is out of every field's bounds. */
		return *(const uint64_t *)at > INT64_MAX ? -1 : (int64_t) * (const uint64_t *)at;
	default:
		return *(const int64_t *)at;
	}
}

/* The name of an enum's value, or NULL if it has none here. */
static const char *name_of(const struct field *f, const void *at)
{
	unsigned int v;

	memcpy(&v, at, sizeof(v));
	switch (f->kind) {
	case FIELD_REGIME:
		return v < REGIME_COUNT ? regime_name(v) : NULL;
	case FIELD_HOW:
		return v < PROBE_HOWS ? wire_how_name(v) : NULL;
	default:
		return v < WIRE_TYPES && f->allowed >> v & 1 ? wire_type_name(v) : NULL;
	}
}

static void add_present(cJSON *obj, const char *key, const struct wire_sample *s)
{
	char text[17 * ARRAY_SIZE(s->present) + 1];
	size_t n = wire_present_words(s->extents);

	for (size_t i = 0; i < n; i++)
		snprintf(text + 17 * i, 18, "%016" PRIx64 " ", s->present[i]);
	text[17 * n - 1] = '\0';
	cJSON_AddStringToObject(obj, key, text);
}

static bool add_text(cJSON *obj, const struct field *f, const char *at)
{
	char text[WIRE_TEXT_MAX];
	size_t len = strnlen(at, f->size);

	if (len == f->size)
		return false;
	memcpy(text, at, len + 1);
	if (f->kind == FIELD_TEXT)
		text_clean(text);
	if (wire_check_text(f, text))
		return false;
	cJSON_AddStringToObject(obj, f->key, text);
	return true;
}

static bool add_field(cJSON *obj, const struct field *f, const struct wire_msg *msg)
{
	const void *at = (const char *)msg + f->offset;
	const char *name;
	char digits[24];
	int64_t number;

	switch (f->kind) {
	case FIELD_NAME:
	case FIELD_NONCE:
	case FIELD_WORD:
	case FIELD_ARGS:
	case FIELD_PROGRAM:
	case FIELD_TEXT:
		return add_text(obj, f, at);
	case FIELD_BOOL:
		cJSON_AddBoolToObject(obj, f->key, *(const bool *)at);
		return true;
	case FIELD_PRESENT:
		add_present(obj, f->key, &msg->sample);
		return true;
	case FIELD_REGIME:
	case FIELD_TYPE:
	case FIELD_HOW:
		name = name_of(f, at);
		if (name)
			cJSON_AddStringToObject(obj, f->key, name);
		return name;
	default:
		number = number_of(f, at);
		/* By its digits: cJSON's own printing rounds beyond 15 of them. */
		snprintf(digits, sizeof(digits), "%" PRId64, number);
		cJSON_AddRawToObject(obj, f->key, digits);
		return number >= f->min && number <= f->max;
	}
}

int wire_encode(const struct wire_msg *msg, char ret[WIRE_LINE_MAX], struct err *err)
{
	_cleanup_(cJSON_Delete_p) cJSON *obj = cJSON_CreateObject();
	_cleanup_free_ char *text = NULL;
	const struct field *fields;
	char why[128];
	size_t n, len;

	if ((unsigned int)msg->type >= WIRE_TYPES)
		return err_set(err, ERR_USAGE, "cannot send a message of type %d", (int)msg->type);
	cJSON_AddStringToObject(obj, "type", wire_type_name(msg->type));
	fields = wire_fields(msg->type, &n);
	for (size_t i = 0; i < n; i++)
		if (!add_field(obj, &fields[i], msg))
			return out_of_bounds(msg, &fields[i], err);
	if (!wire_check(msg, why, sizeof(why)))
		return err_set(err, ERR_USAGE, "cannot send \"%s\": %s", wire_type_name(msg->type),
			       why);
	text = cJSON_PrintUnformatted(obj);
	len = strlen(text);
	if (len + 2 > WIRE_LINE_MAX)
		return err_set(err, ERR_USAGE, "cannot send \"%s\": too long",
			       wire_type_name(msg->type));
	memcpy(ret, text, len);
	memcpy(ret + len, "\n", 2);
	return (int)len + 1;
}
