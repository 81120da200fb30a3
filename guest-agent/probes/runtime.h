/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runtimes: what a source range is handed to. Each is one table of functions in a file of its own;
 * runtime.c lists them.
 */
#ifndef PROBES_RUNTIME_H
#define PROBES_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* How one copy went. */
struct runtime_copy {
	int32_t result; /* 0 or -errno */
	uint32_t
		restarts; /* times the range had to start again; 0 where the runtime does not tell */
	uint32_t calls;	  /* calls of the driver's function; likewise */
};

enum runtime_found {
	RUNTIME_READY,
	RUNTIME_NO_DEVICE, /* the runtime works, but there is nothing here for it to use */
};

struct runtime;

struct runtime_ops {
	const char *name; /* for --runtime */

	/**
	 * open() - get ready to copy
	 * @rt:        its private members are the runtime's own
	 * @max_bytes: longest copy that will be asked for [bytes]; memory on the device is taken here
	 * @ret:       whether there is a device; @why [size] then says what is missing
	 */
	int (*open)(struct runtime *rt, size_t max_bytes, enum runtime_found *ret, char *why,
		    size_t size, struct err *err);

	/**
	 * copy() - have the device read @len bytes at @addr; back when it has
	 * @read_permission: ask for read access whatever the mapping allows, where it can be asked
	 * @ret:             a copy that fails is data, not an error
	 */
	int (*copy)(struct runtime *rt, const void *addr, size_t len, bool read_permission,
		    struct runtime_copy *ret, struct err *err);

	/** close() - undo open(); also after an open() that failed */
	void (*close)(struct runtime *rt);

	bool can_read_permission; /* copy() honours @read_permission */
};

struct runtime {
	const struct runtime_ops *ops;
	int fd;	    /* private to the runtime; -1 before open() */
	void *data; /* likewise; NULL before open() */
};

/** runtime_find() - by name, or NULL */
const struct runtime_ops *runtime_find(const char *name);

/** runtime_names() - all names, blank-separated, for messages */
const char *runtime_names(void);

extern const struct runtime_ops runtime_mirror;

#endif
