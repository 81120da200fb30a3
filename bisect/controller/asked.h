/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a stored run tried its commits, for the commands that a report ends with. */
#ifndef CONTROLLER_ASKED_H
#define CONTROLLER_ASKED_H

#include "base/err.h"
#include "reports/report.h"
#include "store/store.h"

/**
 * asked_read() - the run's options as words of a command
 * @ret: owned by the caller, asked_deinit(); untouched on failure
 * @err: whatever reading the store gives
 */
int asked_read(struct store *s, struct report_asked *ret, struct err *err);
void asked_deinit(struct report_asked *a);

#endif
