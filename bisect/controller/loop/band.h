/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The band that a good end's samples set for all other trials. */
#ifndef CONTROLLER_LOOP_BAND_H
#define CONTROLLER_LOOP_BAND_H

#include "judge/judge.h"
#include "store/store.h"

/** band_of() - what a stored trial measured; @err: ERR_HOST */
int band_of(struct store *s, int64_t trial, struct baseline *ret, struct err *err);

/**
 * band_allows() - does a verdict stand that was found without the band?
 * An end may be tried at the same time as the one that sets the band.
 * @v: of @trial
 * Return: 1 it does: it is no measurement, or by the band it is the same; 0 it does not; -1 error.
 */
int band_allows(struct store *s, int64_t trial, const struct store_verdict *v,
		const struct baseline *base, struct err *err);

#endif
