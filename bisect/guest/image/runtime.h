/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The HIP runtime and the firmware for a small guest; inside the guest room only. */
#ifndef GUEST_RUNTIME_H
#define GUEST_RUNTIME_H

#include <stdbool.h>

#include "base/err.h"
#include "guest/guest.h"

#define RUNTIME_SERIAL \
	"amdgpu-bisect-rt" /* of its disk, by which the agent knows it; 20 bytes at most */

/** runtime_wanted() - does the spec ask for any of it? */
bool runtime_wanted(const struct guest_spec *spec);

/**
 * runtime_make() - what spec->runtime asks for as one squashfs, unless it is in the cache
 * @dir: cache directory, made before
 * @ret: path, owned by the caller; NULL if nothing was asked for
 * @err: ERR_USAGE: no runtime there, a library that is not found, no firmware, no mksquashfs or
 *       dpkg-deb, each with what to do; ERR_HOST: disk
 *
 * In it: /lib/NAME, libamdhip64 and libamd_comgr with all they need but the C library, which is the
 * initramfs'; /firmware/NAME, plain. Beside it: its manifest.
 */
int runtime_make(const struct guest_spec *spec, const char *dir, char **ret, struct err *err);

#endif
