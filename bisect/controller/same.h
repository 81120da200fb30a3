/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One artifact is tried once: a candidate that came to be what another one was tried as takes that one's
 * verdict and is not booted. Pure.
 */
#ifndef CONTROLLER_SAME_H
#define CONTROLLER_SAME_H

#include <stdbool.h>
#include <stddef.h>

#include "store/store.h"

/** same_counts() - true for roles whose trial may be spared; ends and what confirms are always fresh */
bool same_counts(enum store_role role);

/**
 * same_find() - the trial that an artifact was tried in
 * @t:         [n] trials of this run, in order
 * @key:       what it is made from
 * @signature: what it came to be; "" counts for nothing, and neither does an empty @key
 * @asked:     how it would be tried; trials that asked otherwise do not count
 *
 * Its verdict is good or bad, or a skip that is the artifact's own doing: a guest that did not boot or
 * died may be the machine's, and a measurement that moved is chance.
 *
 * Return: borrowed from @t; NULL if there is none, or if such trials do not agree.
 */
const struct store_trial *same_find(const struct store_trial *t, size_t n, const char *key,
				    const char *signature, const char *asked);

/** same_take() - its verdict as that of another commit; the reason says so where there is room */
void same_take(const struct store_trial *from, struct store_verdict *ret);

/** same_reason() - a reason without what same_take() put before it; within @reason */
const char *same_reason(const char *reason);

/** same_counted() - trials of a run that were not booted, for this reason */
size_t same_counted(const struct store_trial *t, size_t n);

#endif
