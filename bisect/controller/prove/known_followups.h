/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside prove/ only: which commits may complete the culprit. */
#ifndef CONTROLLER_PROVE_KNOWN_FOLLOWUPS_H
#define CONTROLLER_PROVE_KNOWN_FOLLOWUPS_H

#include "controller/loop/loop.h"

struct known_followup {
	char id[COMMIT_ID_SIZE];
	const char *how; /* why it is one, for people */
};

/**
 * known_followups() - the one that --follow-up names; else those whose messages name the culprit or its
 *                     upstream commit and that the tip lacks (--upstream: of that branch alone), and who
 *                     took an earlier turn back in this run
 * @ret: array owned by the caller, what says most first
 */
int known_followups(struct run *r, const char *culprit, const char *tip,
		    struct known_followup **ret, size_t *n, struct err *err);

#endif
