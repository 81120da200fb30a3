/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run's options as facts of its store; their keys are in reports/report.h. */
#ifndef CONTROLLER_KEPT_QUESTION_H
#define CONTROLLER_KEPT_QUESTION_H

#include "base/err.h"
#include "options.h"
#include "store/store.h"

/** kept_option_put() / kept_options_put() - one, or all that have a key, without where the run is kept */
int kept_option_put(struct store *s, const struct options *o, enum option id, struct err *err);
int kept_options_put(struct store *s, const struct options *o, struct err *err);

/**
 * kept_options() - the run's options into @o, without its ends; flags of this call win
 * @err: whatever reading the store gives
 */
int kept_options(struct store *s, struct options *o, struct err *err);

#endif
