/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a card's functions were bound to before a run took them; inside the guest room only. */
#ifndef GUEST_GPU_JOURNAL_H
#define GUEST_GPU_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "guest/card.h"

#define JOURNAL_FUNCTIONS_MAX 64
#define JOURNAL_BYTES_MAX     16384

struct binding {
	char address[CARD_ADDRESS_SIZE];
	char driver[32];   /* "" none */
	char override[32]; /* driver_override before; "" none */
};

struct journal {
	char boot[64]; /* boot_id: after a reboot nothing is left to be given back */
	struct binding items[JOURNAL_FUNCTIONS_MAX];
	size_t n;
};

/** journal_write() - as text: "boot ID", then "ADDRESS DRIVER OVERRIDE" a line, "-" for none */
void journal_write(const struct journal *j, struct buf *ret);

/** journal_parse() - @text: [len]; false if it is anything else than what journal_write() gives */
bool journal_parse(const char *text, size_t len, struct journal *ret);

#endif
