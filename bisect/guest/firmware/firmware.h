/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The firmware a driver may ask the kernel for; inside the guest room only. */
#ifndef GUEST_FIRMWARE_H
#define GUEST_FIRMWARE_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct firmware_file {
	char *guest; /* "/firmware/amdgpu/..." */
	char *host;  /* maybe compressed */
};

/* Zero-initialised it is empty. */
struct firmware {
	struct firmware_file *items; /* sorted by name */
	size_t n;
	struct strv missing; /* names that are not on this machine: most are of other cards */
};

void firmware_deinit(struct firmware *f);

/**
 * firmware_find() - all that a module names
 * @modules: /lib/modules/RELEASE
 * @name:    module
 * @dir:     /lib/firmware; plain, xz and zstd are found
 * @err:     ERR_USAGE: no such module, or none of its firmware there, with what to install
 *
 * Source: the module's modinfo, `firmware=`.
 */
int firmware_find(const char *modules, const char *name, const char *dir, struct firmware *ret,
		  struct err *err);

#endif
