/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The packages of one kernel, unpacked without being installed. */
#ifndef BUILD_PACKAGE_H
#define BUILD_PACKAGE_H

#include "base/cap/cap.h"
#include "base/progress.h"
#include "build/build.h"

struct package_kernel {
	struct build_kernel kernel; /* its pieces, in the cache */
	char *version;		    /* of the packages: "6.1.192-3" */
	struct cap_hold *hold;	    /* as long as it is had, its pieces stay in the cache */
};
void package_kernel_deinit(struct package_kernel *k);

/**
 * package_open() - a kernel's pieces out of its packages, Debian's or RPM's
 * @where:     a directory with the packages of one kernel, or the one with its image among those of several
 * @cache_dir: they are unpacked below it, once, without what is not needed
 * @max_bytes: of the whole cache; unpacked kernels beyond a quarter of it are given up, those used longest ago first
 * @progress:  or NULL
 * @ret:       owned by the caller, package_kernel_deinit()
 * @err:       ERR_USAGE: which package is missing or damaged, or that there are several kernels; ERR_HOST;
 *             ERR_STOPPED
 *
 * Needed are, of one version, linux-image-RELEASE (config, image, modules; of Ubuntu also linux-modules-RELEASE),
 * linux-headers-RELEASE (Module.symvers) and linux-source-SERIES; or kernel-core, kernel-modules, kernel-devel and
 * the source package; or SUSE's kernel-default, kernel-default-devel and kernel-source. Which they are is told by
 * their names, which an RPM package's header must agree with.
 */
int package_open(const char *where, const char *cache_dir, uint64_t max_bytes,
		 struct progress *progress, struct package_kernel *ret, struct err *err);

/**
 * package_unpack() - what is needed of one package, below @root; inner to the room
 * @err: ERR_USAGE: damaged, or what no kernel's package is: names that lead elsewhere, a file twice, without end
 */
int package_unpack(const char *path, const char *root, struct err *err);

#endif
