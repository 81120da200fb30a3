// SPDX-License-Identifier: GPL-2.0-or-later
/* Before a run is stored: what it was given, so that it can go on without it. See inputs.h. */
#include "controller/kept/inputs.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/build.h"
#include "paths.h"
#include "range/patch/patch.h"
#include "range/range.h"

int inputs_check(const struct options *o, const char *repo, struct err *err)
{
	const struct strv *apply = options_list(o, OPT_APPLY);
	const struct strv *fragments = options_list(o, OPT_FRAGMENT);
	const struct strv *compilers = options_list(o, OPT_COMPILER);
	const struct strv *paths = options_list(o, OPT_PATH);
	_cleanup_(patches_destroy_p) struct patches *patches = NULL;
	bool whole;

	for (size_t i = 0; i < fragments->n; i++)
		if (!fs_exists(fragments->items[i]) || fs_is_dir(fragments->items[i]))
			return err_set(err, ERR_USAGE,
				       "--fragment %s: no such file; name one with lines such as "
				       "CONFIG_X=y",
				       fragments->items[i]);
	for (size_t i = 0; i < compilers->n; i++)
		if (build_compiler_check(compilers->items[i], err) < 0)
			return -1;
	if (!apply->n)
		return 0;
	if (patches_open(repo, (const char *const *)apply->items, apply->n, &patches, err) < 0)
		return -1;
	whole = strcmp(options_str(o, OPT_TREE), "whole") == 0;
	return patches_check_paths(patches, (const char *const *)paths->items, whole ? 0 : paths->n,
				   err);
}

/* Where the conditions begin, or the end. */
static const char *conditions_of(const char *text)
{
	const char *a = strstr(text, " if-has "), *b = strstr(text, " unless-has ");

	if (!a || (b && b < a))
		a = b;
	return a ? a : text + strlen(text);
}

/* DIR/inputs/@what/NAME; owned by the caller */
static int copy(const char *dir, const char *what, const char *path, char **ret, struct err *err)
{
	const char *slash = strrchr(path, '/');
	_cleanup_free_ char *in = str_printf("%s/inputs/%s", dir, what);
	_cleanup_free_ char *to = str_printf("%s/%s", in, slash ? slash + 1 : path);

	if (fs_mkdirs(in, err) < 0 || fs_copy(path, to, err) < 0)
		return -1;
	*ret = take_ptr(to);
	return 0;
}

static bool is_file(const char *path)
{
	return fs_exists(path) && !fs_is_dir(path);
}

/* "if-has v6.2" by full ids: a branch moves. */
static int pin_conditions(const char *repo, const char *text, struct buf *ret, struct err *err)
{
	_cleanup_free_ char *copied = xstrdup(text);
	char *save = NULL;

	for (char *w = strtok_r(copied, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		char id[COMMIT_ID_SIZE];

		if (strcmp(w, "if-has") == 0 || strcmp(w, "unless-has") == 0) {
			buf_printf(ret, " %s", w);
			continue;
		}
		if (range_resolve(repo, w, id, err) < 0)
			return err_prefix(err, "--apply %s", text);
		buf_printf(ret, " %s", id);
	}
	return 0;
}

static int keep_patch(const char *dir, const char *repo, const char *text, size_t n, char **ret,
		      struct err *err)
{
	const char *conditions = conditions_of(text);
	_cleanup_free_ char *name = xstrndup(text, (size_t)(conditions - text));
	_cleanup_free_ char *what = str_printf("apply-%zu", n);
	_cleanup_free_ char *kept = NULL;
	_cleanup_buf_ struct buf b = { 0 };
	char id[COMMIT_ID_SIZE];

	if (is_file(name) ? copy(dir, what, name, &kept, err) < 0
			  : range_resolve(repo, name, id, err) < 0)
		return err_prefix(err, "--apply %s", text);
	buf_puts(&b, kept ? kept : id);
	if (pin_conditions(repo, conditions, &b, err) < 0)
		return -1;
	*ret = buf_take(&b);
	return 0;
}

/* Other values in the place of those that are there, from where they came. */
static int replace(struct options *o, enum option id, struct strv *values, struct err *err)
{
	enum option_origin origin = o->o[id].origin;

	strv_deinit(&o->o[id].values);
	for (size_t i = 0; i < values->n; i++)
		if (options_set(o, options_key(id), values->items[i], origin, err) < 0)
			return -1;
	return 0;
}

static int keep_patches(struct options *o, struct store *s, const char *dir, const char *repo,
			struct err *err)
{
	const struct strv *given = options_list(o, OPT_APPLY);
	_cleanup_strv_ struct strv kept = { 0 };

	for (size_t i = 0; i < given->n; i++) {
		_cleanup_free_ char *key = str_printf("build.apply.%zu", i);
		char *text = NULL;

		if (keep_patch(dir, repo, given->items[i], i, &text, err) < 0)
			return -1;
		strv_take(&kept, text);
		if (store_set(s, key, given->items[i], err) < 0)
			return -1;
	}
	return replace(o, OPT_APPLY, &kept, err);
}

static int keep_files(struct options *o, enum option id, const char *what, const char *dir,
		      struct err *err)
{
	const struct strv *given = options_list(o, id);
	_cleanup_strv_ struct strv kept = { 0 };

	for (size_t i = 0; i < given->n; i++) {
		_cleanup_free_ char *in = str_printf("%s-%zu", what, i);
		char *path = NULL;

		if (copy(dir, in, given->items[i], &path, err) < 0)
			return -1;
		strv_take(&kept, path);
	}
	return replace(o, id, &kept, err);
}

/* Of files that are too large to be copied: where they lie, from whatever directory one resumes. */
static int keep_places(struct options *o, enum option id, struct err *err)
{
	const struct strv *given = options_list(o, id);
	_cleanup_strv_ struct strv whole = { 0 };

	for (size_t i = 0; i < given->n; i++)
		strv_take(&whole, path_absolute(given->items[i]));
	return given->n ? replace(o, id, &whole, err) : 0;
}

/* What says how, and names no place. */
static bool is_word(const char *value)
{
	return strcmp(value, "auto") == 0 || strcmp(value, "off") == 0;
}

int inputs_keep(struct options *o, struct store *s, const char *dir, const char *repo,
		struct err *err)
{
	static const enum option named[] = { OPT_SOURCE, OPT_SYMVERS,	  OPT_IMAGE,	OPT_MODULES,
					     OPT_AGENT,	 OPT_RUNTIME_DIR, OPT_FIRMWARE, OPT_DISK };

	for (size_t i = 0; i < ARRAY_SIZE(named); i++) {
		_cleanup_strv_ struct strv whole = { 0 };

		if (!options_str(o, named[i]) ||
		    (named[i] == OPT_FIRMWARE && is_word(options_str(o, named[i]))))
			continue;
		strv_take(&whole, path_absolute(options_str(o, named[i])));
		if (replace(o, named[i], &whole, err) < 0)
			return -1;
	}
	if (keep_places(o, OPT_RUNTIME_DEB, err) < 0 || keep_patches(o, s, dir, repo, err) < 0 ||
	    keep_files(o, OPT_FRAGMENT, "fragment", dir, err) < 0 ||
	    keep_files(o, OPT_PACK, "pack", dir, err) < 0)
		return -1;
	/* Not one that lies in the guest. */
	if (options_str(o, OPT_EXEC) && is_file(options_str(o, OPT_EXEC)) &&
	    keep_files(o, OPT_EXEC, "exec", dir, err) < 0)
		return -1;
	return keep_files(o, OPT_KCONFIG, "kconfig", dir, err);
}
