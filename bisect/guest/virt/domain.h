/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One running guest; inside the guest room only. */
#ifndef GUEST_DOMAIN_H
#define GUEST_DOMAIN_H

#include <libvirt/libvirt.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "guest/guest.h"
#include "guest/virt/virt.h"
#include "guest/virt/wake.h"

struct domain;

/**
 * domain_create() - start a domain; its virtual CPUs do not run before domain_resume()
 * @wake: raised when the domain ends
 * @err:  ERR_HOST with libvirt's words
 */
int domain_create(struct virt *v, const char *xml, struct wake *wake, struct domain **ret,
		  struct err *err);
int domain_resume(struct domain *d, struct err *err);

/**
 * domain_save() - write the guest to @path and end it; a guest that could not be saved runs on
 * @err: ERR_HOST: the disk is full, and whatever else QEMU and libvirt say
 */
int domain_save(struct domain *d, const char *path, struct err *err);

/**
 * domain_wait() - until no domain of @uuid is there any more
 * @err: ERR_HOST: it does not end
 */
int domain_wait(struct virt *v, const char *uuid, struct err *err);

/**
 * domain_restore() - the guest that was saved to @path, as domain_create()
 * @uuid: the saved guest's; an older domain of it must have ended, which is waited for
 * @xml:  the saved guest's but for paths
 */
int domain_restore(struct virt *v, const char *path, const char *uuid, const char *xml,
		   struct wake *wake, struct domain **ret, struct err *err);
void domain_destroy(struct domain *d); /* hands it to the reaper; not waited for */
DEFINE_CLEANUP(struct domain *, domain_destroy)

virDomainPtr domain_handle(const struct domain *d);

/** domain_trial_end() - what a domain's end without a word from its kernel is to a trial */
enum trial_end domain_trial_end(int detail);

/** domain_end_text() - why a domain ended, for people: "shut itself down", "crashed", ... */
const char *domain_end_text(int detail);

#endif
