/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was made for guests and lies in the cache: kernels, initramfs, runtimes, disks. */
#ifndef GUEST_STOCK_H
#define GUEST_STOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum stock_kind { STOCK_KERNEL, STOCK_INITRAMFS, STOCK_RUNTIME, STOCK_DISK, STOCK_KINDS };
/** stock_kind_name() - "kernel", "initramfs", "runtime", "disk"; never NULL */
const char *stock_kind_name(enum stock_kind k);

struct stock_image {
	enum stock_kind kind;
	char *name;	   /* "disk-5c1e..." */
	char *path;	   /* absolute */
	uint64_t bytes;	   /* that a reader sees */
	uint64_t on_disk;  /* [bytes]; fewer where it has holes */
	int64_t used_ns;   /* since 1970 */
	char *manifest;	   /* its text, or NULL: there is none */
	char digest[65];   /* that the manifest knows it by, or "" */
	char summary[128]; /* one line of what it is */
};

struct stock {
	struct stock_image *images; /* [n], by kind, those used last first */
	size_t n;
};

/**
 * stock_list() - all of them; what is half made or named otherwise is none
 * @cache_dir: as in struct guest_spec; need not exist
 * @err:       ERR_HOST
 */
int stock_list(const char *cache_dir, struct stock *ret, struct err *err);
void stock_deinit(struct stock *s);

/** stock_find() - by its name, or the start of it if only one begins so; @err: ERR_USAGE: none, or several */
int stock_find(const struct stock *s, const char *name, const struct stock_image **ret,
	       struct err *err);

enum stock_state { STOCK_WHOLE, STOCK_DAMAGED, STOCK_UNKNOWN };

/**
 * stock_check() - is it what its manifest says, and the manifest what its name says?
 * @why: [size] one line of what is wrong, or empty
 * @err: ERR_HOST: cannot be read
 * Return: enum stock_state, or -1. Unknown: made by a version that wrote no digest down.
 */
int stock_check(const struct stock_image *i, char *why, size_t size, struct err *err);

/** stock_remove() - it and its manifest; a guest that has it open keeps it until it ends */
int stock_remove(const struct stock_image *i, struct err *err);

#endif
