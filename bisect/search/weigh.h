/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: how much lies below each of the nodes left. */
#ifndef SEARCH_WEIGH_H
#define SEARCH_WEIGH_H

#include "search/left.h"

/** weigh() - fill in the weights, exactly */
void weigh(struct left *l);

/**
 * weigh_sums() - for each left node the sum over its left ancestors, itself included
 * @own: [l->n] what each node counts for
 * @ret: [l->n], not @own; an ancestor that is reached in several ways counts once
 */
void weigh_sums(const struct left *l, const double *own, double *ret);

/**
 * weigh_many() - weigh_sums() of @k kinds at once
 * @own: [l->n * k], a node's kinds side by side
 * @ret: [l->n * k], not @own
 */
void weigh_many(const struct left *l, const double *own, size_t k, double *ret);

#endif
