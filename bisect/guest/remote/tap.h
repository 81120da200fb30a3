/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The serial console of a guest whose files are not ours to read; inside the guest room only. */
#ifndef GUEST_TAP_H
#define GUEST_TAP_H

#include "base/cleanup.h"
#include "base/err.h"
#include "guest/virt/domain.h"

struct tap;

/**
 * tap_open() - from now on what the guest says on its console is written to @path
 *
 * Its serial port must be a pty. Waits until QEMU has seen that somebody listens: before the guest's
 * processors run, so that no first line is lost.
 *
 * @path: a file of this machine, made anew; bounded to a little more than CONSOLE_BYTES
 * @wake: raised when there is news
 * @err:  ERR_HOST
 */
int tap_open(struct virt *v, struct domain *d, const char *path, struct wake *wake,
	     struct tap **ret, struct err *err);
void tap_close(struct tap *t); /* NULL is fine */
DEFINE_CLEANUP(struct tap *, tap_close)

/** tap_drain() - the guest has ended: wait for its last words, @ms at most */
void tap_drain(struct tap *t, int64_t ms);

#endif
