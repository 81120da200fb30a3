/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a card now; inside the guest room only. */
#ifndef GUEST_GPU_USERS_H
#define GUEST_GPU_USERS_H

#include "guest/gpu/sysfs.h"

/**
 * users_screen() - what of the host would lose its screen with this card
 * @s:   all functions: a console on another card's frame buffer is none of this one's
 * @ret: [size] for people; "" nothing
 *
 * That is a console on the card's frame buffer, or on the firmware's where the card is the boot display,
 * and any process that has one of its device nodes open.
 */
void users_screen(const struct sysfs *s, const struct card_function *f, char *ret, size_t size);

/**
 * users_vfio() - the guest or process that has the function's group through VFIO
 * @ret: [size] for people; "" nobody
 */
void users_vfio(const struct card_roots *roots, const struct card_function *f, char *ret,
		size_t size);

#endif
