// SPDX-License-Identifier: GPL-2.0-or-later
/* A line from a guest that may lie becomes a message, or an error: see wire.h. */
#include "wire/wire.h"

#include <string.h>

#include "base/str.h"
#include "wire/cjson_tree.h"
#include "wire/fields.h"
#include "wire/text.h"

static const char missing[] = "is missing";

/* Each taker returns NULL, or what is wrong with the value. */

static const char *take_text(const struct field *f, const char *s, char *at)
{
	if (strlen(s) >= f->size)
		return "is too long";
	strcpy(at, s);
	if (f->kind == FIELD_TEXT)
		text_clean(at);
	return wire_check_text(f, at) ? "has characters it must not have" : NULL;
}

static const char *take_name(const struct field *f, const char *s, void *at)
{
	bool known;

	if (f->kind == FIELD_REGIME)
		known = regime_parse(s, at);
	else if (f->kind == FIELD_HOW)
		known = wire_how_parse(s, at);
	else if (f->kind == FIELD_NAMED)
		known = wire_names_parse(f->names, s, at);
	else
		known = wire_type_parse(s, at) && f->allowed >> *(enum wire_type *)at & 1;
	return known ? NULL : "is not one of the known names";
}

static bool take_word(const char *s, uint64_t *ret)
{
	uint64_t v = 0;

	for (size_t i = 0; i < 16; i++) {
		const char *digits = "0123456789abcdef";
		const char *d = s[i] ? strchr(digits, s[i]) : NULL;

		if (!d)
			return false;
		v = v << 4 | (uint64_t)(d - digits);
	}
	*ret = v;
	return true;
}

/* How many words there are; wire_check() and the count below hold them against the extents. */
static const char *take_present(const char *s, uint64_t *words)
{
	size_t n = (strlen(s) + 1) / 17;

	if (strlen(s) + 1 != n * 17 || n > WIRE_EXTENTS_MAX / 64)
		return "is not made of words of 16 hex digits";
	for (size_t i = 0; i < n; i++)
		if (!take_word(s + 17 * i, &words[i]) || (i && s[17 * i - 1] != ' '))
			return "is not made of words of 16 hex digits";
	return NULL;
}

static const char *take_number(const struct field *f, const cJSON *item, void *at)
{
	int64_t v;

	if (!cjson_tree_int(item, f->min, f->max, &v))
		return "is not a whole number in its range";
	switch (f->kind) {
	case FIELD_U32:
		*(uint32_t *)at = (uint32_t)v;
		break;
	case FIELD_I32:
		*(int32_t *)at = (int32_t)v;
		break;
	case FIELD_U64:
		*(uint64_t *)at = (uint64_t)v;
		break;
	default:
		*(int64_t *)at = v;
	}
	return NULL;
}

static const char *take_field(const struct field *f, const cJSON *item, struct wire_msg *msg)
{
	void *at = (char *)msg + f->offset;

	switch (f->kind) {
	case FIELD_U32:
	case FIELD_I32:
	case FIELD_U64:
	case FIELD_I64:
		return take_number(f, item, at);
	case FIELD_BOOL:
		*(bool *)at = cJSON_IsTrue(item);
		return cJSON_IsBool(item) ? NULL : "is neither true nor false";
	default:
		break;
	}
	if (!cJSON_IsString(item))
		return "is not text";
	if (f->kind == FIELD_PRESENT)
		return take_present(item->valuestring, at);
	if (f->kind == FIELD_REGIME || f->kind == FIELD_HOW || f->kind == FIELD_TYPE ||
	    f->kind == FIELD_NAMED)
		return take_name(f, item->valuestring, at);
	return take_text(f, item->valuestring, at);
}

/* The only member of that name: cJSON keeps repeated ones and gives the first. */
static const cJSON *only(const cJSON *obj, const char *key, const char **why)
{
	const cJSON *found = NULL;

	for (const cJSON *i = obj->child; i; i = i->next) {
		if (strcmp(i->string, key) != 0)
			continue;
		if (found) {
			*why = "is there twice";
			return NULL;
		}
		found = i;
	}
	*why = found ? NULL : missing;
	return found;
}

static bool right_number_of_words(const struct wire_msg *msg, const cJSON *obj)
{
	static const char *const maps[] = { "present", "present_after" };

	for (size_t i = 0; msg->type == WIRE_SAMPLE && i < ARRAY_SIZE(maps); i++) {
		const cJSON *map = cJSON_GetObjectItemCaseSensitive(obj, maps[i]);

		if (map &&
		    (strlen(map->valuestring) + 1) / 17 != wire_present_words(msg->sample.extents))
			return false;
	}
	return true;
}

static int take_type(const cJSON *obj, enum wire_type *ret, struct err *err)
{
	const char *why;
	const cJSON *type = only(obj, "type", &why);

	if (!type)
		return err_set(err, ERR_PROTOCOL, "a message whose type %s", why);
	if (!cJSON_IsString(type))
		return err_set(err, ERR_PROTOCOL, "a message whose type is not text");
	if (wire_type_parse(type->valuestring, ret))
		return 0;
	return err_set(err, ERR_PROTOCOL, "a message of unknown type \"%s\"",
		       wire_name_ok(type->valuestring) ? type->valuestring : "?");
}

static int take_fields(const cJSON *obj, struct wire_msg *msg, struct err *err)
{
	const char *type = wire_type_name(msg->type);
	const struct field *fields;
	char contradiction[128];
	size_t n, found = 0;

	fields = wire_fields(msg->type, &n);
	for (size_t i = 0; i < n; i++) {
		const char *why;
		const cJSON *item = only(obj, fields[i].key, &why);

		found += item != NULL;
		if (item)
			why = take_field(&fields[i], item, msg);
		else if (fields[i].optional && why == missing)
			why = NULL;
		if (why)
			return err_set(err, ERR_PROTOCOL, "\"%s\" whose %s %s", type, fields[i].key,
				       why);
	}
	if ((size_t)cJSON_GetArraySize(obj) != found + 1)
		return err_set(err, ERR_PROTOCOL, "\"%s\" with an unknown field", type);
	if (!right_number_of_words(msg, obj))
		return err_set(err, ERR_PROTOCOL,
			       "\"%s\" whose present has not a word per 64 extents", type);
	if (!wire_check(msg, contradiction, sizeof(contradiction)))
		return err_set(err, ERR_PROTOCOL, "\"%s\" contradicts itself: %s", type,
			       contradiction);
	return 0;
}

int wire_decode(const char *line, size_t len, struct wire_msg *ret, struct err *err)
{
	_cleanup_(cJSON_Delete_p) cJSON *obj = NULL;
	struct wire_msg msg;
	const char *why;

	if (len >= WIRE_LINE_MAX)
		return err_set(err, ERR_PROTOCOL, "a line of %zu bytes, longer than %d", len,
			       WIRE_LINE_MAX - 1);
	/* Nothing before or after the object, not even blanks: a line has one form. */
	if (len < 2 || line[0] != '{' || line[len - 1] != '}')
		return err_set(err, ERR_PROTOCOL, "a line that is not a JSON object");
	obj = cjson_tree_parse(line, len, 1, &why);
	if (!obj)
		return err_set(err, ERR_PROTOCOL, "a line that is not a plain JSON object: %s",
			       why);
	memset(&msg, 0, sizeof(msg));
	if (take_type(obj, &msg.type, err) < 0 || take_fields(obj, &msg, err) < 0)
		return -1;
	*ret = msg;
	return 0;
}
