/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How libvirt's event thread wakes the trial's; inside the guest room only. */
#ifndef GUEST_WAKE_H
#define GUEST_WAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"

/* Counted: the event thread's callbacks hold it until libvirt lets go of them. */
struct wake {
	atomic_int refs;
	int fd;		    /* eventfd */
	atomic_bool ended;  /* the domain is gone */
	atomic_int detail;  /* enum virDomainEventStoppedDetailType, once ended */
	atomic_bool bitten; /* the watchdog was not fed; the guest is paused */
};

struct wake *wake_create(void); /* NULL: no descriptors left; errno is set */
struct wake *wake_ref(struct wake *w);
void wake_unref(struct wake *w);
DEFINE_CLEANUP(struct wake *, wake_unref)

/** wake_raise() - from any thread */
void wake_raise(struct wake *w);

/** wake_wait() - sleep until raised, a stop is requested, or @ms are over */
void wake_wait(struct wake *w, int64_t ms);

#endif
