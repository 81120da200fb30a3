/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel a guest boots, made once; inside the guest room only. */
#ifndef GUEST_IMAGE_H
#define GUEST_IMAGE_H

#include "base/err.h"
#include "base/str.h"

/**
 * image_extract() - a kernel image in any form to the ELF that the PVH entry takes
 * @path: bzImage, or vmlinux, plain or compressed; for messages too
 * @ret:  appended to: ELF header, program headers and segments; no sections, no debug information
 * @err:  ERR_USAGE: no kernel, cut short, or built without CONFIG_PVH
 *
 * Source: Documentation/arch/x86/boot.rst (payload_offset, payload_length);
 * XEN_ELFNOTE_PHYS32_ENTRY, include/xen/interface/elfnote.h.
 */
int image_extract(const char *path, struct buf *ret, struct err *err);

/**
 * image_make() - the same into the cache, unless it is there
 * @ret: path of the vmlinux, owned by the caller
 */
int image_make(const char *path, const char *cache_dir, char **ret, struct err *err);

/**
 * image_check() - can a candidate's own vmlinux be booted as it lies there?
 * @err: ERR_BOOT: no x86-64 kernel, cut short, or built without CONFIG_PVH, which is the candidate's own
 *       fault; ERR_HOST: it cannot be read
 */
int image_check(const char *path, struct err *err);

#endif
