// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The agent's lines travel over virtio-serial, which libvirt gives as a stream. It is never waited
 * in: the event thread tells of news, and the trial's own thread keeps the deadline.
 */
#include "guest/virt/channel.h"

#include "base/str.h"

struct channel {
	virStreamPtr stream;
	bool watched;
	bool ended; /* the other side is gone */
};

#define AGAIN -2 /* of virStreamRecv() and virStreamSend() on a stream that does not block */

/* The event stays raised until it is served, so it is switched off here and on when next waited. */
static void on_stream(virStreamPtr stream, int events, void *opaque)
{
	(void)events;
	virStreamEventUpdateCallback(stream, 0);
	wake_raise(opaque);
}

static void let_go(void *opaque)
{
	wake_unref(opaque);
}

int channel_open(struct virt *v, struct domain *d, const char *name, struct wake *wake,
		 struct channel **ret, struct err *err)
{
	_cleanup_(channel_close_p) struct channel *c = xcalloc(1, sizeof(*c));

	c->stream = virStreamNew(virt_conn(v), VIR_STREAM_NONBLOCK);
	if (!c->stream || virDomainOpenChannel(domain_handle(d), name, c->stream, 0) < 0)
		return virt_error(err, "cannot open the guest's channel");
	if (virStreamEventAddCallback(c->stream, 0, on_stream, wake_ref(wake), let_go) < 0) {
		wake_unref(wake);
		return virt_error(err, "cannot watch the guest's channel");
	}
	c->watched = true;
	*ret = take_ptr(c);
	return 0;
}

void channel_close(struct channel *c)
{
	if (!c)
		return;
	if (c->watched)
		virStreamEventRemoveCallback(c->stream);
	/*
	 * A guest that ended by itself is being taken down by libvirt's own thread: that holds the lock of
	 * the domain's channels and wants the stream's, while an abort holds the stream's and wants the
	 * other (seen in libvirt 9.0; neither ever returns). A stream that has ended needs no abort.
	 */
	if (c->stream && !c->ended)
		virStreamAbort(c->stream);
	if (c->stream)
		virStreamFree(c->stream);
	free(c);
}

static long moved(struct channel *c, int n)
{
	c->ended |= n < 0 && n != AGAIN;
	return n > 0 ? n : n == AGAIN ? 0 : -1;
}

long channel_recv(struct channel *c, char *ret, size_t size)
{
	int n = virStreamRecv(c->stream, ret, size);

	c->ended |= n == 0;
	return moved(c, n);
}

long channel_send(struct channel *c, const char *data, size_t len)
{
	int n = virStreamSend(c->stream, data, len);

	return n == 0 ? 0 : moved(c, n);
}

void channel_expect(struct channel *c, bool room)
{
	virStreamEventUpdateCallback(c->stream, VIR_STREAM_EVENT_READABLE |
							(room ? VIR_STREAM_EVENT_WRITABLE : 0));
}
