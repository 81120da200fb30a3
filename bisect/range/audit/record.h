/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: what is known of a commit, as bytes and back. Pure. */
#ifndef RANGE_AUDIT_RECORD_H
#define RANGE_AUDIT_RECORD_H

#include "range/audit/audit.h"

/** record_put() - append a commit */
void record_put(struct buf *b, const struct audit_commit *c);

/**
 * record_take() - the next commit out of bytes that anybody may have changed
 * @at:  moved behind it
 * @ret: owned by the caller, commit_deinit()
 * Return: false if it is cut or no record_put() made it; nothing is written then.
 */
bool record_take(const char **at, const char *end, struct audit_commit *ret);

void commit_deinit(struct audit_commit *c);

#endif
