/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With a card, after each trial that was not good: is it the commit, or does the card fail everything
 * now? The module known good must pass on the same card before anything else is tried on it. If it does
 * not, the card is reset ever harder, and at last given up. What failed meanwhile says nothing of a commit.
 */
#ifndef CONTROLLER_CANARY_H
#define CONTROLLER_CANARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "guest/card_rescue.h"

/* What the walk needs of whoever has the card. Each int: -1 is an error, which ends the walk. */
struct canary_ops {
	/* the module known good once more; @why [size] what it did instead */
	int (*pass)(void *arg, bool *ret, char *why, size_t size, struct err *err);
	/* as card_reset(); its -1 is a reset that failed, and the next one is tried */
	int (*reset)(void *arg, enum card_rung rung, struct err *err);
	/* 1: another card is used from now on; 0: there is none */
	int (*give_up)(void *arg, const char *why, struct err *err);
	/* a line for people and for the run's log */
	void (*say)(void *arg, const char *line);
};

enum canary {
	CANARY_SOUND,  /* it passed: what failed before it failed by itself */
	CANARY_MENDED, /* it passes again, after a reset */
	CANARY_OTHER,  /* it did not; another card is there */
	CANARY_LOST,   /* and none is left */
};

/**
 * canary_walk() - the question and, if need be, the ladder
 * @suspend: the last rung may be taken
 * @why:     [size] what was found and tried, a line for people
 */
int canary_walk(const struct canary_ops *ops, void *arg, bool suspend, enum canary *ret, char *why,
		size_t size, struct err *err);

#endif
