/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Before guests are prepared: --firmware, as their driver needs it. */
#ifndef CONTROLLER_FIRMWARE_H
#define CONTROLLER_FIRMWARE_H

#include "options.h"

/**
 * firmware_dir() - where the guests' firmware is taken from
 * @o:        the scope is settled
 * @may_lack: true: the user named no place, so one without firmware is worth a warning alone
 *
 * By itself (auto) a guest gets firmware where amdgpu.ko meets a card, which is at scope module with --gpu:
 * the unit in the mirror asks for none, a kernel of the candidate's own may be without what it needs to
 * read the image, and a guest with a disk has firmware of its own.
 *
 * Return: a directory, owned by @o or static; NULL: guests get none.
 */
const char *firmware_dir(const struct options *o, bool *may_lack);

#endif
