// SPDX-License-Identifier: GPL-2.0-or-later
/* Scope unit: see unit.h. */
#include "build/unit.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"

#define SOURCE_MAX_BYTES (16u << 20)

/* Where it has been so far; other files are looked at after these. */
static const char *const usual[] = { "amdgpu_hmm", "amdgpu_mn" };

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The end of a comment or literal that begins at @p, or @p if none does. */
static const char *skip_opaque(const char *p)
{
	const char *end;

	if (p[0] == '/' && p[1] == '*') {
		end = strstr(p + 2, "*/");
		return end ? end + 2 : p + strlen(p);
	}
	if (p[0] == '/' && p[1] == '/')
		return p + strcspn(p, "\n");
	if (p[0] == '"' || p[0] == '\'') {
		for (end = p + 1; *end && *end != *p && *end != '\n'; end++)
			end += *end == '\\' && end[1];
		return *end ? end + 1 : end;
	}
	return p;
}

static const char *skip_blank(const char *p)
{
	for (;;) {
		const char *q = p + strspn(p, " \t\r\n");

		if (q[0] == '/')
			q = skip_opaque(q);
		if (q == p)
			return p;
		p = q;
	}
}

static const char *skip_parens(const char *p)
{
	unsigned int depth = 0;

	while (*p) {
		const char *q = skip_opaque(p);

		if (q != p) {
			p = q;
			continue;
		}
		depth += *p == '(';
		depth -= *p == ')';
		p++;
		if (!depth)
			break;
	}
	return p;
}

bool unit_defines(const char *text, const char *function)
{
	size_t len = strlen(function);

	for (const char *p = text; *p;) {
		const char *q = skip_opaque(p);

		if (q != p) {
			p = q;
			continue;
		}
		if (!is_word(*p)) {
			p++;
			continue;
		}
		for (q = p; is_word(*q); q++)
			;
		if ((size_t)(q - p) == len && memcmp(p, function, len) == 0) {
			const char *args = skip_blank(q);

			if (*args == '(' && *skip_blank(skip_parens(args)) == '{')
				return true;
		}
		p = q;
	}
	return false;
}

/* 1: that file defines it; 0: it does not, or is not there. */
static int file_defines(const char *dir, const char *file, struct err *err)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, file);
	_cleanup_free_ char *text = NULL;

	if (!fs_exists(path))
		return 0;
	if (fs_read(path, SOURCE_MAX_BYTES, &text, NULL, err) < 0)
		return -1;
	return strstr(text, UNIT_FUNCTION) && unit_defines(text, UNIT_FUNCTION);
}

int unit_find(const char *amdgpu, char **ret, struct err *err)
{
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *e;

	for (size_t i = 0; i < ARRAY_SIZE(usual); i++) {
		_cleanup_free_ char *file = str_printf("%s.c", usual[i]);
		int found = file_defines(amdgpu, file, err);

		if (found < 0)
			return -1;
		if (found) {
			*ret = xstrdup(usual[i]);
			return 0;
		}
	}
	dir = opendir(amdgpu);
	while (dir && (e = readdir(dir))) {
		int found = str_ends(e->d_name, ".c") ? file_defines(amdgpu, e->d_name, err) : 0;

		if (found < 0)
			return -1;
		if (found) {
			*ret = xstrndup(e->d_name, strlen(e->d_name) - 2);
			return 0;
		}
	}
	return err_set(err, ERR_BUILD,
		       "no file of the amdgpu directory defines %s(): nothing to test here",
		       UNIT_FUNCTION);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char *unit_stubs(const struct strv *undefined, const struct symvers *symvers)
{
	_cleanup_strv_ struct strv missing = { 0 };
	struct buf text = { 0 };

	for (size_t i = 0; i < undefined->n; i++) {
		const char *name = undefined->items[i];

		/* modpost defines the first, the linker the second */
		if (strcmp(name, "__this_module") != 0 &&
		    strcmp(name, "_GLOBAL_OFFSET_TABLE_") != 0 && !symvers_has(symvers, name))
			strv_add(&missing, name);
	}
	if (missing.n)
		qsort(missing.items, missing.n, sizeof(*missing.items), by_text);
	buf_puts(&text, "// SPDX-License-Identifier: GPL-2.0\n#include \"stub.h\"\n\n");
	for (size_t i = 0; i < missing.n; i++)
		buf_printf(&text, "MIRROR_STUB(%s)\n", missing.items[i]);
	return buf_take(&text);
}
