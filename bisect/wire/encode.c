// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A message becomes a line: see wire.h. Written without a JSON library, so that a probe, which only
 * sends, needs nothing but libc.
 */
#include "wire/wire.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "wire/fields.h"
#include "wire/json_out.h"
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
	case FIELD_NAMED:
		return v < f->names->n ? f->names->name[v] : NULL;
	default:
		return v < WIRE_TYPES && f->allowed >> v & 1 ? wire_type_name(v) : NULL;
	}
}

static void add_present(struct json_out *j, const char *key, uint32_t extents,
			const uint64_t *words)
{
	char text[17 * WIRE_EXTENTS_MAX / 64 + 1];
	size_t n = wire_present_words(extents);

	for (size_t i = 0; i < n; i++)
		snprintf(text + 17 * i, 18, "%016" PRIx64 " ", words[i]);
	text[17 * n - 1] = '\0';
	json_out_str(j, key, text);
}

static bool add_text(struct json_out *j, const struct field *f, const char *at)
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
	json_out_str(j, f->key, text);
	return true;
}

static bool is_zero(const void *at, size_t size)
{
	const unsigned char *bytes = at;

	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;
	return true;
}

static bool add_field(struct json_out *j, const struct field *f, const struct wire_msg *msg)
{
	const void *at = (const char *)msg + f->offset;
	const char *name;
	int64_t number;

	if (f->optional && is_zero(at, f->size))
		return true;
	switch (f->kind) {
	case FIELD_NAME:
	case FIELD_NONCE:
	case FIELD_WORD:
	case FIELD_ARGS:
	case FIELD_PROGRAM:
	case FIELD_TEXT:
		return add_text(j, f, at);
	case FIELD_BOOL:
		json_out_bool(j, f->key, *(const bool *)at);
		return true;
	case FIELD_PRESENT:
		add_present(j, f->key, msg->sample.extents, at);
		return true;
	case FIELD_REGIME:
	case FIELD_TYPE:
	case FIELD_HOW:
	case FIELD_NAMED:
		name = name_of(f, at);
		if (name)
			json_out_str(j, f->key, name);
		return name;
	default:
		number = number_of(f, at);
		json_out_int(j, f->key, number);
		return number >= f->min && number <= f->max;
	}
}

int wire_encode(const struct wire_msg *msg, char ret[WIRE_LINE_MAX], struct err *err)
{
	_cleanup_(json_out_deinit) struct json_out j = { .compact = true };
	const struct field *fields;
	char why[128];
	size_t n;

	if ((unsigned int)msg->type >= WIRE_TYPES)
		return err_set(err, ERR_USAGE, "cannot send a message of type %d", (int)msg->type);
	json_out_object(&j, NULL);
	json_out_str(&j, "type", wire_type_name(msg->type));
	fields = wire_fields(msg->type, &n);
	for (size_t i = 0; i < n; i++)
		if (!add_field(&j, &fields[i], msg))
			return out_of_bounds(msg, &fields[i], err);
	if (!wire_check(msg, why, sizeof(why)))
		return err_set(err, ERR_USAGE, "cannot send \"%s\": %s", wire_type_name(msg->type),
			       why);
	json_out_end(&j); /* with its newline */
	if (j.text.len >= WIRE_LINE_MAX)
		return err_set(err, ERR_USAGE, "cannot send \"%s\": too long",
			       wire_type_name(msg->type));
	memcpy(ret, j.text.data, j.text.len);
	ret[j.text.len] = '\0';
	return (int)j.text.len;
}
