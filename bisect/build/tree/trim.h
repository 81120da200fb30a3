/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel trees are the largest part of the cache: the one used longest ago makes room for a new one.
 *
 * trees/NAME/ is a tree, trees/NAME.lock its lock, which whoever uses the tree writes its pid into: so
 * the lock's time is that of the last use. trees/NAME.gone is a tree that is being removed; it got that
 * name in one step, so that nobody takes half a tree for a whole one.
 */
#ifndef BUILD_TREE_TRIM_H
#define BUILD_TREE_TRIM_H

#include <stdint.h>

#include "base/err.h"

/**
 * tree_trim() - remove trees, those used longest ago first, until the others fit
 * @dir:       ".../trees"
 * @own:       name of the tree that stays, whose lock the caller holds
 * @own_bytes: what it takes, or will
 * @max_bytes: what all may take
 * @err:       ERR_HOST: a tree that cannot be removed; ERR_STOPPED
 *
 * A tree that another controller has locked stays. What a killed removal left goes first, whatever it
 * takes.
 */
int tree_trim(const char *dir, const char *own, uint64_t own_bytes, uint64_t max_bytes,
	      struct err *err);

#endif
