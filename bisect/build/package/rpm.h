/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RPM packages: what a header says, and what of a package is a kernel's. Inner to the room. */
#ifndef BUILD_RPM_H
#define BUILD_RPM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define RPM_TEXT_MAX 128

/* NAME-VERSION-RELEASE.ARCH, of a file's name or of a header. */
struct rpm_name {
	char name[RPM_TEXT_MAX];
	char version[RPM_TEXT_MAX];
	char release[RPM_TEXT_MAX];
	char arch[RPM_TEXT_MAX]; /* "src" for a source package */
};

/** rpm_is() - does a file begin like an RPM package? */
bool rpm_is(const char *path);

/** rpm_parse_name() - of NAME-VERSION-RELEASE.ARCH.rpm; false for any other */
bool rpm_parse_name(const char *file, struct rpm_name *ret);

/**
 * rpm_read_header() - what a package says of itself
 * @err: ERR_USAGE: it is none, or damaged, which is named
 *
 * Source: the format of RPM 4: a lead of 96 bytes, a header of signatures, a header of tags. Any text of it
 * is printable when it is given back.
 */
int rpm_read_header(const char *path, struct rpm_name *ret, struct err *err);

/** rpm_check_name() - what a package is named is what its header says; ERR_USAGE otherwise */
int rpm_check_name(const char *path, struct err *err);

/**
 * rpm_wanted() - where a file of a package is unpacked to, below the root; NULL: it is not needed
 * @path: its name in the package, without a leading "/" or "./" or /usr before /lib
 *
 * Owned by the caller. What lies elsewhere than in a Debian package goes to where kernel_find_below() looks.
 */
char *rpm_wanted(const struct rpm_name *package, const char *path);

/** rpm_is_patch() - is it a patch of a source package, of which only the tarball is taken? */
bool rpm_is_patch(const struct rpm_name *package, const char *path);

#endif
