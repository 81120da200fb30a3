/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tree's config is made from, read once: the distribution's config, our own two files where it is
 * trimmed, and the user's fragments. Inner to the tree.
 */
#ifndef BUILD_TREE_INPUTS_H
#define BUILD_TREE_INPUTS_H

#include <stdbool.h>

#include "base/err.h"
#include "build/build.h"
#include "build/kernel/fragment.h"

#define GUEST_CONFIG "guest.config" /* what the guest needs, fixed */
#define KEEP_LIST    "keep.list"    /* what is as the distribution has it */

struct config_inputs {
	char *distribution;	  /* text of its config */
	char *start;		  /* what make completes: its .config, or its KCONFIG_ALLCONFIG */
	bool trimmed;		  /* the latter: what @start does not name is off */
	struct settings settings; /* what must be so in the end */
	struct strv names;	  /* of the files, for messages */
	char digest[65];
};

/**
 * config_inputs_read() - read all that a spec names
 * @ret: owned by the caller, config_inputs_deinit()
 * @err: ERR_USAGE: a file that cannot be read, or is something else
 */
int config_inputs_read(const struct build_spec *spec, struct config_inputs *ret, struct err *err);
void config_inputs_deinit(struct config_inputs *in);

#endif
