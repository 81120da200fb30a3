/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweeps: sets of copies that hold the window law against what a mapping can look like. */
#ifndef PROBES_PATTERNS_H
#define PROBES_PATTERNS_H

#include <stdint.h>

#include "base/err.h"
#include "guest-agent/probes/regimes.h"

/**
 * sweep_patterns() - the rows of the table in docs/window-law.md, each announced by a note
 * Sizes, offsets, repeats and touch of @r are not looked at; the source must hold SWEEP_BYTES_MAX.
 */
int sweep_patterns(const struct regimes *r, struct err *err);

/**
 * sweep_random() - copies from mappings with random presence, size and alignment
 * @n:    so many
 * @seed: the same seed gives the same ones, however many processes share them
 * @of:   processes that share them; r->process takes each @of-th
 *
 * Most are rw-p with a random set of extents touched, in whole or by one page; one in eight is
 * read-only, and in one nothing is touched. Sizes are random pages up to four extents.
 */
int sweep_random(const struct regimes *r, uint32_t n, uint64_t seed, uint32_t of, struct err *err);

/* Longest copy that a sweep makes [bytes]. */
#define SWEEP_BYTES_MAX (UINT64_C(8) << 20)

#endif
