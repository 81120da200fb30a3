/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the embedded driver keeps its state; inside the guest room only. */
#ifndef GUEST_SLOT_H
#define GUEST_SLOT_H

#include <sys/types.h>

#include "base/err.h"

/**
 * slot_take() - this process's root for qemu:///embed?root=
 * @cache_dir: libvirt's capabilities are cached below it, so that QEMU is asked once only
 * @ret:       the root, valid until the process ends
 * @err:       ERR_HOST: no directory can be made, or every slot is in use
 *
 * The driver can be opened with one root in a process, so a slot is taken once and kept, locked,
 * until the process ends. Slots whose controller is gone are cleaned first: QEMU processes that it
 * left are killed (those that name the slot's path, of this user), its files removed.
 */
int slot_take(const char *cache_dir, const char **ret, struct err *err);

/** slot_sweep() - clean what controllers that are gone left, in slots that nobody has */
void slot_sweep(void);

/** slot_pid() - the QEMU of the guest @name below @root; 0: there is none */
pid_t slot_pid(const char *root, const char *name);

/**
 * slot_base() - the directory that the slots are in, made if need be
 * @ret: owned by the caller; NULL with @err filled: ERR_HOST
 */
char *slot_base(struct err *err);

#endif
