// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo chooses which files it edits. */
#include <ctype.h>
#include <string.h>

#include "demo/history.h"
#include "demo/prng.h"

/*
 * Few enough and small enough that scope `module` compiles what differs between any two commits in
 * seconds; no headers, because one of amdgpu's may cost the whole module.
 */
#define FILES_MAX      40
#define FILE_BYTES_MAX (64u << 10)

/* Where the function has lived: amdgpu_mn.c to 6.3, amdgpu_hmm.c since. */
static const char *const unit_files[] = { "amdgpu/amdgpu_hmm.c", "amdgpu/amdgpu_mn.c" };

static int add_unit(const struct demo_spec *spec, const struct base *base, struct author *author,
		    struct edits *ret, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(unit_files); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", spec->driver, unit_files[i]);
		const struct author_file *file = base_find(base, path);
		_cleanup_free_ char *text = NULL;
		size_t len;

		if (!file)
			continue;
		if (author_read(author, file->id, &text, &len, err))
			return -1;
		if (unit_has_function(text, len))
			return edits_add_file(ret, path, take_ptr(text), len, err) < 0 ? -1 : 0;
	}
	return err_set(err, ERR_USAGE,
		       "%s: looked for amdgpu_hmm_range_get_pages() in %s/%s and %s, and it is in "
		       "neither; choose another kernel with --source",
		       spec->source, spec->driver, unit_files[0], unit_files[1]);
}

/* The folder's Makefile names the object that a source file becomes. */
static bool is_listed(const char *makefile, const char *object)
{
	size_t len = strlen(object);

	for (const char *at = makefile; (at = strstr(at, object)); at += len) {
		bool starts = at == makefile ||
			      (!isalnum((unsigned char)at[-1]) && at[-1] != '_' && at[-1] != '-');

		if (starts && (isspace((unsigned char)at[len]) || !at[len]))
			return true;
	}
	return false;
}

/* 1: the driver is built with this file; 0: it may not be. */
static int is_compiled(const struct base *base, struct author *author, const char *path,
		       struct err *err)
{
	const char *name = strrchr(path, '/');
	_cleanup_free_ char *makefile = str_printf("%.*s/Makefile", (int)(name - path), path);
	_cleanup_free_ char *object = str_printf("%.*s.o", (int)strlen(name + 1) - 2, name + 1);
	const struct author_file *file = base_find(base, makefile);
	_cleanup_free_ char *text = NULL;
	size_t len;

	if (!file)
		return 0;
	if (author_read(author, file->id, &text, &len, err))
		return -1;
	return is_listed(text, object);
}

static int try_file(const struct base *base, struct author *author, const struct author_file *file,
		    struct edits *ret, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	int compiled = is_compiled(base, author, file->path, err);
	size_t len;

	if (compiled <= 0)
		return compiled;
	if (author_read(author, file->id, &text, &len, err))
		return -1;
	if (len > FILE_BYTES_MAX)
		return 0;
	return edits_add_file(ret, file->path, take_ptr(text), len, err);
}

/* Last of all, so that the driver's files are drawn as they are without these. */
static int add_core(const struct demo_spec *spec, const struct base *base, struct edits *ret,
		    struct err *err)
{
	for (size_t i = 0; i < DEMO_CORE_FILES && base->core[i].text; i++) {
		char *text = xstrdup(base->core[i].text);
		int r = edits_add_core(ret, demo_core_files[i], text, base->core[i].len, err);

		if (r == 0)
			return err_set(err, ERR_USAGE,
				       "%s: looked for definitions set off by blank lines in %s; "
				       "leave --touch-core out",
				       spec->source, demo_core_files[i]);
		if (r < 0)
			return -1;
	}
	return 0;
}

int history_files(const struct demo_spec *spec, const struct base *base, struct author *author,
		  struct edits *ret, struct err *err)
{
	_cleanup_free_ uint32_t *order = xcalloc(base->n, sizeof(*order));
	struct prng rnd = { .state = spec->seed ^ UINT64_C(0x66696c65732e2e2e) };
	uint32_t n = 0;

	if (add_unit(spec, base, author, ret, err))
		return -1;
	ret->unit.culprit = spec->culprit;
	for (uint32_t i = 0; i < base->n; i++) {
		const struct author_file *f = &base->files[i];

		if (f->mode != 0120000 && str_ends(f->path, ".c") && strchr(f->path, '/') &&
		    strcmp(f->path, ret->files[0].path) != 0)
			order[n++] = i;
	}
	for (; n > 0 && ret->n_files <= FILES_MAX; n--) {
		uint32_t at = prng_below(&rnd, n);

		if (try_file(base, author, &base->files[order[at]], ret, err) < 0)
			return -1;
		order[at] = order[n - 1];
	}
	return add_core(spec, base, ret, err);
}
