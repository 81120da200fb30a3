/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The small guest's file system (vm-images/README.md); inside the guest room only. */
#ifndef GUEST_INITRAMFS_H
#define GUEST_INITRAMFS_H

#include "base/err.h"
#include "guest/guest.h"
#include "guest/image/modules.h"

/**
 * initramfs_boot_names() - what the agent inserts before anything else, by name, for modules_resolve()
 * @ret: added to: the channel's drivers, the watchdog's if the kernel has it ("-NAME"), those of the
 *       disks that this guest gets
 */
void initramfs_boot_names(const struct guest_spec *spec, struct strv *ret);

/**
 * initramfs_make() - agent, probes, their libraries and the modules as one cpio, unless cached
 * @spec:    agent, probes; its pack is in @modules already
 * @modules: in load order
 * @dir:     cache directory, made before
 * @ret:     path, owned by the caller
 * @err:     ERR_USAGE: a program or library that is not there; ERR_HOST: disk
 */
int initramfs_make(const struct guest_spec *spec, const struct modules *modules, const char *dir,
		   char **ret, struct err *err);

#endif
