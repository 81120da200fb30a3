/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cards as libvirt's node devices name them; inside the guest room only. */
#ifndef GUEST_GPU_NODEDEV_H
#define GUEST_GPU_NODEDEV_H

#include "guest/card.h"

/* One <device> with a PCI capability. */
struct nodedev {
	char address[CARD_ADDRESS_SIZE];
	char vendor_name[64], product_name[96]; /* "" where libvirt knows none */
	uint16_t vendor, device;
	uint32_t class;
};

/**
 * nodedev_parse() - one description
 * @xml: [len], from libvirt, bounded to NODEDEV_XML_MAX
 * Return: false if it is none of a PCI function with address, vendor and product.
 * Source: /usr/share/libvirt/schemas/nodedev.rng
 */
#define NODEDEV_XML_MAX (256 * 1024)
bool nodedev_parse(const char *xml, size_t len, struct nodedev *ret);

/**
 * nodedev_list() - the PCI functions that a connection knows
 * @uri: not the embedded driver's, which has no node devices
 * @ret: [*n], owned by the caller
 * @why: [size] for people, if there are none to be had
 *
 * Return: true if the connection offers node devices.
 */
bool nodedev_list(const char *uri, struct nodedev **ret, size_t *n, char *why, size_t size);

#endif
