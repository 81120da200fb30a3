/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What earlier parts of a run found. The loop has no state of its own that matters: it begins anew
 * each time, and every trial it asks for is taken from here as long as there is one. So a run that
 * was stopped or killed at any moment goes the way it went before, through the same code.
 */
#ifndef CONTROLLER_LOOP_PAST_H
#define CONTROLLER_LOOP_PAST_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"

struct past {
	struct store_trial *trials; /* [n] in order, owned */
	bool *used;		    /* [n], owned */
	size_t n;
};

int past_load(struct past *p, struct store *s, struct err *err);
void past_deinit(struct past *p);

/** past_refresh() - what others wrote since */
int past_refresh(struct past *p, struct store *s, struct err *err);

/**
 * past_take() - the next verdict of a commit in a role
 * @ret: borrowed until past_deinit()
 * Return: false if there is none, or one that ends in the middle of what lab_try_hard() does.
 */
bool past_take(struct past *p, const char *id, enum store_role role,
	       const struct store_trial **ret);

/** past_take_any() - the next verdict in a role, of whatever commit; NULL: none */
const struct store_trial *past_take_any(struct past *p, enum store_role role);

/** past_has() - true if past_take() would find something */
bool past_has(const struct past *p, const char *id, enum store_role role);

/** past_keep() - of a role only verdicts equal to @want; the others are asked for again */
void past_keep(struct past *p, enum store_role role, enum verdict want);

#endif
