/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disk guest's root: one base that is only read, an overlay for each guest. Inside the guest room only. */
#ifndef GUEST_DISK_H
#define GUEST_DISK_H

#include "base/err.h"
#include "base/str.h"

#define DISK_SERIAL "amdgpu-bisect-root" /* by which the agent knows it; 20 bytes at most */

/**
 * disk_base() - the file that overlays lie upon
 * @wanted: raw or qcow2, or NULL: of those that vm-images/disk-guest made in @dir the last used
 * @dir:    cache directory
 * @ret:    absolute, owned by the caller
 * @err:    ERR_USAGE: there is none, with how to make one
 */
int disk_base(const char *wanted, const char *dir, char **ret, struct err *err);

/**
 * disk_content() - what tells one content of a base from another
 * @ret: the digest that its manifest knows, or of a file of the user's its size and date; appended to
 * @err: ERR_HOST: it cannot be looked at
 */
int disk_content(const char *base, struct buf *ret, struct err *err);

/**
 * disk_check() - is the base what was made? Reads all of it; one without a manifest is taken as it is
 * @err: ERR_HOST: it is damaged, and how to get another
 */
int disk_check(const char *base, struct err *err);

/** disk_format() - of a base: "raw" or "qcow2" */
const char *disk_format(const char *base);

/**
 * disk_overlay() - an empty qcow2 upon @base
 * @path: made anew; it grows with what the guest writes
 * @err:  ERR_USAGE: no qemu-img; ERR_HOST: it failed, with its words
 */
int disk_overlay(const char *base, const char *path, struct err *err);

#endif
