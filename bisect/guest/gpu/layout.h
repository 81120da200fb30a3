/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A card's place in the guest; inside the guest room only. */
#ifndef GUEST_GPU_LAYOUT_H
#define GUEST_GPU_LAYOUT_H

#include "guest/card.h"
#include "guest/virt/xml.h"

#define LAYOUT_MAX 8 /* functions of one slot */

/**
 * layout_hostdevs() - the functions that go along, as functions of one device of the guest
 * @ret: [LAYOUT_MAX]; function numbers are the host's, but for the first, which must be 0
 * Return: how many.
 */
size_t layout_hostdevs(const struct card *card, struct xml_hostdev ret[LAYOUT_MAX]);

/**
 * layout_window_gib() - how much room above 4 GiB the guest's bridge must have for the BARs [GiB]
 *
 * Twice what they take, since each lies at a multiple of its size, as a power of two. 0: the default of
 * QEMU's q35 machine (32 GiB) is enough.
 * Source: QEMU, hw/pci-host/q35.c, Q35_PCI_HOST_HOLE64_SIZE_DEFAULT
 */
unsigned int layout_window_gib(const struct card *card);

/**
 * layout_cpus() - a list of host processors, "2-5,8"
 * @here: they are this machine's, so they must be such that this process may run on
 * @ret:  [*n], owned by the caller
 * @err:  ERR_USAGE: no such list, or not such a processor
 */
int layout_cpus(const char *text, bool here, unsigned int **ret, size_t *n, struct err *err);

/**
 * layout_hugepages() - are there enough huge pages?
 * @size: "2M" or "1G"
 * @err:  ERR_USAGE: how many are missing, and how to get them
 */
int layout_hugepages(const struct card_roots *roots, const char *size, unsigned int memory_mib,
		     struct err *err);

/**
 * layout_rom() - the expansion ROM that the guest sees
 * @rom: "on" or NULL: the card's own; "off": none; else a file
 * @ret: NULL, "off", or the file's absolute path; owned by the caller
 * @err: ERR_USAGE: it cannot be read, or is no such ROM, which QEMU would pass all the same
 *
 * Source: PCI Firmware Specification, expansion ROM header: it begins with 55 aa.
 */
int layout_rom(const char *rom, char **ret, struct err *err);

#endif
