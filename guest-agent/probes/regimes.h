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
#include "guest-agent/probes/runtime/runtime.h"
#include "wire/wire.h"

#define REGIMES_SIZES_MAX   16
#define REGIMES_OFFSETS_MAX 16

struct regimes {
	struct runtime *runtime; /* open */
	int source;		 /* descriptor, as long as the largest size and file_offset */
	uint64_t sizes[REGIMES_SIZES_MAX]; /* [n_sizes] bytes, ascending */
	size_t n_sizes;
	uint64_t offsets[REGIMES_OFFSETS_MAX]; /* [n_offsets] bytes past a 2 MiB boundary */
	size_t n_offsets;
	uint64_t file_offset; /* of the mappings in the source [bytes], whole pages */
	uint32_t repeats;
	struct touch touch; /* of the resident regimes */
	bool read_permission;
	bool anonymous; /* after the regimes of each size, anonymous memory as a further control */
	bool kept_mapping; /* repeats use the mapping of the first */
	bool fresh_buffer; /* as the runtime was opened; told in each sample */
	uint32_t device;   /* likewise */
	uint32_t process;  /* told in each sample */
	enum wire_path path;

	/* around a copy whose time does not count, or NULL: what the kernel did meanwhile */
	void (*evidence_begin)(void *arg);
	void (*evidence_end)(struct wire_sample *s, void *arg);
	void *evidence;

	/* called with each sample as it is taken */
	int (*on_sample)(const struct wire_sample *s, void *arg, struct err *err);
	/* called with a line for people, without newline */
	void (*on_note)(const char *text, void *arg);
	void *arg;
};

/* One copy to be made. */
struct copy {
	enum wire_regime regime;
	bool warmup;
	uint32_t repeat;
	uint64_t bytes;
	uint64_t offset;
	const struct touch *touch;
	bool anonymous;
};

/** regimes_copy() - one copy from a fresh mapping, passed to on_sample() and left in @ret */
int regimes_copy(const struct regimes *r, const struct copy *c, struct wire_sample *ret,
		 struct err *err);

/** regimes_warm_up() - the first copy of a process, which is slow whatever the mapping */
int regimes_warm_up(const struct regimes *r, uint64_t bytes, struct err *err);

/**
 * regimes_run() - a warm-up, then every size, offset, regime and repeat, smallest size first
 *
 * Once an rw-p resident copy took a whole window, the further repeats of that size and offset are
 * left out: they would cost as many windows again and tell nothing new.
 */
int regimes_run(const struct regimes *r, struct err *err);

#endif
