/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regimes: which copies are made, in which order, and one of them from mapping to sample.
 */
#ifndef PROBES_REGIMES_H
#define PROBES_REGIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "guest-agent/probes/mapping.h"
#include "guest-agent/probes/runtime.h"
#include "wire/wire.h"

#define REGIMES_SIZES_MAX   16
#define REGIMES_OFFSETS_MAX 16

struct regimes {
	struct runtime *runtime;	   /* open */
	int source;			   /* descriptor, at least as long as the largest size */
	uint64_t sizes[REGIMES_SIZES_MAX]; /* [n_sizes] bytes, ascending, whole pages */
	size_t n_sizes;
	uint64_t offsets[REGIMES_OFFSETS_MAX]; /* [n_offsets] bytes past a 2 MiB boundary */
	size_t n_offsets;
	uint32_t repeats;
	struct touch touch; /* of the resident regimes */
	bool read_permission;

	/* called with each sample as it is taken */
	int (*on_sample)(const struct wire_sample *s, void *arg, struct err *err);
	/* called with a line for people, without newline */
	void (*on_note)(const char *text, void *arg);
	void *arg;
};

/**
 * regimes_run() - a warm-up, then every size, offset, regime and repeat, smallest size first
 *
 * Once an rw-p resident copy took a whole window, the further repeats of that size and offset are
 * left out: they would cost as many windows again and tell nothing new.
 */
int regimes_run(const struct regimes *r, struct err *err);

/**
 * regimes_patterns() - the rows of the table in docs/window-law.md, each announced by a note
 * Sizes, offsets, repeats and touch of @r are not looked at; the source must hold 8 MiB.
 */
int regimes_patterns(const struct regimes *r, struct err *err);

/* Longest copy that regimes_patterns() makes [bytes]. */
#define PATTERNS_BYTES_MAX (UINT64_C(8) << 20)

#endif
