// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A candidate's modules, by scope: see steps.h.
 *
 * The driver's directory is built as an external module (M=) although it lies in the tree: the
 * commands are the same, and Kbuild does not walk through `prepare` first, which takes longer than
 * the compiler. What guest-agent/mirror wants from its builder is in its README.
 */
#include "build/steps.h"

#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "build/make/mend.h"
#include "build/mirror.h"
#include "build/make/object.h"
#include "build/unit.h"

#define OBJECT_MAX_BYTES (64u << 20)

static char *amdgpu_dir(const struct steps *s)
{
	return str_printf("%s/%s/amdgpu", s->tree->linux_dir, s->spec->driver);
}

char *steps_mirror_dir(const struct steps *s)
{
	_cleanup_free_ char *driver = amdgpu_dir(s);
	_cleanup_free_ char *hmm = str_printf("%s/amdgpu_hmm.h", driver);
	_cleanup_free_ char *mn = str_printf("%s/amdgpu_mn.h", driver);

	return str_printf("%s/mirror-%s-%.8s%s%s", s->tree->dir, build_scope_name(s->spec->scope),
			  s->mirror_hash, fs_exists(hmm) ? "-hmm" : "", fs_exists(mn) ? "-mn" : "");
}

static int collect(const struct steps *s, const char *from, const char *name, struct artifact *a,
		   struct err *err)
{
	_cleanup_(object_identity_deinit) struct object_identity id = { 0 };
	_cleanup_free_ char *ko = str_printf("%s/%s.ko", from, name);
	_cleanup_free_ char *to = str_printf("%s/%s.ko", s->out, name);
	_cleanup_free_ char *release = str_printf("%s ", s->spec->kernel->release);
	struct artifact_module *m = &a->modules[a->n_modules];

	if (!fs_exists(ko))
		return err_set(err, ERR_BUILD, "make succeeded without making %s.ko", name);
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

static int make_mirror(const struct steps *s, const char *dir, struct artifact *a, struct err *err)
{
	_cleanup_free_ char *m = str_printf("M=%s", dir);
	_cleanup_free_ char *scope =
		str_printf("MIRROR_SCOPE=%s", build_scope_name(s->spec->scope));
	_cleanup_free_ char *driver =
		str_printf("MIRROR_DRIVER=%s/%s", s->tree->linux_dir, s->spec->driver);

	if (maker_run(s->maker, (const char *const[]){ m, scope, driver, "modules", NULL }, s->log,
		      err) < 0)
		return -1;
	return collect(s, dir, "mirror", a, err);
}

/* unit.o_shipped and stubs.c, rewritten only if they changed. */
static int put_unit(const struct steps *s, const char *object, const char *dir, struct err *err)
{
	_cleanup_strv_ struct strv undefined = { 0 };
	_cleanup_free_ char *stubs = NULL;
	_cleanup_free_ char *data = NULL;
	size_t len;

	if (object_undefined(object, &undefined, err) < 0 ||
	    fs_read(object, OBJECT_MAX_BYTES, &data, &len, err) < 0)
		return -1;
	stubs = unit_stubs(&undefined, s->symvers);
	if (mirror_put(dir, "unit.o_shipped", data, len, err) < 0)
		return -1;
	return mirror_put(dir, "stubs.c", stubs, strlen(stubs), err);
}

static int make_unit(const struct steps *s, struct artifact *a, struct err *err)
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
	/* Always compiled: a new header that hides another of its name is nothing make would see. */
	unlink(object);
	if (maker_run(s->maker, (const char *const[]){ m, target, NULL }, s->log, err) < 0)
		return -1;
	if (!fs_exists(object))
		return err_set(err, ERR_BUILD, "make succeeded without making %s", target);
	if (mirror_copy(s->spec->mirror, dir, err) < 0 || put_unit(s, object, dir, err) < 0)
		return -1;
	return make_mirror(s, dir, a, err);
}

static int make_module(const struct steps *s, struct artifact *a, struct err *err)
{
	_cleanup_free_ char *driver = amdgpu_dir(s);
	_cleanup_free_ char *dir = steps_mirror_dir(s);
	_cleanup_free_ char *m = str_printf("M=%s/amdgpu", s->spec->driver);
	_cleanup_free_ char *last = str_printf("%s/amdgpu.ko", driver);

	/* A candidate whose Makefile makes no module must not be given the last one's. */
	unlink(last);
	if (maker_run(s->maker, (const char *const[]){ m, "modules", NULL }, s->log, err) < 0 ||
	    collect(s, driver, "amdgpu", a, err) < 0 || mirror_copy(s->spec->mirror, dir, err) < 0)
		return -1;
	return make_mirror(s, dir, a, err);
}

int steps_make(const struct steps *s, struct artifact *a, struct err *err)
{
	return s->spec->scope == BUILD_SCOPE_UNIT ? make_unit(s, a, err) : make_module(s, a, err);
}

int steps_mend(const struct steps *s, struct err *err)
{
	_cleanup_free_ char *driver = str_printf("%s/%s", s->tree->linux_dir, s->spec->driver);
	_cleanup_free_ char *dir = steps_mirror_dir(s);

	if (fs_is_dir(driver) && mend_objects(driver, err) < 0)
		return -1;
	return fs_remove_tree(dir, err);
}
