// SPDX-License-Identifier: GPL-2.0-or-later
/* cJSON with its traps closed: see cjson_tree.h. */
#include "wire/cjson_tree.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

/* Running out of memory ends the program as everywhere (str.h), so no call here needs a check. */
__attribute__((constructor)) static void set_hooks(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){ .malloc_fn = xmalloc, .free_fn = free });
}

/* One pass over the bytes for what cJSON does not look at; NULL if nothing is wrong. */
static const char *scan(const char *text, size_t len, unsigned int depth_max)
{
	bool in_string = false;
	unsigned int depth = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c < ' ' && (in_string || !strchr("\t\r\n", c) || !c))
			return "control characters";
		if (in_string && c == '\\') {
			if (len - i >= 6 && memcmp(text + i, "\\u0000", 6) == 0)
				return "an escaped NUL";
			i++;
		} else if (c == '"') {
			in_string = !in_string;
		} else if (!in_string && (c == '{' || c == '[')) {
			if (++depth > depth_max)
				return "nested too deeply";
		} else if (!in_string && (c == '}' || c == ']')) {
			depth -= depth > 0;
		} else if (!in_string && c >= 0x80) {
			return "not JSON";
		}
	}
	return NULL;
}

cJSON *cjson_tree_parse(const char *text, size_t len, unsigned int depth_max, const char **why)
{
	_cleanup_free_ char *copy = NULL;
	const char *end = NULL;
	cJSON *tree;

	*why = scan(text, len, depth_max);
	if (*why)
		return NULL;
	/* cJSON looks for the end of the text at a NUL that must lie within the given length. */
	copy = xmalloc(len + 1);
	memcpy(copy, text, len);
	copy[len] = '\0';
	tree = cJSON_ParseWithLengthOpts(copy, len + 1, &end, true);
	if (!tree)
		*why = "not JSON";
	return tree;
}

bool cjson_tree_int(const cJSON *item, int64_t min, int64_t max, int64_t *ret)
{
	double d;

	if (!cJSON_IsNumber(item))
		return false;
	d = item->valuedouble;
	if (!isfinite(d) || d < (double)min || d > (double)max || d != (double)(int64_t)d)
		return false;
	*ret = (int64_t)d;
	return true;
}
