/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One volume of a storage pool: made, filled, read, removed. Inside the guest room only. */
#ifndef GUEST_VOLUME_H
#define GUEST_VOLUME_H

#include <libvirt/libvirt.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"

DEFINE_CLEANUP(virStoragePoolPtr, virStoragePoolFree)
DEFINE_CLEANUP(virStorageVolPtr, virStorageVolFree)

/**
 * volume_make() - an empty volume that anybody there may read: QEMU is another user
 * @ret: freed by the caller
 * @err: ERR_HOST with libvirt's words
 */
int volume_make(virStoragePoolPtr pool, const char *name, uint64_t bytes, virStorageVolPtr *ret,
		struct err *err);

/**
 * volume_make_upon() - an empty qcow2 of the size of its base
 * @base:   path there
 * @format: of the base
 * @ret, @err: as above
 */
int volume_make_upon(virStoragePoolPtr pool, const char *name, const char *base, const char *format,
		     virStorageVolPtr *ret, struct err *err);

/**
 * volume_send() - fill it with @bytes of @fd
 * @p: shows how far it is, or NULL
 * @err: ERR_HOST; ERR_STOPPED
 */
int volume_send(virStorageVolPtr vol, int fd, uint64_t bytes, struct progress *p, struct err *err);

/** volume_write() - fill it with a short text; @err as above */
int volume_write(virStorageVolPtr vol, const char *text, size_t len, struct err *err);

/** volume_digest() - read it back: SHA-256 of its first @bytes, in hex; @err as above */
int volume_digest(virStorageVolPtr vol, uint64_t bytes, struct progress *p, char ret[65],
		  struct err *err);

/** volume_fetch() - all of it into @fd; @err as above */
int volume_fetch(virStorageVolPtr vol, int fd, struct err *err);

/** volume_written() - when its content was last written [ns] by the clock there; 0: not known */
int64_t volume_written(virStorageVolPtr vol);

#endif
