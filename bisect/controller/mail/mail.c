// SPDX-License-Identifier: GPL-2.0-or-later
/* What a draft needs of the repository: see mail.h. */
#include "controller/mail/mail.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "build/kernel/version.h"
#include "range/change/change.h"
#include "range/people/people.h"
#include "range/range.h"
#include "reports/mail/maintainers.h"

#define BLAMED_MAX 16 /* of a set, whose maintainers are asked for */

static int gather_commit(const char *repo, const char *id, struct mail_commit *ret, struct err *err)
{
	_cleanup_(people_commit_deinit) struct people_commit c = { 0 };
	_cleanup_(identity_deinit) struct identity is = { 0 };
	_cleanup_buf_ struct buf changes = { 0 };

	if (people_commit(repo, id, &c, err) < 0 || identity_of(repo, id, &is, err) < 0 ||
	    people_files(repo, id, MAINTAINERS_MAX_FILES, &ret->files, err) < 0 ||
	    people_changes(repo, id, &ret->files, MAINTAINERS_MAX_CHANGES, &changes, err) < 0)
		return -1;
	ret->changes = buf_take(&changes);
	str_copy(ret->id, sizeof(ret->id), id);
	str_copy(ret->upstream, sizeof(ret->upstream), is.upstream);
	ret->is_stable = *is.upstream && is.how == SAME_UPSTREAM;
	ret->subject = take_ptr(is.subject);
	ret->author_name = take_ptr(c.author_name);
	ret->author_email = take_ptr(c.author_email);
	ret->message = take_ptr(c.message);
	return 0;
}

static bool is_candidate_release(const char *makefile)
{
	const char *at = strstr(makefile, "\nEXTRAVERSION");

	return at && memmem(at, strcspn(at + 1, "\n") + 1, "-rc", 3);
}

/* "6.1.187" of a commit's Makefile; @series: "6.1.y", of the affected commit, if it is a release. Neither, where there is none. */
static int read_version(const struct mail_ask *ask, const char *id, char **version, char **series,
			struct err *err)
{
	_cleanup_free_ char *makefile = NULL;
	struct kversion v;
	bool rc;

	if (!*id)
		return 0;
	if (range_file(ask->repo, id, "Makefile", &makefile, err) < 0)
		return -1;
	if (!makefile || !kversion_of_makefile(makefile, &v))
		return 0;
	rc = is_candidate_release(makefile);
	*version = str_printf("%u.%u.%u%s", v.version, v.patchlevel, v.sublevel, rc ? "-rc" : "");
	if (id == ask->affected && !rc)
		*series = str_printf("%u.%u.y", v.version, v.patchlevel);
	return 0;
}

static int gather_blamed(const struct mail_ask *ask, struct mail_source *ret, struct err *err)
{
	size_t n = ask->blamed.n < BLAMED_MAX ? ask->blamed.n : BLAMED_MAX;

	ret->blamed = xcalloc(n + 1, sizeof(*ret->blamed));
	for (; ret->n_blamed < n; ret->n_blamed++)
		if (gather_commit(ask->repo, ask->blamed.items[ret->n_blamed],
				  &ret->blamed[ret->n_blamed], err) < 0) {
			ret->n_blamed++; /* what it has already is freed with the others */
			return -1;
		}
	return 0;
}

/* The tree as it is at the commit that the mail is about. */
static int gather_maintainers(const struct mail_ask *ask, enum mail_kind kind,
			      struct mail_source *ret, struct err *err)
{
	const char *at = kind == MAIL_STABLE ? ask->repair
			 : ask->blamed.n     ? ask->blamed.items[0]
					     : ask->tip;

	return range_file(ask->repo, at, "MAINTAINERS", &ret->maintainers, err);
}

static int gather(enum mail_kind kind, const struct mail_ask *ask, struct mail_source *ret,
		  struct err *err)
{
	if (gather_blamed(ask, ret, err) < 0 ||
	    (*ask->repair && gather_commit(ask->repo, ask->repair, &ret->repair, err) < 0) ||
	    read_version(ask, ask->old, &ret->old_version, &ret->series, err) < 0 ||
	    read_version(ask, ask->tip, &ret->new_version, &ret->series, err) < 0)
		return -1;
	return gather_maintainers(ask, kind, ret, err);
}

int mail_gather(enum mail_kind kind, const struct mail_ask *ask, struct mail_source *ret,
		struct err *err)
{
	ret->date_s = clock_date_s();
	people_user(ask->repo, &ret->from_name, &ret->from_email);
	if (!ask->repo)
		return err_set(err, ERR_USAGE, "the run does not say which repository it is of");
	if (gather(kind, ask, ret, err) < 0)
		return err_prefix(err, "the mail needs the run's repository");
	return 0;
}
