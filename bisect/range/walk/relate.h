/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: ends that cannot bound a bisection, told in words that mend it. */
#ifndef RANGE_WALK_RELATE_H
#define RANGE_WALK_RELATE_H

#include "range/walk/paint.h"

/**
 * relate() - whether the history lies between the painted ends
 * @spec:  names the ends
 * @ends:  as they were painted
 * @laid:  grafts or replacements are laid over the history, so it may have loops
 * @err:   ERR_USAGE: a loop, ends swapped, ends that share no history
 */
int relate(struct history *h, const struct range_spec *spec, const struct ends *ends,
	   const struct painting *p, bool laid, struct err *err);

#endif
