/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modules of a built tree, in the order they are to be loaded. */
#ifndef BUILD_ORDER_H
#define BUILD_ORDER_H

#include "base/err.h"
#include "base/str.h"

/**
 * order_modules() - a module and all that it depends on, directly or not, before it
 * @tree: where `make modules` ran
 * @name: "amdgpu"
 * @ret:  their .ko files with paths; each after those it depends on
 * @err:  ERR_BUILD: make made no such module, or not one that another needs; modules that need each other
 *
 * Source: modules.order, as scripts/Makefile.build writes it; .modinfo, "depends".
 */
int order_modules(const char *tree, const char *name, struct strv *ret, struct err *err);

/** order_name() - "drivers/gpu/drm/scheduler/gpu-sched.ko" → "gpu_sched"; to be freed */
char *order_name(const char *path);

#endif
