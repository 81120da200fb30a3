// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which RPM packages a kernel comes in: see names.h. Red Hat's have an image without the driver (kernel-core) and
 * its modules apart, and the source as a source package. SUSE's have both in one (kernel-default), and the source as
 * a tree (kernel-source).
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "build/package/names.h"
#include "build/package/rpm.h"

/* What others are named after: "kernel", "kernel-rt", "kernel-default". */
struct image {
	struct rpm_name is;
	char stem[RPM_TEXT_MAX];
	bool core; /* its modules are apart */
};

/* Those of SUSE; "kernel" alone is that of Amazon and openEuler, and Red Hat's name for others. */
static const char *const flavours[] = { "kernel",	   "kernel-default",  "kernel-azure",
					"kernel-kvmsmall", "kernel-longterm", "kernel-preempt",
					"kernel-vanilla",  "kernel-rt",	      "kernel-64kb" };

static bool same_version(const struct rpm_name *a, const struct rpm_name *b)
{
	return strcmp(a->version, b->version) == 0 && strcmp(a->release, b->release) == 0;
}

/* SUSE counts each package's builds of one version apart, behind the last dot. */
static bool same_but_for_count(const struct rpm_name *a, const struct rpm_name *b)
{
	const char *x = strrchr(a->release, '.'), *y = strrchr(b->release, '.');

	return x && y && x - a->release == y - b->release && strcmp(a->version, b->version) == 0 &&
	       strncmp(a->release, b->release, (size_t)(x - a->release)) == 0;
}

static bool parse_image(const char *file, struct image *ret)
{
	struct image i = { 0 };

	if (!rpm_parse_name(file, &i.is) || strcmp(i.is.arch, "src") == 0)
		return false;
	strcpy(i.stem, i.is.name);
	i.core = (str_starts(i.stem, "kernel-") && str_ends(i.stem, "-core") &&
		  !str_ends(i.stem, "-modules-core"));
	if (i.core)
		i.stem[strlen(i.stem) - strlen("-core")] = '\0';
	for (size_t f = 0; f < ARRAY_SIZE(flavours) && !i.core; f++)
		if (strcmp(i.stem, flavours[f]) == 0) {
			*ret = i;
			return true;
		}
	*ret = i;
	return i.core;
}

/* Where there is a -core, what is named without it only brings others along. */
static bool has_core(const struct strv *names, const struct image *i)
{
	struct image other;

	for (size_t n = 0; n < names->n && !i->core; n++)
		if (parse_image(names->items[n], &other) && other.core &&
		    strcmp(other.stem, i->stem) == 0 && same_version(&other.is, &i->is) &&
		    strcmp(other.is.arch, i->is.arch) == 0)
			return true;
	return false;
}

/* Return: 1 found, 0 there is none, -1. */
static int find_image(const char *dir, const struct strv *names, const char *file,
		      struct image *ret, struct err *err)
{
	struct image other;
	bool found = false;

	if (file)
		return parse_image(file, ret) && !has_core(names, ret)
			       ? 1
			       : err_set(err, ERR_USAGE,
					 "%s/%s holds no kernel's image by its name; name "
					 "kernel-core-VERSION.rpm, or SUSE's "
					 "kernel-default-VERSION.rpm",
					 dir, file);
	for (size_t i = 0; i < names->n; i++) {
		if (!parse_image(names->items[i], &other) || has_core(names, &other))
			continue;
		if (found)
			return err_set(
				err, ERR_USAGE,
				"%s has several kernels, %s-%s-%s and %s-%s-%s; name one by its %s",
				dir, ret->is.name, ret->is.version, ret->is.release, other.is.name,
				other.is.version, other.is.release,
				ret->core ? "kernel-core" : "package with the image");
		*ret = other;
		found = true;
	}
	return found;
}

/* Return: how many of that name are of the image's version, of which one is added. */
static size_t look_for(const char *dir, const struct strv *names, const struct image *image,
		       const char *name, const char *arch,
		       bool (*same)(const struct rpm_name *, const struct rpm_name *),
		       struct strv *ret)
{
	size_t found = 0;
	struct rpm_name n;

	for (size_t i = 0; i < names->n; i++)
		if (rpm_parse_name(names->items[i], &n) && strcmp(n.name, name) == 0 &&
		    strcmp(n.arch, arch) == 0 && same(&n, &image->is) && !found++)
			strv_addf(ret, "%s/%s", dir, names->items[i]);
	return found;
}

static int add(const char *dir, const struct strv *names, const struct image *image,
	       const char *name, const char *arch, struct strv *ret, struct err *err)
{
	size_t found = look_for(dir, names, image, name, arch, same_version, ret);

	if (!found && !image->core)
		found = look_for(dir, names, image, name, arch, same_but_for_count, ret);
	return found > 1 ? err_set(err, ERR_USAGE, "%s has several %s of version %s-%s", dir, name,
				   image->is.version, image->is.release)
			 : (int)found;
}

static int lacks(const char *dir, const struct image *image, const char *what, struct err *err)
{
	return err_set(err, ERR_USAGE,
		       "%s lacks %s of version %s-%s; all packages of a kernel must lie together",
		       dir, what, image->is.version, image->is.release);
}

/* All but the source. */
static int add_binary(const char *dir, const struct strv *names, const struct image *image,
		      struct strv *ret, struct err *err)
{
	static const struct {
		const char *suffix;
		bool of_core, of_other, may_lack;
	} wanted[] = {
		{ "-core", true, false, false },	 { "", false, true, false },
		{ "-modules", true, false, false },	 { "-modules-core", true, false, true },
		{ "-modules-extra", true, false, true }, { "-extra", false, true, true },
		{ "-optional", false, true, true },	 { "-devel", true, true, false }
	};

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		_cleanup_free_ char *name = str_printf("%s%s", image->stem, wanted[i].suffix);
		_cleanup_free_ char *file = str_printf("%s-*.%s.rpm", name, image->is.arch);
		int found;

		if (!(image->core ? wanted[i].of_core : wanted[i].of_other))
			continue;
		found = add(dir, names, image, name, image->is.arch, ret, err);
		if (found < 0)
			return -1;
		if (!found && !wanted[i].may_lack)
			return lacks(dir, image, file, err);
	}
	return 0;
}

/* A tree in a package of any architecture, beside which SUSE's source packages have nothing; or a source package. */
static int add_source(const char *dir, const struct strv *names, const struct image *image,
		      struct strv *ret, struct err *err)
{
	const struct {
		const char *name, *arch;
	} places[] = { { "kernel-source", "noarch" },
		       { "kernel-source", image->is.arch },
		       { image->stem, "src" },
		       { "kernel", "src" } };
	int found = 0;

	for (size_t i = 0; i < ARRAY_SIZE(places) && !found; i++)
		found = add(dir, names, image, places[i].name, places[i].arch, ret, err);
	if (!found)
		return lacks(dir, image, image->core ? "kernel-*.src.rpm" : "kernel-source-*.rpm",
			     err);
	return found < 0 ? -1 : 0;
}

int rpm_find(const char *dir, const struct strv *names, const char *image, struct package_set *ret,
	     struct err *err)
{
	_cleanup_(package_set_deinit) struct package_set s = { 0 };
	struct image i = { 0 };
	int found = find_image(dir, names, image, &i, err);

	if (found <= 0)
		return found;
	if (add_binary(dir, names, &i, &s.files, err) < 0 ||
	    add_source(dir, names, &i, &s.files, err) < 0)
		return -1;
	s.version = str_printf("%s-%s", i.is.version, i.is.release);
	*ret = s;
	s = (struct package_set){ 0 };
	return 1;
}
