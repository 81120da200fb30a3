/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Scope unit: the one translation unit that matters, and what it lacks outside the driver. */
#ifndef BUILD_UNIT_H
#define BUILD_UNIT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "build/kernel/symvers.h"

#define UNIT_FUNCTION "amdgpu_hmm_range_get_pages"

/** unit_defines() - true if C text defines (not only declares, calls or mentions) a function */
bool unit_defines(const char *text, const char *function);

/**
 * unit_find() - the file that defines amdgpu_hmm_range_get_pages()
 * @amdgpu: ".../drivers/gpu/drm/amd/amdgpu"
 * @ret:    its name without ".c", owned by the caller: "amdgpu_hmm", "amdgpu_mn", or another
 * @err:    ERR_BUILD: no file does, so this candidate has nothing to test
 */
int unit_find(const char *amdgpu, char **ret, struct err *err);

/**
 * unit_stubs() - text of the mirror's stubs.c
 * @undefined: symbols the unit wants
 * @symvers:   symbols the kernel and its modules export
 * @ret:       one MIRROR_STUB() for each symbol that nothing provides, sorted; owned by the caller
 * Source: guest-agent/mirror/README.md, "What the builder adds".
 */
char *unit_stubs(const struct strv *undefined, const struct symvers *symvers);

#endif
