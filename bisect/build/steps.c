// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is built of a candidate, by scope: see steps.h. steps_kernel.c holds scope kernel.
 *
 * The driver's directory is built as an external module (M=) although it lies in the tree: the
 * commands are the same, and Kbuild does not walk through `prepare` first, which takes longer than
 * the compiler. What guest-agent/mirror wants from its builder is in its README.
 */
#include "build/steps.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/make/mend.h"
#include "build/make/object.h"
#include "build/mirror.h"
#include "build/steps_kernel.h"
#include "build/steps_mirror.h"
#include "build/unit.h"

#define OBJECT_MAX_BYTES (64u << 20)

static char *amdgpu_dir(const struct steps *s)
{
	return str_printf("%s/%s/amdgpu", s->tree->linux_dir, s->spec->driver);
}

bool steps_links_unit(const struct build_spec *spec)
{
	return spec->scope == BUILD_SCOPE_UNIT ||
	       (spec->scope == BUILD_SCOPE_KERNEL && !spec->driver_module);
}

int steps_collect(const struct steps *s, const char *ko, const char *name, struct artifact *a,
		  struct err *err)
{
	_cleanup_(object_identity_deinit) struct object_identity id = { 0 };
	_cleanup_free_ char *to = str_printf("%s/%s.ko", s->out, name);
	_cleanup_free_ char *release = str_printf("%s ", s->spec->kernel->release);
	struct artifact_module *m = &a->modules[a->n_modules];

	if (!fs_exists(ko))
		return err_set(err, ERR_BUILD, "make succeeded without making %s.ko", name);
	if (a->n_modules == BUILD_MODULES_MAX)
		return err_set(err, ERR_USAGE,
			       "the driver wants more than %d modules; build some of them in, with "
			       "a config fragment",
			       BUILD_MODULES_MAX - 1);
	if (maker_strip(ko, to, s->log, err) < 0 || object_identity(to, &id, err) < 0)
		return -1;
	if (!str_starts(id.vermagic, release))
		return err_set(err, ERR_HOST,
			       "%s.ko is for '%s', not for %s: remove %s and try again", name,
			       id.vermagic, s->spec->kernel->release, s->tree->dir);
	str_copy(m->name, sizeof(m->name), name);
	a->n_modules++;
	return 0;
}

/* unit.o_shipped and stubs.c, rewritten only if they changed. */
static int put_unit(const struct symvers *symvers, const char *object, const char *dir,
		    struct err *err)
{
	_cleanup_strv_ struct strv undefined = { 0 };
	_cleanup_free_ char *stubs = NULL;
	_cleanup_free_ char *data = NULL;
	size_t len;

	if (object_undefined(object, &undefined, err) < 0 ||
	    fs_read(object, OBJECT_MAX_BYTES, &data, &len, err) < 0)
		return -1;
	stubs = unit_stubs(&undefined, symvers);
	if (mirror_put(dir, "unit.o_shipped", data, len, err) < 0)
		return -1;
	return mirror_put(dir, "stubs.c", stubs, strlen(stubs), err);
}

int steps_unit(const struct steps *s, const struct symvers *symvers, struct artifact *a,
	       struct err *err)
{
	_cleanup_free_ char *driver = amdgpu_dir(s);
	_cleanup_free_ char *dir = steps_mirror_dir(s);
	_cleanup_free_ char *m = str_printf("M=%s/amdgpu", s->spec->driver);
	_cleanup_free_ char *unit = NULL;
	_cleanup_free_ char *target = NULL;
	_cleanup_free_ char *object = NULL;

	if (unit_find(driver, &unit, err) < 0)
		return -1;
	target = str_printf("%s.o", unit);
	object = str_printf("%s/%s", driver, target);
	if (maker_run(s->maker, (const char *const[]){ m, target, NULL }, s->log, err) < 0)
		return -1;
	if (!fs_exists(object))
		return err_set(err, ERR_BUILD, "make succeeded without making %s", target);
	if (mirror_copy(s->spec->mirror, dir, err) < 0 || put_unit(symvers, object, dir, err) < 0)
		return -1;
	return steps_mirror_make(s, dir, a, err);
}

int steps_mirror(const struct steps *s, struct artifact *a, struct err *err)
{
	_cleanup_free_ char *dir = steps_mirror_dir(s);

	if (mirror_copy(s->spec->mirror, dir, err) < 0)
		return -1;
	return steps_mirror_make(s, dir, a, err);
}

static int make_module(const struct steps *s, struct artifact *a, struct err *err)
{
	_cleanup_free_ char *driver = amdgpu_dir(s);
	_cleanup_free_ char *m = str_printf("M=%s/amdgpu", s->spec->driver);
	_cleanup_free_ char *ko = str_printf("%s/amdgpu.ko", driver);

	/* A candidate whose Makefile makes no module must not be given the last one's. */
	unlink(ko);
	if (maker_run(s->maker, (const char *const[]){ m, "modules", NULL }, s->log, err) < 0 ||
	    steps_collect(s, ko, "amdgpu", a, err) < 0)
		return -1;
	return steps_mirror(s, a, err);
}

int steps_make(const struct steps *s, struct artifact *a, struct err *err)
{
	switch (s->spec->scope) {
	case BUILD_SCOPE_UNIT:
		return steps_unit(s, s->symvers, a, err);
	case BUILD_SCOPE_MODULE:
		return make_module(s, a, err);
	default:
		return steps_kernel(s, a, err);
	}
}

int steps_mend(const struct steps *s, struct err *err)
{
	bool all = s->spec->scope == BUILD_SCOPE_KERNEL;
	_cleanup_free_ char *dir = all ? xstrdup(s->tree->linux_dir)
				       : str_printf("%s/%s", s->tree->linux_dir, s->spec->driver);
	_cleanup_strv_ struct strv mirrors = { 0 };

	if (fs_is_dir(dir) && mend_objects(dir, err) < 0)
		return -1;
	if (all) {
		/* Linked, and then sorted and given its symbols in place: half of that looks finished. */
		_cleanup_free_ char *image = str_printf("%s/vmlinux", dir);

		if (unlink(image) < 0 && errno != ENOENT)
			return err_errno(err, ERR_HOST, "cannot remove %s", image);
	}
	if (steps_mirror_dirs(s, &mirrors, err) < 0)
		return -1;
	for (size_t i = 0; i < mirrors.n; i++)
		if (fs_remove_tree(mirrors.items[i], err) < 0)
			return -1;
	return 0;
}
