/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files of a kernel tree the driver's kernel consists of. Pure. */
#ifndef CONTROLLER_KERNEL_PART_H
#define CONTROLLER_KERNEL_PART_H

#include <stdbool.h>

/** kernel_part() - true if a file is built into the kernel or a module that amdgpu stands on, or may be */
bool kernel_part(const char *path);

/** kernel_part_below() - true if such a file may lie at or below a directory */
bool kernel_part_below(const char *dir);

#endif
