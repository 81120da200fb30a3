/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stored run as the draft of a mail: a regression report to the people who care for the code, a request to
 * the stable team, or a bug for a distribution's tracker. Nothing here sends anything.
 *
 * What only the repository knows (people, files, versions) is brought by the caller.
 */
#ifndef REPORTS_MAIL_MAIL_H
#define REPORTS_MAIL_MAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "reports/report.h"
#include "store/store.h"

enum mail_kind { MAIL_REGRESSION, MAIL_STABLE, MAIL_BUG, MAIL_KINDS };

/** mail_kind_parse() - "regression", "stable", "bug" */
bool mail_kind_parse(const char *name, enum mail_kind *ret);

/* Which commits a draft is about, so that the caller can look them up. */
struct mail_ask {
	char refusal[640];	     /* why there is no draft, one line; "": there is one */
	char *repo;		     /* of the run; NULL: not stored */
	struct strv blamed;	     /* full ids: the culprit, or the set that it is in */
	char repair[COMMIT_ID_SIZE]; /* shown by the proof; "": none */
	char tip[COMMIT_ID_SIZE];    /* that the proof is about, or the new end; "": not stored */
	char old[COMMIT_ID_SIZE];    /* an old end; "": not stored */
	const char *affected;	     /* of the two the one that has the defect */
};
void mail_ask_deinit(struct mail_ask *a);

/**
 * mail_ask() - what a draft of this run would be about, or why there can be none
 * @ret: owned by the caller, mail_ask_deinit()
 * @err: whatever reading the store gives
 */
int mail_ask(struct store *s, enum mail_kind kind, struct mail_ask *ret, struct err *err);

/* A commit as its tree has it; foreign text all of it. */
struct mail_commit {
	char id[COMMIT_ID_SIZE];
	char *subject, *author_name, *author_email, *message;
	char upstream[COMMIT_ID_SIZE]; /* that its message says it is; "": none */
	bool is_stable;		       /* by "commit ID upstream.": a stable tree's own commit */
	struct strv files;	       /* that it changes */
	char *changes;		       /* lines that it adds and takes away; NULL: not read */
};
void mail_commit_deinit(struct mail_commit *c);

struct mail_source {
	char *from_name,
		*from_email; /* who writes; NULL: not known, so a placeholder stands there */
	int64_t date_s;
	struct mail_commit *blamed; /* [n_blamed] */
	size_t n_blamed;
	struct mail_commit repair; /* id "": none */
	char *maintainers;	   /* the tree's MAINTAINERS; NULL: it has none */
	char *old_version;	   /* "6.1.187", of the old end's Makefile; NULL: not known */
	char *new_version;	   /* of the tip's */
	char *series;		   /* "6.1.y", of the affected one; NULL: not known */
	const struct report_asked
		*asked; /* for the command that tries the culprit; NULL: there is none */
};
void mail_source_deinit(struct mail_source *m);

/**
 * report_mail() - the draft as a file in RFC 5322's form, UTF-8, 8 bit, lines of 75 columns but for what is quoted
 * @s:   a run for which mail_ask() found no refusal
 * @ret: added to; lines end as `git format-patch` ends them
 * @err: whatever reading the store gives
 *
 * Source: RFC 5322, RFC 2047; the kernel's Documentation/admin-guide/reporting-regressions.rst and
 *         Documentation/process/stable-kernel-rules.rst, option 2.
 */
int report_mail(struct store *s, enum mail_kind kind, const struct mail_source *src,
		struct buf *ret, struct err *err);

#endif
