// SPDX-License-Identifier: GPL-2.0-or-later
/* Between libvirt's event thread and a trial: see wake.h. */
#include "guest/virt/wake.h"

#include <poll.h>
#include <sys/eventfd.h>

#include "base/stop.h"
#include "base/str.h"

struct wake *wake_create(void)
{
	struct wake *w = xcalloc(1, sizeof(*w));

	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->fd < 0) {
		free(w);
		return NULL;
	}
	atomic_init(&w->refs, 1);
	return w;
}

struct wake *wake_ref(struct wake *w)
{
	atomic_fetch_add(&w->refs, 1);
	return w;
}

void wake_unref(struct wake *w)
{
	if (!w || atomic_fetch_sub(&w->refs, 1) > 1)
		return;
	close(w->fd);
	free(w);
}

void wake_raise(struct wake *w)
{
	uint64_t one = 1;
	ssize_t n = write(w->fd, &one, sizeof(one));

	(void)n; /* full means raised already */
}

void wake_wait(struct wake *w, int64_t ms)
{
	struct pollfd p[] = {
		{ .fd = w->fd, .events = POLLIN },
		{ .fd = stop_fd(), .events = POLLIN },
	};
	uint64_t count;
	ssize_t n;

	if (ms > 0)
		poll(p, ARRAY_SIZE(p), (int)ms);
	n = read(w->fd, &count, sizeof(count));
	(void)n;
}
