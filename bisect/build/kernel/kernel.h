/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a kernel's pieces lie. Inner to the room; build_find() is the outside. */
#ifndef BUILD_KERNEL_H
#define BUILD_KERNEL_H

#include "base/err.h"
#include "base/str.h"
#include "build/build.h"
#include "build/kernel/version.h"

#define CONFIG_MAX_BYTES (4u << 20)

/** kernel_find_below() - build_find() with another root directory ("": the real one) */
int kernel_find_below(const char *root, struct build_kernel *k, struct err *err);

/* A source found under /usr/src. */
struct kernel_source {
	char *path;
	struct kversion version;
};

struct kernel_sources {
	struct kernel_source *items;
	size_t n;
};

/** kernel_sources_scan() - tarballs and trees named linux-source-*, one directory deep */
void kernel_sources_scan(const char *root, struct kernel_sources *ret);
void kernel_sources_deinit(struct kernel_sources *s);

/** kernel_releases_scan() - releases with a config or an image in /boot, newest first */
void kernel_releases_scan(const char *root, struct strv *ret);

#endif
