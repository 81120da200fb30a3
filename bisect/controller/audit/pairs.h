/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Within audit/ only: the list of pairs, and who may be in it. */
#ifndef CONTROLLER_AUDIT_PAIRS_H
#define CONTROLLER_AUDIT_PAIRS_H

#include "controller/audit/audit.h"

/** pairs_is_follow_up() - the tree has it not, and upstream kept it */
bool pairs_is_follow_up(const struct audit *a, uint32_t i);

/** pairs_is_carried() - a change of the tree that is asked about */
bool pairs_is_carried(const struct audit *a, uint32_t i);

/**
 * pairs_add() - one more, or a surer reason for one that is there
 * Call it with follow-ups in the order of the list. Return: it, until the next call.
 */
struct pair *pairs_add(struct audit *a, const struct pair *p);

#endif
