/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After a crash: objects that a killed compiler may have left half-written. */
#ifndef BUILD_MEND_H
#define BUILD_MEND_H

#include "base/err.h"

/**
 * mend_objects() - remove each object and module whose command file is missing or older than it
 *
 * Kbuild writes .NAME.o.cmd after NAME.o is whole; make itself looks at times alone and would take
 * half an object for a finished one.
 *
 * Source: cmd_and_fixdep and if_changed in scripts/Kbuild.include.
 */
int mend_objects(const char *dir, struct err *err);

#endif
