/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside search/ only: which of the nodes left to try. */
#ifndef SEARCH_PICK_H
#define SEARCH_PICK_H

#include "search/left.h"

/**
 * pick() - the node whose trial is expected to tell most
 * @l:        with weights
 * @verdicts: of the whole graph; only SKIP and BAD matter here
 * @bad:      node known bad at the start
 *
 * Return: index into @l, or LEFT_NONE if nothing left can be tried.
 */
uint32_t pick(const struct left *l, const enum verdict *verdicts, uint32_t bad);

#endif
