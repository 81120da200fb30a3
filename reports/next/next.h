/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands with which somebody goes on from a report, each as a shell takes it. Within reports/ only. */
#ifndef REPORTS_NEXT_NEXT_H
#define REPORTS_NEXT_NEXT_H

#include "reports/model.h"

/**
 * next_again() - try the culprit by itself once more, as the run did
 * @digits: of each commit's id
 *
 * `test`, with the commit that set the band of the controls; where a rule is a metric, which is held against
 * two ends, `run` from its parents to it.
 *
 * @asked:  with what; NULL: not known
 *
 * Return: owned by the caller; NULL if that is not known, no commit is named, or a parent is needed and none is known.
 */
char *next_again(const struct report *r, const struct report_asked *asked, int digits);

/** next_commands() - to look at the commit that is named, and to try it again; none if none is */
void next_commands(const struct report *r, const struct report_asked *asked, struct strv *ret);

#endif
