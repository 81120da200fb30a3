/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A card taken from its drivers for the time of a run; inside the guest room only. */
#ifndef GUEST_GPU_HOLD_H
#define GUEST_GPU_HOLD_H

#include "base/cleanup.h"
#include "guest/card.h"

struct hold;

/**
 * hold_take() - lock the card, write down what each of its functions is bound to, bind them to vfio-pci
 * @roots: NULL: this machine's
 * @err:   ERR_USAGE: another run has it; ERR_HOST: a driver did not let go, or the disk; nothing is
 *         changed then
 *
 * The functions stay with vfio-pci from guest to guest: the host's driver is not started between two
 * candidates. A user who may not bind leaves it to libvirt's daemon, which binds and gives back for each
 * guest; only the lock is taken then.
 */
int hold_take(const struct card *card, const struct card_roots *roots, struct hold **ret,
	      struct err *err);

/** hold_again() - bind the functions to vfio-pci once more, after they were found anew; @err: as hold_take() */
int hold_again(struct hold *h, struct err *err);

/** hold_release() - give the functions back to what had them; the guest must have ended */
void hold_release(struct hold *h);
DEFINE_CLEANUP(struct hold *, hold_release)

/**
 * hold_recover() - give back what killed controllers took
 * @said: gets a line for people for each card, or NULL
 *
 * Only functions that such a controller wrote down and that are still with vfio-pci, or with nothing, are
 * touched; what a living controller has, or a guest still uses, is left.
 */
void hold_recover(const struct card_roots *roots, struct strv *said);

#endif
