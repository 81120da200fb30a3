// SPDX-License-Identifier: GPL-2.0-or-later
/* See steps_mirror.h. */
#include "build/steps_mirror.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/reads/depends.h"
#include "build/reads/walk.h"

#define NOTE_MAX 256

static const char *form_name(const struct steps *s)
{
	return build_scope_name(steps_links_unit(s->spec) ? BUILD_SCOPE_UNIT : BUILD_SCOPE_MODULE);
}

char *steps_mirror_dir(const struct steps *s)
{
	_cleanup_free_ char *driver =
		str_printf("%s/%s/amdgpu", s->tree->linux_dir, s->spec->driver);
	_cleanup_free_ char *hmm = str_printf("%s/amdgpu_hmm.h", driver);
	_cleanup_free_ char *mn = str_printf("%s/amdgpu_mn.h", driver);

	return str_printf("%s/mirror-%s-%.8s%s%s", s->tree->dir, form_name(s), s->mirror_hash,
			  fs_exists(hmm) ? "-hmm" : "", fs_exists(mn) ? "-mn" : "");
}

int steps_mirror_dirs(const struct steps *s, struct strv *ret, struct err *err)
{
	_cleanup_closedir_ DIR *dir = opendir(s->tree->dir);
	struct dirent *e;

	if (!dir)
		return err_errno(err, ERR_HOST, "cannot read %s", s->tree->dir);
	while ((e = readdir(dir))) {
		_cleanup_free_ char *path = str_printf("%s/%s", s->tree->dir, e->d_name);

		if (str_starts(e->d_name, "mirror-") && fs_is_dir(path))
			strv_add(ret, path);
	}
	return 0;
}

static bool take_path(const char *path, const char *name, void *arg)
{
	(void)name;
	strv_add(arg, path);
	return true;
}

/*
 * All of its directory, outputs too: one that was removed is to be made. Then what its compilers read of
 * the tree, the symbols that modpost knows, the config, and Makefiles where those may vary.
 */
static bool fingerprint(const struct steps *s, const char *dir, char ret[65])
{
	_cleanup_free_ char *symvers = str_printf("%s/Module.symvers", s->tree->linux_dir);
	_cleanup_strv_ struct strv files = { 0 };
	_cleanup_strv_ struct strv reads = { 0 };
	_cleanup_buf_ struct buf text = { 0 };
	struct err ignored = { 0 };

	if (walk_files(dir, take_path, &files, &ignored) < 0 || !depends_of_mirror(s, &reads))
		return false;
	strv_sort_once(&files);
	for (size_t i = 0; i < files.n; i++)
		if (!fs_stamp(files.items[i], files.items[i], &text))
			return false;
	for (size_t i = 0; i < reads.n; i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", s->tree->linux_dir, reads.items[i]);

		if (!fs_stamp(path, path, &text))
			return false;
	}
	if (!fs_stamp(symvers, symvers, &text) ||
	    !fs_stamp(s->tree->config, s->tree->config, &text))
		return false;
	buf_printf(&text, "surrounding %s\n", s->surrounding);
	fs_sha256_text(text.data, text.len, ret);
	return true;
}

static bool is_made(const struct steps *s, const char *dir, const char *note)
{
	_cleanup_free_ char *was = NULL;
	struct err ignored = { 0 };
	char is[65];

	return fs_exists(note) && fs_read(note, NOTE_MAX, &was, NULL, &ignored) == 0 &&
	       fingerprint(s, dir, is) && strcmp(was, is) == 0;
}

int steps_mirror_make(const struct steps *s, const char *dir, struct artifact *a, struct err *err)
{
	_cleanup_free_ char *m = str_printf("M=%s", dir);
	_cleanup_free_ char *scope = str_printf("MIRROR_SCOPE=%s", form_name(s));
	_cleanup_free_ char *driver =
		str_printf("MIRROR_DRIVER=%s/%s", s->tree->linux_dir, s->spec->driver);
	_cleanup_free_ char *note = str_printf("%s.made", dir);
	_cleanup_free_ char *ko = str_printf("%s/mirror.ko", dir);
	char is[65];

	if (is_made(s, dir, note))
		return steps_collect(s, ko, "mirror", a, err);
	if (maker_run(s->maker, (const char *const[]){ m, scope, driver, "modules", NULL }, s->log,
		      err) < 0 ||
	    steps_collect(s, ko, "mirror", a, err) < 0)
		return -1;
	/* What it was made of is not known: then make is asked each time. */
	if (!fingerprint(s, dir, is))
		return fs_remove_tree(note, err);
	return fs_write(note, is, strlen(is), err);
}
