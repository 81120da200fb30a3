/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A card that does not come back. After amdgpu used it in a guest, several generations cannot be reset,
 * and the next guest's driver fails on them whatever it is (gnif/vendor-reset #52, #80): so a card that fails
 * the module known good is reset ever harder, and at last kept out of use. No commit is blamed for it.
 */
#ifndef GUEST_CARD_RESCUE_H
#define GUEST_CARD_RESCUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "guest/card.h"

/* The ladder, mildest first. Source: Documentation/ABI/testing/sysfs-bus-pci, drivers/pci/pci.c. */
enum card_rung {
	CARD_RUNG_FLR,	   /* function level reset, or what a kernel before 5.15 has instead */
	CARD_RUNG_PM,	   /* D3hot and back */
	CARD_RUNG_BUS,	   /* secondary bus reset */
	CARD_RUNG_DEVICE,  /* what the kernel, or vendor-reset, knows of this very device */
	CARD_RUNG_RESCAN,  /* removed and found again */
	CARD_RUNG_SUSPEND, /* the machine sleeps and its clock wakes it: opt-in */
	CARD_RUNGS
};

/** card_rung_name() - "function level reset", ...; never NULL */
const char *card_rung_name(enum card_rung r);

/**
 * card_reset() - one rung, while the card is bound to vfio-pci or nothing and no guest has it
 * @roots: NULL: this machine's
 * @err:   ERR_HOST: the kernel refused, or the card was not found again
 *
 * Only functions of the card's own slot that go along are touched. After CARD_RUNG_RESCAN they are bound
 * to nothing, and no host driver was offered them.
 *
 * Return: 1 done; 0 the card or the kernel has no such reset; -1 error.
 */
int card_reset(const struct card *card, enum card_rung rung, const struct card_roots *roots,
	       struct err *err);

/**
 * card_quarantine() - keep a card out of use, until card_release(), over restarts of program and machine
 * @dir:    where it is written down; made if need be
 * @reason: one line
 * @err:    ERR_HOST: it cannot be written
 */
int card_quarantine(const char *dir, const char *address, const char *reason, struct err *err);

/** card_is_quarantined() - in @ret[size] when and why, for people */
bool card_is_quarantined(const char *dir, const char *address, char *ret, size_t size);

/** card_release() - @err: ERR_USAGE: it is not in quarantine; ERR_HOST */
int card_release(const char *dir, const char *address, struct err *err);

#endif
