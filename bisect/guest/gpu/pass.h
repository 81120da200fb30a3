/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a rig's guests get of the host's hardware; inside the guest room only. */
#ifndef GUEST_GPU_PASS_H
#define GUEST_GPU_PASS_H

#include "base/cleanup.h"
#include "guest/guest.h"
#include "guest/virt/xml.h"

struct pass;

/** pass_check_place() - before any connection: ERR_USAGE if guests are elsewhere than the card */
int pass_check_place(const struct guest_spec *spec, struct err *err);

/**
 * pass_open() - clean up after killed runs, choose the card, see that it can be passed, and take it
 * @spec: its card, hugepages, cpus, memory (0: @memory_mib)
 * @ret:  never NULL on success, also without a card
 * @err:  ERR_USAGE: as cards_choose(), card_check(); pages, processors, ROM; ERR_HOST: as hold_take()
 *
 * libvirt's slots must have been cleaned before: a guest that a killed run left still has its card.
 */
int pass_open(const struct guest_spec *spec, unsigned int memory_mib, struct pass **ret,
	      struct err *err);
void pass_close(struct pass *p); /* gives the card back; its guest must have ended */
DEFINE_CLEANUP(struct pass *, pass_close)

/** pass_card() - address of the card that guests get, or NULL: then they may be saved and restored */
const char *pass_card(const struct pass *p);

/** pass_reset() - a rung of the ladder, and the card to vfio-pci again; as card_reset() */
int pass_reset(struct pass *p, enum card_rung rung, struct err *err);

/** pass_is_named() - true if the user wants this very card */
bool pass_is_named(const struct pass *p);

/** pass_id() - its "VENDOR:DEVICE" as the agent writes it, or NULL */
const char *pass_id(const struct pass *p);

/** pass_fill() - the domain's part; points into @p */
void pass_fill(const struct pass *p, struct xml_domain *d);

#endif
