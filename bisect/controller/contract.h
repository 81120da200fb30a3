/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A graph of candidates without some of them, under the same numbers. */
#ifndef CONTROLLER_CONTRACT_H
#define CONTROLLER_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "range/range.h"

struct contracted {
	uint32_t *first; /* [n + 1], owned; as struct search_graph has it */
	uint32_t *parents;
	size_t n_dropped;
};
void contracted_deinit(struct contracted *c);

/**
 * contract() - leave candidates out: their children have their parents
 * @drop: [range->n] true: may be left out; false is written for those that stay after all
 *
 * Whatever is left has the ancestors it had, less those left out. One left out keeps its own parents, and no
 * child: a verdict on it says of them what it did. The new end stays, and so does a merge of more parents
 * than are worth copying to each child.
 */
void contract(const struct range *range, bool *drop, struct contracted *ret);

#endif
