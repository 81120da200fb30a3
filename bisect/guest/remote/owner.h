/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose guest it is: a daemon's guests outlive the controller that started them, so each bears its
 * controller's mark as metadata. Inside the guest room only.
 */
#ifndef GUEST_OWNER_H
#define GUEST_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/virt/virt.h"

#define OWNER_URI "urn:amdgpu-bisect:controller" /* of the metadata's name space */
#define OWNER_KEY "controller"

struct owner {
	char machine[65]; /* machine-id(5), or "-" if there is none */
	char boot[65];	  /* its boot id; random(4) */
	uint64_t pid_ns;  /* inode of the name space that @pid counts in */
	uint64_t pid;
	uint64_t start; /* when it started, in ticks since the boot; proc_pid_stat(5) */
	uint64_t rig;	/* one process may have several connections */
};

/** owner_self() - this process; @rig: the connection's number in it */
void owner_self(uint64_t rig, struct owner *ret);

/** owner_format() - as the metadata's text; @ret: owned by the caller */
char *owner_format(const struct owner *o);

/** owner_parse() - the inverse, from the element as virDomainGetMetadata() gives it; [len] */
bool owner_parse(const char *xml, size_t len, struct owner *ret);

/**
 * owner_gone() - is it certain that the controller @o has ended?
 * @self: this process
 * @start: of the process that has its pid now; 0: there is none
 *
 * Of another machine, or another container on this one, nobody here can say: that is no.
 */
bool owner_gone(const struct owner *o, const struct owner *self, uint64_t start);

/** owner_start() - when process @pid of this name space started; 0: there is none */
uint64_t owner_start(uint64_t pid);

/**
 * owner_clean() - end the guests of ours whose controller is gone, and those of @self
 * @conn: a daemon's
 * @self: a connection that has been lost and made anew has no guest that is still of use
 * Return: how many were ended.
 */
int owner_clean(virConnectPtr conn, const struct owner *self);

#endif
