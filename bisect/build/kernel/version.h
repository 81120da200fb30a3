/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel versions: as a release, a source's Makefile, a config and a file's name write them. */
#ifndef BUILD_VERSION_H
#define BUILD_VERSION_H

#include <stdbool.h>
#include <stddef.h>

struct kversion {
	unsigned int version, patchlevel, sublevel; /* 6.1.192 */
	bool has_sublevel;
};

/** kversion_parse() - the leading "6.1.192" or "6.1" of a text; false if it begins otherwise */
bool kversion_parse(const char *text, struct kversion *ret);

/** kversion_of_name() - of a file's name ("linux-source-6.1.tar.xz", "linux-6.8.0/"), after a dash */
bool kversion_of_name(const char *path, struct kversion *ret);

/** kversion_of_makefile() - VERSION, PATCHLEVEL and SUBLEVEL of a kernel's top Makefile */
bool kversion_of_makefile(const char *text, struct kversion *ret);

/** kversion_of_config() - from "# Linux/x86 6.1.192 Kernel Configuration" */
bool kversion_of_config(const char *text, struct kversion *ret);

/** kversion_same_series() - true if VERSION.PATCHLEVEL agree */
bool kversion_same_series(const struct kversion *a, const struct kversion *b);

#endif
