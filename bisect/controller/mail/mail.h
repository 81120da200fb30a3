/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --mail: what the repository knows of the commits of a run is brought to the draft. */
#ifndef CONTROLLER_MAIL_MAIL_H
#define CONTROLLER_MAIL_MAIL_H

#include "reports/mail/mail.h"

/**
 * mail_gather() - authors, messages, files, MAINTAINERS and versions
 * @ask: what the draft is about, no refusal
 * @ret: owned by the caller, mail_source_deinit()
 * @err: ERR_USAGE: the run's repository is not there; ERR_HOST: it lacks the commit, or is damaged
 */
int mail_gather(enum mail_kind kind, const struct mail_ask *ask, struct mail_source *ret,
		struct err *err);

#endif
