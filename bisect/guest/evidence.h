/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest in trouble can still tell before it is ended; inside the guest room only. */
#ifndef GUEST_EVIDENCE_H
#define GUEST_EVIDENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "guest/virt/domain.h"

#define EVIDENCE_REGISTERS "registers.txt" /* QEMU's "info registers", all processors */
#define EVIDENCE_CORE	   "vmcore"	   /* makedumpfile's flattened form, as crash(8) reads */

/**
 * evidence_take() - processor registers, and memory as well, into files of a trial
 * @dir:  the trial's
 * @core: file on the guests' machine that its memory is written to as well, which takes seconds, and 20 MiB
 *        and more; NULL: it is not
 * @text: [size] a few words for people, with the instruction pointer; empty if nothing could be had
 *
 * The guest need not run. QEMU may not answer either: then nothing is had, after a few seconds.
 * Return: true if the memory was written.
 */
bool evidence_take(const struct domain *d, const char *dir, const char *core, char *text,
		   size_t size);

/** evidence_rip() - the first processor's instruction pointer in QEMU's text; false: none in it */
bool evidence_rip(const char *registers, char *ret, size_t size);

#endif
