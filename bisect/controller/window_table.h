/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The window law's table: each row's prediction beside what was measured; see docs/window-law.md. */
#ifndef WINDOW_TABLE_H
#define WINDOW_TABLE_H

#include <stdio.h>

#include "base/err.h"
#include "wire/wire.h"

/**
 * window_table_print() - one line per copy
 * @samples: [n], as copy-regimes gave them; warm-ups are left out
 *
 * The prediction is the number of resident extents that are not copied yet, if any copy burned a window at all: a driver
 * whose retries see a fresh sequence burns none anywhere, and the table says so.
 *
 * Return: number of rows in which prediction and measurement differ, or the copy failed.
 */
unsigned int window_table_print(FILE *out, const struct wire_sample *samples, size_t n);

/**
 * window_table_read() - the samples of a trial's agent.jsonl, with all that its lines tell
 * @ret: [n], owned by the caller
 * @err: ERR_HOST if there is no such log
 */
int window_table_read(const char *path, struct wire_sample **ret, size_t *n, struct err *err);

#endif
