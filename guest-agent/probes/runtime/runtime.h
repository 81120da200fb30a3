/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runtimes: what a source range is handed to. Each is one table of functions; runtime.c lists them.
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

/* Whether there is something to copy to. All but the first are answers, not failures. */
enum runtime_found {
	RUNTIME_READY,
	RUNTIME_NO_LIBRARY,    /* the runtime is not installed, or not whole */
	RUNTIME_NO_DEVICE,     /* it works, but there is nothing here for it to use */
	RUNTIME_WRONG_VERSION, /* it is not one whose calls are known here */
	RUNTIME_FOUNDS
};

/** runtime_found_name() - "no library", "no device", "wrong version"; never NULL */
const char *runtime_found_name(enum runtime_found f);

/* What is asked of a runtime when it is opened. */
struct runtime_setup {
	size_t max_bytes;  /* longest copy that will be asked for [bytes] */
	bool no_svm;	   /* HSA_USE_SVM=0 (hip) */
	bool staged;	   /* have it stage what it would pin (hip): the workaround AMD names */
	bool fresh_buffer; /* a device buffer per copy, not one for all */
	const char *log;   /* the runtime's own log goes to this file (hip), or NULL */
};

struct runtime;

struct runtime_ops {
	const char *name; /* for --runtime */

	/**
	 * open() - get ready to copy
	 * @rt:  its private members are the runtime's own; @rt->what and @rt->devices are filled
	 * @ret: whether there is a device; @why [size] then says what is missing
	 */
	int (*open)(struct runtime *rt, const struct runtime_setup *setup, enum runtime_found *ret,
		    char *why, size_t size, struct err *err);

	/** select() - copies go to that device from now on; NULL where there is one only */
	int (*select)(struct runtime *rt, uint32_t device, struct err *err);

	/** prepare() / finish() - around a copy, outside of what is timed; may be NULL */
	int (*prepare)(struct runtime *rt, size_t len, struct err *err);
	void (*finish)(struct runtime *rt);

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
	bool any_start;		  /* copy() takes addresses and lengths that are no whole pages */
};

struct runtime {
	const struct runtime_ops *ops;
	uint32_t devices; /* that there are; 0 where the runtime has none to count */
	char what[192];	  /* its library, version and device, for people */
	int fd;		  /* private to the runtime; -1 before open() */
	void *data;	  /* likewise; NULL before open() */
};

/** runtime_find() - by name, or NULL */
const struct runtime_ops *runtime_find(const char *name);

/** runtime_names() - all names, blank-separated, for messages */
const char *runtime_names(void);

extern const struct runtime_ops runtime_mirror, runtime_hip, runtime_cuda, runtime_none;

#endif
