/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * After the culprit is confirmed: the three corners that need a commit which nobody made. The tip without the
 * culprit and the tip with a follow-up must be as before it, and the old end with the culprit as after it.
 *
 * Each such commit is made by range/pick beside the repository, in the run's directory, and tried like any
 * other, in a role of its own. A corner that cannot be had is missing, with the reason as a fact.
 */
#ifndef CONTROLLER_PROVE_PROVE_H
#define CONTROLLER_PROVE_PROVE_H

#include "controller/loop/loop.h"

/** prove_check() - --tip and --follow-up name commits; ERR_USAGE: one does not, before hours are spent */
int prove_check(const struct options *o, const char *repo, struct err *err);

/**
 * prove_culprit() - try the three corners; what is stored of them already is not tried again
 * @r:       after the culprit and its parents were confirmed and the turns found
 * @culprit: full id
 * @err:     as loop_try(); with any of them the run can be resumed
 */
int prove_culprit(struct run *r, const char *culprit, struct err *err);

#endif
