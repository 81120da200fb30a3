/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packed modules: those that came with the guest, listed in dependency order, one a line:
 *
 *	NAME PATH [DEPENDENCY,...]
 *
 * A dependency stands above what needs it.
 */
#ifndef AGENT_MODULES_H
#define AGENT_MODULES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "wire/wire.h"

struct packed {
	char *name;
	char *path;
	char *needs; /* comma-separated names, or "" */
};

struct modules {
	struct packed *items;
	size_t n;
};

/** modules_read() - the list at @path; one that is not there is empty; modules_deinit() */
int modules_read(const char *path, struct modules *ret, struct err *err);
void modules_deinit(struct modules *m);

#define _cleanup_modules_ __attribute__((cleanup(modules_deinit)))

/**
 * modules_load() - insert a packed module after those it needs; one that is in is fine
 * @params: for the module itself
 * @err:    ERR_BOOT: not packed, or refused by the kernel, named
 */
int modules_load(const struct modules *m, const char *name, const char *params, struct err *err);

/**
 * modules_insert() - insert one module file
 * @err: ERR_BOOT with what the kernel answered; one that is in already is an error here
 * Source: finit_module(2).
 */
int modules_insert(const char *path, const char *params, struct err *err);

/** modules_name() - the module's name that a file name stands for: without .ko, '-' as '_' */
void modules_name(const char *file, char ret[WIRE_NAME_MAX]);

/**
 * modules_identity() - srcversion and build id as /sys/module/NAME shows them; empty where it does not
 * @ret: its name is set as well
 */
void modules_identity(const char *name, struct wire_msg *ret);

/**
 * modules_build_id() - the build id in the bytes of an ELF note section
 * @ret: lower-case hex, or empty if there is none that fits
 */
void modules_build_id(const uint8_t *note, size_t len, char ret[65]);

#endif
