/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts that drafts are made of. Within reports/mail/ only. */
#ifndef REPORTS_MAIL_DRAFT_H
#define REPORTS_MAIL_DRAFT_H

#include "reports/mail/mail.h"
#include "reports/model.h"

struct draft {
	const struct report *r;
	const struct mail_source *src;
	struct buf *b;
};

/**
 * draft_wrap() - a paragraph, broken at blanks to 75 columns
 * @indent: at least 2 where the text is foreign, so that none of it can open a line
 */
__attribute__((format(printf, 3, 4))) void draft_wrap(struct buf *b, size_t indent, const char *fmt,
						      ...);

/** draft_head() - an empty line, the words and a line under them */
void draft_head(struct buf *b, const char *words);

/** draft_fact() - "  label:  value" under each other, wrapped; nothing if there is no value */
void draft_fact(struct buf *b, const char *label, const char *value);

/** draft_named() - 'ID ("SUBJECT")' on a line of its own; quoted, so never broken */
void draft_named(struct buf *b, size_t indent, const char *id, const char *subject);

/** draft_is_windows() - what was seen is the mechanism: windows as predicted, and controls that did not move */
bool draft_is_windows(const struct report *r);

/** draft_regression() / draft_stable() / draft_bug() - what a draft says, below its headers */
void draft_regression(const struct draft *d);
void draft_stable(const struct draft *d);
void draft_bug(const struct draft *d);

/** draft_ends() - the last that worked and the first that did not, as versions and ids */
void draft_ends(const struct draft *d);

/** draft_repair() - the commit that repairs it, and what was seen with it; nothing if none is shown */
void draft_repair(const struct draft *d, const char *words);

/** draft_set() - the commits that could be it */
void draft_set(const struct draft *d);

/** draft_effect() - what is wrong, and what of it was seen */
void draft_effect(const struct draft *d);

/** draft_figures() - windows and median per regime and size, of the culprit and its parent, or the ends */
void draft_figures(const struct draft *d);

/** draft_proof() - the five corners */
void draft_proof(const struct draft *d);

/** draft_reproduce() - the commands that do it again */
void draft_reproduce(const struct draft *d);

/** draft_setting() - kernel, config, compiler, guest */
void draft_setting(const struct draft *d);

/** draft_placeholder() - a line that has to be replaced or removed before the draft is sent */
void draft_placeholder(struct buf *b, const char *words);

#endif
