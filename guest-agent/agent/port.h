/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The port: the agent's end of the channel, a virtio-serial port that keeps its name while
 * controllers come and go.
 */
#ifndef AGENT_PORT_H
#define AGENT_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/wire.h"

struct port {
	int fd;
	bool ends;     /* the other end's close is the end (a socket), not a pause (a port) */
	bool deaf;     /* the other end took nothing for long: nothing is sent until it speaks */
	bool skipping; /* in a line that was too long */
	struct wire_lines lines;
	char in[32768]; /* read, not yet taken */
	size_t in_len, in_at;
};

enum port_got {
	PORT_LINE,  /* a line */
	PORT_AGAIN, /* the other end went away, or a line was too long: what was half said is void */
	PORT_TOO_LONG, /* likewise, and it should be told */
	PORT_END,      /* the channel is gone for good */
};

/**
 * port_find() - path of the character device of the port called WIRE_PORT_NAME
 * @ret: [size]
 * Return: true if there is one by now.
 * Source: /sys/class/virtio-ports/NAME/name, drivers/char/virtio_console.c.
 */
bool port_find(char *ret, size_t size);

/** port_init() - take over an open descriptor; it becomes non-blocking */
int port_init(struct port *p, int fd, bool ends, struct err *err);

/**
 * port_line() - wait for the next line
 * @line, @len: with PORT_LINE; valid until the next call
 */
enum port_got port_line(struct port *p, const char **line, size_t *len);

/**
 * port_raw() - wait for raw bytes, those that follow a WIRE_PUT
 * @size: at most this many [bytes], > 0
 * Return: number of bytes, or -1: the other end went away, or sent nothing for @wait_ms.
 */
long port_raw(struct port *p, char *ret, size_t size, int wait_ms);

/** port_send() - send a message; one that cannot be sent within PORT_SEND_MS is dropped */
void port_send(struct port *p, const struct wire_msg *msg);

/* What a controller may take to drain the channel before it counts as gone. */
#define PORT_SEND_MS 10000

/** port_note() - send text for people, made printable and cut to WIRE_TEXT_MAX */
void port_note(struct port *p, const char *text, size_t len);

/** port_fail() - send that a request failed */
void port_fail(struct port *p, enum wire_type of, const char *text);

#endif
