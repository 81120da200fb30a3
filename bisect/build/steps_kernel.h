/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scope kernel: the kernel that the guest boots, and the driver for it. Inner to the steps. */
#ifndef BUILD_STEPS_KERNEL_H
#define BUILD_STEPS_KERNEL_H

#include "base/err.h"
#include "build/steps.h"

/** steps_kernel() - see steps_make() */
int steps_kernel(const struct steps *s, struct artifact *a, struct err *err);

#endif
