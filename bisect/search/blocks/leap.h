/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: how likely a node can be tried, by what could not. */
#ifndef SEARCH_LEAP_H
#define SEARCH_LEAP_H

#include "search/left.h"

/**
 * leap_chances() - the chance of each node that its trial gives a verdict
 * @presumed: [l->n] as of blocks_presume()
 * @ret:      [l->n] > 0 and <= 1; without a meaning for nodes that were tried
 */
void leap_chances(const struct left *l, const struct told *told, const uint32_t *presumed,
		  double *ret);

#endif
