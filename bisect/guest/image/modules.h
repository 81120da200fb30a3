/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's own modules that a guest needs, in load order; inside the guest room only. */
#ifndef GUEST_MODULES_H
#define GUEST_MODULES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

struct module {
	char *name;	     /* as the kernel names it: underscores */
	char *path;	     /* on the host, maybe compressed */
	struct strv depends; /* names of all modules it needs, in load order */
};

/* In load order; each module once. Zero-initialised it is empty. */
struct modules {
	struct module *items;
	size_t n;
};

void modules_deinit(struct modules *m);

/**
 * modules_resolve() - modules with all they depend on
 * @dir:   /lib/modules/RELEASE
 * @names: [n]; what is built into that kernel needs no file and is left out; "-NAME" may be missing
 * @ret:   written on success only, modules_deinit()
 * @err:   ERR_USAGE: no such directory, or a name that kernel does not have
 *
 * Source: modules.dep.bin and modules.builtin.bin as depmod(8) makes them.
 */
int modules_resolve(const char *dir, const char *const *names, size_t n, struct modules *ret,
		    struct err *err);

/** modules_find() - by name, dashes and underscores being the same; NULL if it is not among them */
const struct module *modules_find(const struct modules *m, const char *name);

/** modules_name() - @name with dashes made underscores, cut at the end of @ret[size] */
void modules_name(const char *name, char *ret, size_t size);

#endif
