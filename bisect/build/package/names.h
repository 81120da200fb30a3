/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which packages of a directory are those of one kernel. Inner to the room. */
#ifndef BUILD_PACKAGE_NAMES_H
#define BUILD_PACKAGE_NAMES_H

#include "base/err.h"
#include "base/str.h"

/* The packages of one kernel. Zero-initialised it is empty. */
struct package_set {
	struct strv files; /* their paths */
	char *release;	   /* as the kernel says it, or NULL: the names do not tell */
	char *version;	   /* of the packages */
};
void package_set_deinit(struct package_set *s);

/**
 * deb_find(), rpm_find() - the packages of one kernel
 * @dir:   where they lie
 * @names: all files there
 * @image: the name of the kernel's image among @names, or NULL: the only one there is
 * @ret:   written if found
 * @err:   ERR_USAGE: @image is none, there are several, or a package is missing
 *
 * Return: 1 found, 0 there is no image, -1.
 */
int deb_find(const char *dir, const struct strv *names, const char *image, struct package_set *ret,
	     struct err *err);
int rpm_find(const char *dir, const struct strv *names, const char *image, struct package_set *ret,
	     struct err *err);

#endif
