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
 *
 * Guests that a killed controller left with a daemon are ended first.
 *
 * @err:       ERR_USAGE: no driver, no QEMU, no rights, each with what mends it; ERR_HOST
 */
int virt_open(const char *uri, const char *cache_dir, struct virt **ret, struct err *err);
void virt_close(struct virt *v); /* waits for the domains that are being ended */
DEFINE_CLEANUP(struct virt *, virt_close)

virConnectPtr virt_conn(const struct virt *v);

/** virt_root() - the embedded driver's directory; NULL: a daemon has the guests */
const char *virt_root(const struct virt *v);

/** virt_elsewhere() - the guests are on another machine, as far as the URI tells */
bool virt_elsewhere(const struct virt *v);

/** virt_offers_kvm() - does libvirt there say that it has KVM? @why: [size] a few words */
bool virt_offers_kvm(const struct virt *v, char *why, size_t size);

/** virt_owner() - this controller's mark on its guests (remote/owner.h); NULL: they need none */
const char *virt_owner(const struct virt *v);

/** virt_lost() - the daemon or the way to it is gone; never so for the embedded driver */
bool virt_lost(const struct virt *v);

/**
 * virt_revive() - a lost connection is made anew, and guests that ran on unattended are ended
 * @err: ERR_HOST: not in several tries; ERR_STOPPED
 */
int virt_revive(struct virt *v, struct err *err);

/** virt_autodestroy() - true if the daemon ends our domains should we be killed */
bool virt_autodestroy(const struct virt *v);

/** virt_reap() - end a domain from a thread of its own; takes ownership of @dom */
void virt_reap(struct virt *v, virDomainPtr dom);

/** virt_tidy() - end what controllers that are gone left: as virt_open() does */
void virt_tidy(const struct virt *v);

/** virt_settle() - wait until all of them are ended */
void virt_settle(struct virt *v);

/** virt_error() - libvirt's last error as ours: what was tried, then its words; returns -1 */
__attribute__((format(printf, 2, 3))) int virt_error(struct err *err, const char *fmt, ...);

#endif
