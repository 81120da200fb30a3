/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a program of the user's measured: the last line that it printed, as {"metrics":{"copy_ms":12.5}}.
 * It comes out of a guest, so it is parsed as strictly as a message.
 */
#ifndef WIRE_METRICS_H
#define WIRE_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "wire/wire.h"

#define WIRE_METRICS_MAX 16
#define WIRE_METRIC_MAX	 1e15 /* largest amount; whole numbers are exact up to here */

struct wire_metric {
	char name[WIRE_NAME_MAX]; /* wire_name_ok() */
	double value;		  /* finite, -WIRE_METRIC_MAX to WIRE_METRIC_MAX */
};

/**
 * wire_metrics_parse() - the figures of one line
 * @line: [len] bytes, less than WIRE_TEXT_MAX; need not be NUL-terminated
 * @ret:  written on success only
 * @err:  ERR_PROTOCOL: no such object, another key than "metrics" in it, a name that is none or is there
 *        twice, a value that is no number in its bounds, none or more than WIRE_METRICS_MAX
 *
 * Return: how many (1 to WIRE_METRICS_MAX), or -1.
 */
int wire_metrics_parse(const char *line, size_t len, struct wire_metric ret[WIRE_METRICS_MAX],
		       struct err *err);

#endif
