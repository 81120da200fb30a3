/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside range/ only: the simplified history in order, and loops in it. */
#ifndef RANGE_WALK_NUMBER_H
#define RANGE_WALK_NUMBER_H

#include "range/walk/list.h"
#include "range/walk/simplify.h"

/* Candidates, every parent before its children. */
struct numbered {
	struct list nodes; /* candidate → node */
	struct list edges; /* candidates; each once among the parents of one */
	struct list first; /* [nodes.n + 1] candidate → its first parent in edges */
	struct list
		named; /* [nodes.n] candidate → the last of its children, counted from 1; 0: none */
};
void numbered_deinit(struct numbered *n);

/**
 * number() - decide what is followed from @from, and number the candidates
 * @v:   with the final paint and the calling thread's reader
 * @ret: filled, or added to; node->candidate is set in all that is followed
 * @err: ERR_HOST: a tree that is missing or damaged, named; ERR_STOPPED
 */
int number(const struct view *v, uint32_t from, struct numbered *ret, struct err *err);

/**
 * number_loop() - look for a commit that is its own ancestor
 * @from: where to begin
 * @ret:  the commit
 *
 * Grafts and replacements can make one; object ids cannot.
 */
bool number_loop(struct history *h, uint32_t from, uint32_t *ret);

#endif
