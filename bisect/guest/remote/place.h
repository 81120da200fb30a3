/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of this machine where the guests are; inside the guest room only. */
#ifndef GUEST_PLACE_H
#define GUEST_PLACE_H

#include "base/cleanup.h"
#include "base/err.h"
#include "base/progress.h"
#include "guest/virt/virt.h"

struct place_spec {
	const char *uri;
	const char *pool;	   /* storage pool; NULL: "default", or one of our own */
	const char *cache_dir;	   /* where a local session's own pool may lie */
	struct progress *progress; /* or NULL */
};

struct place;

/**
 * place_open() - find the storage pool that files are put into
 *
 * Without a name and without a pool "default" one is made where it is known where it may lie: it ends
 * with libvirt's daemon, its files stay, and the next start has them again.
 *
 * @v, @spec: the texts and @v must outlive it
 * @err: ERR_USAGE: there is no such pool, with the command that makes one; ERR_HOST
 */
int place_open(struct virt *v, const struct place_spec *spec, struct place **ret, struct err *err);
void place_close(struct place *p); /* the files stay for the next run */
DEFINE_CLEANUP(struct place *, place_close)

/**
 * place_file() - the path that a file has on the guests' machine; sent there unless it is there whole
 * @path: of this machine
 * @ret:  owned by @p, good as long as it
 * @err:  ERR_USAGE: the pool holds no files; ERR_HOST: the pool is full, the connection is lost, the file
 *        did not arrive as it was sent; ERR_STOPPED
 */
int place_file(struct place *p, const char *path, const char **ret, struct err *err);

/** place_pool() - the pool, for what is no file of this machine; freed by the caller; @err: ERR_USAGE, ERR_HOST */
int place_pool(const struct place *p, virStoragePoolPtr *ret, struct err *err);

struct xml_disk;
struct xml_domain;

/**
 * place_domain() - the files that a domain names become those on its machine, its console a pty
 * A disk that is there already, as its field says, is left alone.
 * @d, @disks: changed; good as long as @p
 * @err: as place_file()
 */
int place_domain(struct place *p, struct xml_domain *d, struct xml_disk *disks, struct err *err);

#endif
