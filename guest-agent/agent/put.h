/* SPDX-License-Identifier: GPL-2.0-or-later */
/* WIRE_PUT: a file streamed into memory, bounded. */
#ifndef AGENT_PUT_H
#define AGENT_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest-agent/agent/port.h"
#include "base/err.h"

/* No byte for this long ends a transfer. */
#define PUT_QUIET_MS 30000

/**
 * put_receive() - take the bytes that follow a WIRE_PUT
 * @dir:   directory of streamed files; all in it together hold at most WIRE_FILE_MAX
 * @name:  checked by the wire; a file of that name is replaced
 * @err:   ERR_HOST; the bytes are swallowed nevertheless, so that the next line is found
 */
int put_receive(struct port *p, const char *dir, const char *name, uint64_t bytes, struct err *err);

/**
 * put_find() - path of a streamed file
 * @name: as put, or without .ko
 * @ret:  [size]
 * Return: true if it is there.
 */
bool put_find(const char *dir, const char *name, char *ret, size_t size);

#endif
