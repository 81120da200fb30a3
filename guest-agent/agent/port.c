// SPDX-License-Identifier: GPL-2.0-or-later
/* The port: see port.h. */
#include "guest-agent/agent/port.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest-agent/agent/text.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"

#define PORTS "/sys/class/virtio-ports"

/* A port without a controller reads as ended, at once and always: look again this often. */
#define AWAY_MS 10

bool port_find(char *ret, size_t size)
{
	_cleanup_closedir_ DIR *dir = opendir(PORTS);
	char path[512], name[WIRE_NAME_MAX];
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), PORTS "/%s/name", e->d_name);
		if (!text_read(path, name, sizeof(name)) || strcmp(name, WIRE_PORT_NAME) != 0)
			continue;
		snprintf(ret, size, "/dev/%s", e->d_name);
		return true;
	}
	return false;
}

int port_init(struct port *p, int fd, bool ends, struct err *err)
{
	int flags = fcntl(fd, F_GETFL);

	memset(p, 0, sizeof(*p));
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return err_errno(err, ERR_HOST, "descriptor %d is no port", fd);
	p->fd = fd;
	p->ends = ends;
	return 0;
}

/* The next speaker starts afresh. */
static void forget(struct port *p)
{
	memset(&p->lines, 0, sizeof(p->lines));
	p->in_len = p->in_at = 0;
	p->skipping = false;
	p->deaf = false;
}

/* At least one byte into p->in; 0: none within @wait_ms (-1: wait for ever); -1: nobody there. */
static int fill(struct port *p, int wait_ms)
{
	for (;;) {
		struct pollfd wait = { .fd = p->fd, .events = POLLIN };
		ssize_t n = read(p->fd, p->in, sizeof(p->in));

		if (n > 0) {
			p->in_len = (size_t)n;
			p->in_at = 0;
			p->deaf = false;
			return 1;
		}
		if (n == 0 || (errno != EAGAIN && errno != EINTR))
			return -1;
		n = poll(&wait, 1, wait_ms);
		if (n == 0)
			return 0;
	}
}

static enum port_got gone(struct port *p)
{
	forget(p);
	if (p->ends)
		return PORT_END;
	clock_sleep_ms(AWAY_MS);
	return PORT_AGAIN;
}

/* Drops the rest of a line that was too long; true once its end was seen. */
static bool skip(struct port *p)
{
	char *end = memchr(p->in + p->in_at, '\n', p->in_len - p->in_at);

	p->in_at = end ? (size_t)(end - p->in) + 1 : p->in_len;
	return end;
}

enum port_got port_line(struct port *p, const char **line, size_t *len)
{
	struct err err;
	size_t used;
	int ret;

	for (;;) {
		if (p->in_at == p->in_len && fill(p, -1) < 0)
			return gone(p);
		if (p->skipping) {
			p->skipping = !skip(p);
			continue;
		}
		used = 0;
		ret = wire_lines_feed(&p->lines, p->in + p->in_at, p->in_len - p->in_at, &used,
				      line, len, &err);
		p->in_at += used;
		if (ret > 0)
			return PORT_LINE;
		if (ret < 0) {
			memset(&p->lines, 0, sizeof(p->lines));
			p->skipping = true;
			return PORT_TOO_LONG;
		}
	}
}

long port_raw(struct port *p, char *ret, size_t size, int wait_ms)
{
	size_t n;

	if (p->in_at == p->in_len && fill(p, wait_ms) <= 0) {
		forget(p);
		return -1;
	}
	n = p->in_len - p->in_at < size ? p->in_len - p->in_at : size;
	memcpy(ret, p->in + p->in_at, n);
	p->in_at += n;
	return (long)n;
}

static bool send_all(struct port *p, const char *data, size_t len)
{
	int64_t deadline = clock_now_ns() + PORT_SEND_MS * NS_PER_MS;

	while (len) {
		struct pollfd wait = { .fd = p->fd, .events = POLLOUT };
		ssize_t n = write(p->fd, data, len);
		int64_t left = deadline - clock_now_ns();

		if (n > 0) {
			data += n;
			len -= (size_t)n;
			continue;
		}
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return false;
		if (left <= 0)
			return false;
		/* Where a port has no reader, poll() reports that at once instead of waiting. */
		if (poll(&wait, 1, (int)(left / NS_PER_MS) + 1) > 0 && !(wait.revents & POLLOUT))
			clock_sleep_ms(AWAY_MS);
	}
	return true;
}

void port_send(struct port *p, const struct wire_msg *msg)
{
	char line[WIRE_LINE_MAX];
	struct err err;
	int len = wire_encode(msg, line, &err);

	if (len < 0)
		text_log("a %s could not be put on the wire: %s", wire_type_name(msg->type),
			 err.msg);
	else if (!p->deaf && !send_all(p, line, (size_t)len))
		p->deaf = true;
}

void port_note(struct port *p, const char *text, size_t len)
{
	struct wire_msg msg = { .type = WIRE_NOTE };

	text_printable(msg.note.text, sizeof(msg.note.text), text, len);
	port_send(p, &msg);
}

void port_fail(struct port *p, enum wire_type of, const char *text)
{
	struct wire_msg msg = { .type = WIRE_FAIL };

	msg.fail.of = of;
	text_printable(msg.fail.text, sizeof(msg.fail.text), text, strlen(text));
	port_send(p, &msg);
}
