// SPDX-License-Identifier: GPL-2.0-or-later
/* Kbuild's .cmd files: see cmdfile.h. */
#include "build/reads/cmdfile.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "build/reads/walk.h"

/* What follows " := " in a line that begins with @prefix, or NULL. */
static const char *assigned(const char *line, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);
	const char *p;

	if (len < n || memcmp(line, prefix, n) != 0)
		return NULL;
	p = memmem(line, len, " := ", 4);
	return p ? p + 4 : NULL;
}

void cmdfile_each(const char *text, bool (*seen)(const char *name, size_t len, void *arg),
		  void *arg)
{
	bool in_deps = false;

	while (*text) {
		const char *end = strchrnul(text, '\n');
		size_t len = (size_t)(end - text);
		const char *source = assigned(text, len, "source_");

		if (source) {
			if (source < end && !seen(source, (size_t)(end - source), arg))
				return;
		} else if (assigned(text, len, "deps_")) {
			in_deps = true;
		} else if (in_deps) {
			const char *name = text + strspn(text, " \t");
			size_t n = strcspn(name, " \t\\\n");

			if (name < end && *name != '$' && n && !seen(name, n, arg))
				return;
		}
		in_deps = in_deps && len && end[-1] == '\\';
		text = end + (*end == '\n');
	}
}

char *cmdfile_object(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (*name != '.' || !str_ends(name, ".cmd") || strlen(name) <= strlen("..cmd"))
		return NULL;
	return str_printf("%.*s%.*s", (int)(name - path), path,
			  (int)(strlen(name) - strlen("..cmd")), name + 1);
}

char *cmdfile_of(const char *object)
{
	const char *slash = strrchr(object, '/');
	const char *name = slash ? slash + 1 : object;

	return str_printf("%.*s.%s.cmd", (int)(name - object), object, name);
}

static bool take_cmd(const char *path, const char *name, void *arg)
{
	if (*name == '.' && str_ends(name, ".cmd"))
		strv_add(arg, path);
	return true;
}

int cmdfile_find(const char *dir, struct strv *ret, struct err *err)
{
	return walk_files(dir, take_cmd, ret, err);
}

void nameset_deinit(struct nameset *s)
{
	strv_deinit(&s->names);
	free(s->slots);
	*s = (struct nameset){ 0 };
}

/* FNV-1a: names are short, and whoever writes one that collides slows down only his own build. */
static uint32_t hash_of(const char *name, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)name[i]) * 16777619u;
	return h;
}

/* The slot that holds a name, or the free one where it belongs. */
static uint32_t *slot_of(const struct nameset *s, const char *name, size_t len)
{
	size_t i = hash_of(name, len) & (s->n_slots - 1);

	for (; s->slots[i]; i = (i + 1) & (s->n_slots - 1)) {
		const char *is = s->names.items[s->slots[i] - 1];

		if (strncmp(is, name, len) == 0 && !is[len])
			break;
	}
	return &s->slots[i];
}

static void grow(struct nameset *s)
{
	free(s->slots);
	s->n_slots = s->n_slots ? 2 * s->n_slots : 8192;
	s->slots = xcalloc(s->n_slots, sizeof(*s->slots));
	for (size_t i = 0; i < s->names.n; i++) {
		const char *name = s->names.items[i];

		*slot_of(s, name, strlen(name)) = (uint32_t)i + 1;
	}
}

void nameset_add(struct nameset *s, const char *name, size_t len)
{
	uint32_t *slot;

	if (2 * s->names.n >= s->n_slots)
		grow(s);
	slot = slot_of(s, name, len);
	if (*slot)
		return;
	strv_take(&s->names, xstrndup(name, len));
	*slot = (uint32_t)s->names.n;
}
