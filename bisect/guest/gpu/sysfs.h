/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI functions as sysfs shows them; inside the guest room only. */
#ifndef GUEST_GPU_SYSFS_H
#define GUEST_GPU_SYSFS_H

#include "guest/card.h"

#define SYSFS_FUNCTIONS_MAX 65536

struct sysfs {
	struct card_roots roots;	 /* filled in */
	struct card_function *functions; /* [n], by address, owned */
	size_t n;
};

/**
 * sysfs_read() - every PCI function of the machine
 * @roots: may be NULL
 * @err:   ERR_HOST: there is no PCI bus to be read
 */
int sysfs_read(const struct card_roots *roots, struct sysfs *ret, struct err *err);
void sysfs_deinit(struct sysfs *s);

/** sysfs_roots() - with what is NULL filled in */
struct card_roots sysfs_roots(const struct card_roots *roots);

/** sysfs_function() - one function anew; false if it is not there */
bool sysfs_function(const struct card_roots *roots, const char *address, struct card_function *ret);

/** sysfs_address() - is this "0000:03:00.0"? */
bool sysfs_address(const char *s);

/** sysfs_is_amd_card() - vendor 1002, class display (03) or processing accelerator (12) */
bool sysfs_is_amd_card(const struct card_function *f);

/** sysfs_is_bridge() - stays with the host whatever its group is passed to */
bool sysfs_is_bridge(const struct card_function *f);

/** sysfs_same_slot() - functions of one device */
bool sysfs_same_slot(const struct card_function *a, const struct card_function *b);

/** sysfs_text() - one small file without its newline; NULL if there is none; owned by the caller */
char *sysfs_text(const char *dir, const char *name);

/** sysfs_put() - one word into a small file; false if it is not there or refuses, errno is set */
bool sysfs_put(const char *dir, const char *name, const char *word);

/** sysfs_link() - the last part of what a link points to; NULL if there is none; owned by the caller */
char *sysfs_link(const char *dir, const char *name);

#endif
