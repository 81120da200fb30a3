/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: which commits lie between the ends, and how the ends lie to each other. */
#ifndef RANGE_WALK_PAINT_H
#define RANGE_WALK_PAINT_H

#include "range/ends.h"
#include "range/walk/crew.h"
#include "range/walk/history.h"
#include "range/walk/list.h"

struct painting {
	uint32_t bad;	   /* node of the new end */
	struct list good;  /* nodes of the old ends, in the order of struct ends */
	size_t n_in;	   /* nodes that have PAINT_IN */
	size_t ends_left;  /* old ends that are no ancestors of the new one */
	struct list bases; /* best common ancestors that are no old ends themselves */
	struct list
		also; /* nodes of what is painted as if it were a new end; filled by the caller */
};
void painting_deinit(struct painting *p);

/**
 * paint() - read the history between two ends and paint it
 * @h:            empty; afterwards every node that has PAINT_IN is read, and so are its parents
 * @first_parent: the range is the new end's line of first parents
 * @crew:         told of each commit as soon as it seems to be of the range; or NULL
 * @ret:          filled
 */
int paint(struct history *h, const struct ends *ends, bool first_parent, struct crew *crew,
	  struct painting *ret, struct err *err);

#endif
