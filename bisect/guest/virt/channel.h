/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The byte stream to the agent; inside the guest room only. */
#ifndef GUEST_CHANNEL_H
#define GUEST_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "guest/virt/domain.h"
#include "guest/virt/wake.h"

struct channel;

/** channel_open() - connect to the port @name of a guest; @wake is raised when there is news */
int channel_open(struct virt *v, struct domain *d, const char *name, struct wake *wake,
		 struct channel **ret, struct err *err);
void channel_close(struct channel *c); /* NULL is fine; what was not sent is lost */
DEFINE_CLEANUP(struct channel *, channel_close)

/*
 * Neither waits. Return: bytes moved (> 0); 0: nothing now, wait for @wake; -1: the channel is
 * closed.
 */
long channel_recv(struct channel *c, char *ret, size_t size);
long channel_send(struct channel *c, const char *data, size_t len);

/** channel_expect() - raise @wake when there is something to read, or room to write as well */
void channel_expect(struct channel *c, bool room);

#endif
