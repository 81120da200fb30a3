/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A guest that was booted once and saved: each candidate gets a restored copy; inside the guest room
 * only. What stands in for what, and why no verdict depends on it: docs/guest.md.
 */
#ifndef GUEST_WARM_H
#define GUEST_WARM_H

#include "guest/rig.h"

/**
 * warm_open() - whether this rig's guests are restored
 * @r: complete but for its warm; ->start and ->start_why are set here
 * @err: ERR_USAGE: --start warm where a guest cannot be saved
 */
int warm_open(struct rig *r, struct err *err);
void warm_close(struct warm *w); /* NULL is fine */

#define WARM_BOOT 1 /* nothing was found out: the trial has to be booted */

/**
 * warm_try() - the trial in a restored guest; makes the save first if there is none
 * @ret: written with 0 only
 * @err: as guest_try(); what is wrong with a save is none
 *
 * Return: 0, WARM_BOOT or -1.
 */
int warm_try(struct rig *r, const struct trial_spec *spec, struct trial *ret, struct err *err);

#endif
