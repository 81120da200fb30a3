/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that ends domains; inside the guest room only. */
#ifndef GUEST_REAPER_H
#define GUEST_REAPER_H

#include <libvirt/libvirt.h>

#include "base/err.h"

struct reaper;

/** reaper_create() - @root: of the embedded driver, kept; NULL: a daemon has the guests */
int reaper_create(const char *root, struct reaper **ret, struct err *err);
void reaper_destroy(struct reaper *r); /* NULL is fine; waits until all are ended */

/**
 * reaper_add() - end a domain, whatever state it is in
 * @dom: taken over
 *
 * Waits while two are being ended already: their memory is still in use.
 */
void reaper_add(struct reaper *r, virDomainPtr dom);

/** reaper_settle() - wait until all are ended */
void reaper_settle(struct reaper *r);

#endif
