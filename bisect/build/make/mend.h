/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After a crash: objects that a killed compiler may have left half-written. */
#ifndef BUILD_MEND_H
#define BUILD_MEND_H

#include "base/err.h"

/**
 * mend_objects() - remove what has a command file that is older, and objects and modules that have none
 *
 * Kbuild writes .NAME.cmd after NAME is whole; make itself looks at times alone and would take
 * half an object for a finished one.
 *
 * Source: cmd_and_fixdep and if_changed in scripts/Kbuild.include.
 */
int mend_objects(const char *dir, struct err *err);

#endif
