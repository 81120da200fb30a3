/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of devices; inside the guest room only. */
#ifndef GUEST_GPU_PCIIDS_H
#define GUEST_GPU_PCIIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * pciids_find() - a device's name in a list of PCI ids
 * @text: [len], "VVVV  Vendor" lines, each with its "\tDDDD  Device" lines after it
 * @ret:  [size], cut, printable; untouched if it is not listed
 *
 * Source: https://pci-ids.ucw.cz, the head of the list itself
 */
bool pciids_find(const char *text, size_t len, uint16_t vendor, uint16_t device, char *ret,
		 size_t size);

/** pciids_name() - the same in this machine's list, if it has one */
bool pciids_name(uint16_t vendor, uint16_t device, char *ret, size_t size);

#endif
