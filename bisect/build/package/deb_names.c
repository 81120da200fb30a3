// SPDX-License-Identifier: GPL-2.0-or-later
/* Which Debian packages a kernel comes in, told by their names: see names.h. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "build/kernel/version.h"
#include "build/package/names.h"

/* PACKAGE_VERSION_ARCHITECTURE.deb, and what of it is the kernel's release. */
struct image_name {
	char *release;
	char *version;
};

static void image_name_deinit(struct image_name *n)
{
	free(n->release);
	free(n->version);
}

static bool parse_image(const char *file, struct image_name *ret)
{
	static const char *const prefixes[] = { "linux-image-unsigned-", "linux-image-" };
	const char *version = strchr(file, '_');
	const char *end = version ? strchr(version + 1, '_') : NULL;

	if (!end || !str_ends(file, ".deb"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		const char *release = file + strlen(prefixes[i]);
		_cleanup_free_ char *name = NULL;
		struct kversion v;

		if (!str_starts(file, prefixes[i]) || release >= version)
			continue;
		name = xstrndup(release, (size_t)(version - release));
		/* linux-image-amd64 only names others, and a -dbg has no image. */
		if (str_ends(name, "-dbg") || !kversion_parse(name, &v))
			return false;
		ret->release = take_ptr(name);
		ret->version = xstrndup(version + 1, (size_t)(end - version - 1));
		return true;
	}
	return false;
}

/* Return: 1 found, 0 there is none, -1. */
static int find_image(const char *dir, const struct strv *names, const char *image,
		      struct image_name *ret, struct err *err)
{
	if (image)
		return parse_image(image, ret)
			       ? 1
			       : err_set(err, ERR_USAGE,
					 "%s/%s is no linux-image-RELEASE_VERSION_ARCHITECTURE.deb",
					 dir, image);
	for (size_t i = 0; i < names->n; i++) {
		_cleanup_(image_name_deinit) struct image_name other = { 0 };

		if (!ret->release) {
			parse_image(names->items[i], ret);
			continue;
		}
		/* The signed one beside the unsigned one is the same kernel. */
		if (parse_image(names->items[i], &other) &&
		    (strcmp(other.release, ret->release) != 0 ||
		     strcmp(other.version, ret->version) != 0))
			return err_set(
				err, ERR_USAGE,
				"%s has several kernels, %s and %s; name one by its linux-image",
				dir, ret->release, other.release);
	}
	return ret->release ? 1 : 0;
}

/* The packages of that version whose name begins so, up to the version or whatever follows. */
static size_t add_packages(const char *dir, const struct strv *names, const char *prefix,
			   const char *version, struct strv *ret)
{
	_cleanup_free_ char *middle = str_printf("_%s_", version);
	size_t n = 0;

	for (size_t i = 0; i < names->n; i++)
		if (str_starts(names->items[i], prefix) && strstr(names->items[i], middle) &&
		    str_ends(names->items[i], ".deb")) {
			strv_addf(ret, "%s/%s", dir, names->items[i]);
			n++;
		}
	return n;
}

static int find_packages(const char *dir, const struct strv *names, const struct image_name *image,
			 struct strv *ret, struct err *err)
{
	static const struct {
		const char *prefix;
		bool of_release, may_lack;
	} wanted[] = { { "linux-image-", true, true },	  { "linux-image-unsigned-", true, true },
		       { "linux-modules-", true, true },  { "linux-modules-extra-", true, true },
		       { "linux-headers-", true, false }, { "linux-source-", false, false } };

	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		_cleanup_free_ char *prefix =
			wanted[i].of_release ? str_printf("%s%s_", wanted[i].prefix, image->release)
					     : xstrdup(wanted[i].prefix);

		/* signed or not, the image is one file; one of the two is enough */
		if (i == 1 && ret->n)
			continue;
		if (!add_packages(dir, names, prefix, image->version, ret) && !wanted[i].may_lack)
			return err_set(
				err, ERR_USAGE,
				"%s lacks %s%s of version %s; all packages of a kernel must lie "
				"together",
				dir, prefix, wanted[i].of_release ? "*.deb" : "SERIES_*.deb",
				image->version);
	}
	return 0;
}

int deb_find(const char *dir, const struct strv *names, const char *image, struct package_set *ret,
	     struct err *err)
{
	_cleanup_(image_name_deinit) struct image_name n = { 0 };
	_cleanup_(package_set_deinit) struct package_set s = { 0 };
	int found = find_image(dir, names, image, &n, err);

	if (found <= 0)
		return found;
	if (find_packages(dir, names, &n, &s.files, err) < 0)
		return -1;
	s.release = take_ptr(n.release);
	s.version = take_ptr(n.version);
	*ret = s;
	s = (struct package_set){ 0 };
	return 1;
}
