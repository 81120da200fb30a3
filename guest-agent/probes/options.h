/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options of copy-regimes. */
#ifndef PROBES_OPTIONS_H
#define PROBES_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "guest-agent/probes/regimes.h"

#define OPTIONS_FILES_MAX   8
#define OPTIONS_DEVICES_MAX 64

struct options {
	const struct runtime_ops *runtime;
	struct runtime_setup setup;
	const char *files[OPTIONS_FILES_MAX]; /* [n_files]; none: one in /tmp */
	size_t n_files;
	bool all_devices;
	uint32_t devices[OPTIONS_DEVICES_MAX]; /* [n_devices] */
	size_t n_devices;
	uint32_t processes;
	bool patterns;
	uint32_t random; /* copies with random presence; 0: the regimes */
	uint64_t seed;
	bool path;     /* prove the path before (hip) */
	bool evidence; /* a pass with the kernel's probes after the measured one */
	bool help;
	struct regimes regimes;
};

/** options_defaults() - what holds where nothing is asked for */
void options_defaults(struct options *o);

/** options_parse() - fill @o; ERR_USAGE with a line that says what is wrong */
int options_parse(int argc, char **argv, struct options *o, struct err *err);

/** options_bytes() - length of the longest copy [bytes] */
uint64_t options_bytes(const struct options *o);

extern const char options_help[];

#endif
