/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measured rates: how long a stage took lately on this machine, kept in the cache directory, so that
 * `plan` and the first steps of a run can say how long it will take.
 */
#ifndef RATES_H
#define RATES_H

#include <stdint.h>

/** rates_get() - expected time of a stage at a scope [ns]; what this machine measured, else a figure
 * for two cores under emulation (docs/costs in README) */
int64_t rates_get(const char *scope, const char *stage);

/** rates_add() - one more measurement; weighs a quarter. Kept on disk; failures are ignored. */
void rates_add(const char *scope, const char *stage, int64_t elapsed_ns);

#endif
