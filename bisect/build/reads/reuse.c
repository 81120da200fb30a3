// SPDX-License-Identifier: GPL-2.0-or-later
/* The last candidate's artifact once more: see reuse.h. */
#include "build/reads/reuse.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/cache/cache.h"
#include "build/reads/depends.h"
#include "build/unit.h"

#define NOTE_MAX 256

static bool add_stamp(const struct steps *s, const char *name, struct buf *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", s->tree->linux_dir, name);

	return fs_stamp(path, name, text);
}

static bool add_unit(const struct steps *s, struct buf *text)
{
	_cleanup_free_ char *driver =
		str_printf("%s/%s/amdgpu", s->tree->linux_dir, s->spec->driver);
	_cleanup_free_ char *unit = NULL;
	struct err ignored = { 0 };

	if (unit_find(driver, &unit, &ignored) < 0)
		return false;
	buf_printf(text, "unit %s\n", unit);
	return true;
}

/* @reads: the list of depends.h; false if something of it is gone */
static bool fingerprint(const struct steps *s, const struct inventory *now,
			const struct strv *reads, char ret[65])
{
	bool unit = s->spec->scope == BUILD_SCOPE_UNIT;
	_cleanup_buf_ struct buf text = { 0 };
	struct err ignored = { 0 };
	char config[65];

	if (!reads->n || fs_sha256_file(s->tree->config, config, &ignored) < 0 ||
	    (unit && !add_unit(s, &text)))
		return false;
	buf_printf(&text, "scope %s %d\nconfig %s\nmirror %s\nothers %s\n",
		   build_scope_name(s->spec->scope), s->spec->driver_module, config, s->mirror_hash,
		   s->surrounding);
	for (size_t i = 0; i < reads->n; i++)
		if (!add_stamp(s, reads->items[i], &text))
			return false;
	for (size_t i = 0; i < now->sources.n; i++)
		if (!unit || !str_ends(now->sources.items[i], ".c"))
			buf_printf(&text, "%s\n", now->sources.items[i]);
	fs_sha256_text(text.data, text.len, ret);
	return true;
}

static char *note_path(const struct steps *s)
{
	return str_printf("%s/reuse", s->tree->dir);
}

/* The key that a note names, if what it was made of is as it was then; false: it is not. */
static bool read_note(const struct steps *s, const struct inventory *now, const char *artifacts,
		      char key[65])
{
	_cleanup_free_ char *path = note_path(s);
	_cleanup_strv_ struct strv reads = { 0 };
	_cleanup_free_ char *note = NULL;
	struct err ignored = { 0 };
	char is[65];

	if (!fs_exists(path) || fs_read(path, NOTE_MAX, &note, NULL, &ignored) < 0 ||
	    strlen(note) != 64 + 1 + 64)
		return false;
	str_copy(key, 65, note + 65);
	return depends_load(artifacts, key, &reads, &ignored) == 0 &&
	       fingerprint(s, now, &reads, is) && memcmp(note, is, 64) == 0;
}

static int copy_into(const struct steps *s, const char *from, const char *name, struct err *err)
{
	_cleanup_free_ char *to = str_printf("%s/%s", s->out, name);

	return fs_copy(from, to, err);
}

int reuse_take(const struct steps *s, const struct inventory *now, const char *artifacts,
	       struct artifact *a, struct err *err)
{
	_cleanup_(artifact_deinit) struct artifact last = { 0 };
	_cleanup_free_ char *list = NULL;
	struct err ignored = { 0 };
	char key[65];

	if (!read_note(s, now, artifacts, key) ||
	    cache_load(artifacts, key, s->log, NULL, &last, &ignored) <= 0)
		return 0;
	list = str_printf("%s/%s/" DEPENDS_NAME, artifacts, key);
	if (copy_into(s, list, DEPENDS_NAME, err) < 0)
		return -1;
	for (size_t i = 0; i < last.n_modules; i++) {
		struct artifact_module *m = &a->modules[a->n_modules];
		_cleanup_free_ char *name = str_printf("%s.ko", last.modules[i].name);

		if (copy_into(s, last.modules[i].path, name, err) < 0)
			return -1;
		str_copy(m->name, sizeof(m->name), last.modules[i].name);
		a->n_modules++;
	}
	if (last.image && copy_into(s, last.image, STEPS_IMAGE, err) < 0)
		return -1;
	a->image = last.image ? xstrdup(STEPS_IMAGE) : NULL;
	return 1;
}

int reuse_note(const struct steps *s, const struct inventory *now, const struct artifact *a,
	       struct err *err)
{
	_cleanup_free_ char *path = note_path(s);
	_cleanup_strv_ struct strv reads = { 0 };
	_cleanup_free_ char *text = NULL;
	char is[65];

	/* the draft is where the list lies until it is stored */
	if (depends_load(s->out, ".", &reads, err) < 0)
		return -1;
	if (!fingerprint(s, now, &reads, is))
		return fs_remove_tree(path, err);
	text = str_printf("%s %s", is, a->key);
	return fs_write(path, text, strlen(text), err);
}
