/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The connection to libvirt; inside the guest room only. */
#ifndef GUEST_VIRT_H
#define GUEST_VIRT_H

#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <stdbool.h>

#include "base/cleanup.h"
#include "base/err.h"

struct virt;

/**
 * virt_open() - open libvirt, and see that it can run the guest
 * @uri:       NULL: the embedded driver, whose state lies in a slot (slot.h)
 * @cache_dir: its capabilities are cached below
 * @err:       ERR_USAGE: no driver, no QEMU, no rights, a remote URI, each with what mends it
 */
int virt_open(const char *uri, const char *cache_dir, struct virt **ret, struct err *err);
void virt_close(struct virt *v); /* waits for the domains that are being ended */
DEFINE_CLEANUP(struct virt *, virt_close)

virConnectPtr virt_conn(const struct virt *v);

/** virt_root() - the embedded driver's directory; NULL: a daemon has the guests */
const char *virt_root(const struct virt *v);

/** virt_autodestroy() - true if the daemon ends our domains should we be killed */
bool virt_autodestroy(const struct virt *v);

/** virt_reap() - end a domain from a thread of its own; takes ownership of @dom */
void virt_reap(struct virt *v, virDomainPtr dom);

/** virt_settle() - wait until all of them are ended */
void virt_settle(struct virt *v);

/** virt_error() - libvirt's last error as ours: what was tried, then its words; returns -1 */
__attribute__((format(printf, 2, 3))) int virt_error(struct err *err, const char *fmt, ...);

#endif
