// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * While a guest runs elsewhere its console comes as a stream, and becomes the file that QEMU writes where
 * files are shared: whoever reads that need not know. libvirt's event thread does it as the bytes come.
 */
#include "guest/remote/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "guest/talk/console.h"

#define KEPT_MAX (CONSOLE_BYTES + 65536) /* the reader must see that it is too much */
/*
 * QEMU looks once a second whether somebody has opened its pty, and until then throws away what the
 * guest says. Source: chardev/char-pty.c, pty_chr_rearm_timer(), pty_chr_write().
 */
#define NOTICED_MS 1100
#define LOOK_MS	   5
#define AGAIN	   -2 /* of virStreamRecv() on a stream that does not block */

/* Counted: the event thread's callback has one until libvirt lets go of it. */
struct tap {
	atomic_int refs;
	virStreamPtr stream;
	struct wake *wake;
	int fd;
	uint64_t bytes;
	bool watched;
	atomic_bool ended;
};

static void unref(void *opaque)
{
	struct tap *t = opaque;

	if (atomic_fetch_sub(&t->refs, 1) > 1)
		return;
	if (t->fd >= 0)
		close(t->fd);
	wake_unref(t->wake);
	free(t);
}

/* A full disk is found by the trial's own logs. */
static void keep(struct tap *t, const char *data, size_t len)
{
	while (len && t->bytes < KEPT_MAX) {
		ssize_t n = write(t->fd, data, len);

		if (n <= 0)
			return;
		data += n;
		len -= (size_t)n;
		t->bytes += (uint64_t)n;
	}
}

static void on_stream(virStreamPtr stream, int events, void *opaque)
{
	struct tap *t = opaque;
	char chunk[16384];
	int n;

	(void)events;
	while ((n = virStreamRecv(stream, chunk, sizeof(chunk))) > 0)
		keep(t, chunk, (size_t)n);
	if (n != AGAIN) {
		virStreamEventUpdateCallback(stream, 0);
		atomic_store(&t->ended, true);
	}
	wake_raise(t->wake);
}

int tap_open(struct virt *v, struct domain *d, const char *path, struct wake *wake,
	     struct tap **ret, struct err *err)
{
	_cleanup_(tap_close_p) struct tap *t = xcalloc(1, sizeof(*t));

	atomic_init(&t->refs, 1);
	t->wake = wake_ref(wake);
	t->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (t->fd < 0)
		return err_errno(err, ERR_HOST, "cannot write %s", path);
	t->stream = virStreamNew(virt_conn(v), VIR_STREAM_NONBLOCK);
	if (!t->stream || virDomainOpenConsole(domain_handle(d), NULL, t->stream, 0) < 0)
		return virt_error(err, "cannot open the guest's console");
	atomic_fetch_add(&t->refs, 1);
	if (virStreamEventAddCallback(t->stream, VIR_STREAM_EVENT_READABLE, on_stream, t, unref) <
	    0) {
		unref(t);
		return virt_error(err, "cannot watch the guest's console");
	}
	t->watched = true;
	clock_sleep_ms(NOTICED_MS);
	*ret = take_ptr(t);
	return 0;
}

void tap_close(struct tap *t)
{
	virStreamPtr stream;

	if (!t)
		return;
	stream = t->stream;
	if (t->watched)
		virStreamEventRemoveCallback(stream);
	if (stream && !atomic_load(&t->ended))
		virStreamAbort(stream);
	if (stream)
		virStreamFree(stream);
	unref(t);
}

void tap_drain(struct tap *t, int64_t ms)
{
	int64_t end = clock_now_ns() + ms * NS_PER_MS;

	while (!atomic_load(&t->ended) && clock_now_ns() < end)
		clock_sleep_ms(LOOK_MS);
}
