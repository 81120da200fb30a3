/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The disk guest of a run: every candidate is tried upon one and the same, also after a resume. */
#ifndef CONTROLLER_KEPT_DISK_H
#define CONTROLLER_KEPT_DISK_H

#include "base/err.h"
#include "guest/guest.h"
#include "options.h"
#include "store/store.h"

/**
 * disk_keep() - the run's options name the disk that was found, and the store what is in it
 * @rig: as it was opened for the run; nothing is done where its guests have no disk
 * @err: ERR_HOST
 *
 * Fact: guest.disk.content. What else was taken from the options is to be refreshed, lab_refresh().
 */
int disk_keep(struct options *o, struct store *s, const struct rig *rig, struct err *err);

/**
 * disk_same() - the rig of a resumed run has the disk that it began with
 * One that the user names now is taken, and noted.
 * @err: ERR_USAGE: it was made anew since
 */
int disk_same(const struct options *o, struct store *s, const struct rig *rig, struct err *err);

#endif
