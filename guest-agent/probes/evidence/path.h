/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The untimed pass whose log is the path proof: see pathlog.h. */
#ifndef PROBES_PATH_H
#define PROBES_PATH_H

#include "base/err.h"
#include "guest-agent/probes/runtime/runtime.h"
#include "wire/wire.h"

/**
 * path_prove() - make one copy in a process of its own with the runtime's log on, and read that
 * @setup:  as the measured copies will be made
 * @source: descriptor of the source file, @bytes long at least; a read-only mapping of it is copied
 * @ret:    PATH_UNKNOWN where the log cannot be had; @why [size] then says so
 *
 * To be called before the runtime is opened here: it reads its flags once, and does not survive a
 * fork. Return: 0, or -1 if no process can be made.
 */
int path_prove(const struct runtime_ops *ops, const struct runtime_setup *setup, int source,
	       size_t bytes, enum wire_path *ret, char *why, size_t size, struct err *err);

#endif
