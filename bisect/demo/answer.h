/* SPDX-License-Identifier: GPL-2.0-or-later */
/* D/answer: what was planted, as lines of key=value. */
#ifndef DEMO_ANSWER_H
#define DEMO_ANSWER_H

#include "base/err.h"
#include "demo/demo.h"

/** answer_write() - @key names the source's state, see base_key() */
int answer_write(const char *path, const struct demo *d, const char *key, struct err *err);

/**
 * answer_read() - the inverse
 * @ret: repo and reused are left as they are; owned by the caller, demo_deinit()
 * @err: ERR_USAGE: not such a file
 */
int answer_read(const char *path, struct demo *ret, char key[65], struct err *err);

#endif
