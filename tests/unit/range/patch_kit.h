/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of patches share. */
#ifndef TESTS_RANGE_PATCH_KIT_H
#define TESTS_RANGE_PATCH_KIT_H

#include "base/err.h"
#include "range/patch/patch.h"

/** patch_kit_open() - one patch, named as --apply names it; the test fails if it cannot be had */
struct patches *patch_kit_open(const char *repo, const char *text);

/** patch_kit_tree() - a root tree with patches, in hex, owned by the caller; NULL with @err: it cannot have them */
char *patch_kit_tree(const char *repo, const struct patches *p, const char *id, struct err *err);

#endif
