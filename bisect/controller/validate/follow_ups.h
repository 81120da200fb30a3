/* SPDX-License-Identifier: GPL-2.0-or-later */
/* audit --test: which missing follow-up completes what the tree has. */
#ifndef CONTROLLER_VALIDATE_FOLLOW_UPS_H
#define CONTROLLER_VALIDATE_FOLLOW_UPS_H

#include "controller/validate/validation.h"

struct follow_up {
	const char *id; /* full, borrowed */
	struct effect_verdict effect;
};

struct follow_ups {
	struct follow_up *items; /* [n] */
	size_t n;
	struct effect_verdict
		base; /* the tree by itself: @base_word is "good", "bad", "not booted", ... */
	const char *base_word;
	char *dir; /* where the raw data lies */
};
void follow_ups_deinit(struct follow_ups *f);

/**
 * follow_ups_test() - the tree, and the tree with each follow-up, measured in turns
 * @tree_repo, @tree_id: what they are laid on
 * @up_repo:             where they are from; of another repository they are laid on as patches
 * @f:                   its items are filled in
 * @err:                 as validation_open() and validation_run() say
 */
int follow_ups_test(struct options *o, struct progress *p, const char *tree_repo,
		    const char *tree_id, const char *up_repo, struct follow_ups *f,
		    struct err *err);

#endif
