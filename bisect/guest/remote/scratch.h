/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of one trial on the guests' machine: the disk that it writes to, the memory of a guest in trouble.
 * They have names of the shelf and no mark, so what is left of one goes like half an upload does. Inside the
 * guest room only.
 */
#ifndef GUEST_SCRATCH_H
#define GUEST_SCRATCH_H

#include "guest/remote/place.h"
#include "guest/remote/shelf.h"

/* Zero-initialised it is none. */
struct scratch {
	char name[SHELF_NAME];
	char *path; /* there */
};
void scratch_deinit(struct scratch *s); /* of what is known here; see scratch_drop() */

/**
 * scratch_overlay() - an empty qcow2 there upon a base
 * @base:   of this machine; sent there unless it is there whole
 * @format: of the base, "raw" or "qcow2"
 * @err:    as place_file()
 */
int scratch_overlay(struct place *p, const char *base, const char *format, struct scratch *ret,
		    struct err *err);

/** scratch_path() - where something may be written there, by libvirt's own; @err: ERR_HOST */
int scratch_path(struct place *p, struct scratch *ret, struct err *err);

/** scratch_fetch() - what was written there, into a file here; @err: ERR_HOST, ERR_STOPPED */
int scratch_fetch(struct place *p, const struct scratch *s, const char *to, struct err *err);

/** scratch_drop() - the file there is removed; who has it open keeps it; none is fine */
void scratch_drop(struct place *p, const struct scratch *s);

#endif
