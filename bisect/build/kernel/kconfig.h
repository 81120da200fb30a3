/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's Kconfig files: which there are, and what they define. */
#ifndef BUILD_KCONFIG_H
#define BUILD_KCONFIG_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/**
 * kconfig_files() - the files that a config was made from
 * @cmd: text of include/config/auto.conf.cmd
 * @ret: relative to the kernel's root, sorted; added
 * Source: deps_config in it, written by scripts/kconfig/confdata.c, conf_write_autoconf_cmd().
 */
void kconfig_files(const char *cmd, struct strv *ret);

/** kconfig_defines() - true if a Kconfig text has "config NAME" or "menuconfig NAME" */
bool kconfig_defines(const char *text, const char *option);

/**
 * kconfig_text() - all Kconfig files of a tree, one after the other
 * @ret: added
 */
int kconfig_text(const char *linux_dir, struct buf *ret, struct err *err);

#endif
