// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Drafts: who writes to whom under which subject, then what it says.
 *
 * Regressions go to the author and the maintainers of what the commit changes, and in copy to who signed it and
 * to the lists; a request goes to the stable team; a tracker's address is for the sender to fill in.
 */
#include "reports/mail/mail.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "reports/mail/draft.h"
#include "reports/mail/header.h"
#include "reports/mail/maintainers.h"

#define LIST_REGRESSIONS "regressions@lists.linux.dev"
#define LIST_STABLE	 "stable@vger.kernel.org"

struct envelope {
	struct addresses to, cc;
	char *subject;
};

static void envelope_deinit(struct envelope *e)
{
	addresses_deinit(&e->to);
	addresses_deinit(&e->cc);
	free(e->subject);
}

static void add_all(struct addresses *l, const struct addresses *other)
{
	for (size_t i = 0; i < other->n; i++)
		addresses_add_pair(l, other->items[i].name, other->items[i].addr);
}

/* Lists first: they must be there, however many names a message has. */
static void add_maintainers(const struct mail_source *src, const struct mail_commit *c,
			    struct addresses *people, struct addresses *others)
{
	_cleanup_(maintainers_deinit) struct maintainers m = { 0 };

	if (src->maintainers)
		maintainers_find(src->maintainers, (const char *const *)c->files.items, c->files.n,
				 c->changes, &m);
	add_all(people, &m.people);
	add_all(others, &m.lists);
	add_all(others, &m.reviewers);
}

static void address_regression(const struct mail_source *src, struct envelope *e)
{
	addresses_add_pair(&e->cc, NULL, LIST_REGRESSIONS);
	for (size_t i = 0; i < src->n_blamed; i++) {
		const struct mail_commit *c = &src->blamed[i];

		if (c->is_stable)
			addresses_add_pair(&e->cc, NULL, LIST_STABLE);
		if (src->n_blamed == 1)
			addresses_add_pair(&e->to, c->author_name, c->author_email);
		add_maintainers(src, c, &e->to, &e->cc);
		/* Who signed one of a set has most likely nothing to do with it. */
		if (src->n_blamed == 1 && c->message)
			addresses_of_message(&e->cc, c->message);
	}
	addresses_without(&e->cc, &e->to);
	if (!e->to.n) {
		addresses_add_pair(&e->to, NULL, LIST_REGRESSIONS);
		addresses_without(&e->cc, &e->to);
	}
}

static void address_stable(const struct mail_source *src, struct envelope *e)
{
	const struct mail_commit *c = &src->repair;

	addresses_add_pair(&e->to, NULL, LIST_STABLE);
	addresses_add_pair(&e->cc, NULL, LIST_REGRESSIONS);
	addresses_add_pair(&e->cc, c->author_name, c->author_email);
	add_maintainers(src, c, &e->cc, &e->cc);
	if (c->message)
		addresses_of_message(&e->cc, c->message);
	addresses_without(&e->cc, &e->to);
}

static char *subject_of(const struct draft *d, enum mail_kind kind)
{
	const struct report *r = d->r;
	const char *what =
		draft_is_windows(r) ? "amdgpu: copies wait 1 s per 2 MiB extent" : "amdgpu";
	const char *tag = kind == MAIL_REGRESSION ? "[REGRESSION] " : "";

	if (kind == MAIL_STABLE)
		return str_printf("Please apply to %s: %s",
				  d->src->series ? d->src->series : "SERIES",
				  d->src->repair.subject);
	if (!r->culprit)
		return str_printf("%s%s, since one of %zu commits", tag, what, r->set.n);
	return str_printf("%s%s, %s %.12s (\"%s\")", tag, what, r->fix ? "until" : "since",
			  r->culprit, report_subject_of(r, r->culprit));
}

static void put_from(struct buf *b, const struct mail_source *src)
{
	_cleanup_(addresses_deinit) struct addresses from = { 0 };

	if (!src->from_email || !addresses_add_pair(&from, src->from_name, src->from_email))
		addresses_add_pair(&from, "YOUR NAME", "your.address@example.invalid");
	header_addresses(b, "From", &from);
}

static void put_headers(const struct draft *d, const struct envelope *e)
{
	put_from(d->b, d->src);
	header_addresses(d->b, "To", &e->to);
	header_addresses(d->b, "Cc", &e->cc);
	header_text(d->b, "Subject", e->subject);
	header_date(d->b, d->src->date_s);
	/* A mail program opens such a file to be written on. */
	buf_puts(d->b, "X-Unsent: 1\n"
		       "MIME-Version: 1.0\n"
		       "Content-Type: text/plain; charset=UTF-8\n"
		       "Content-Transfer-Encoding: 8bit\n\n");
}

/* What keeps this draft from being sent as it is. */
static void put_placeholders(const struct draft *d, enum mail_kind kind)
{
	const struct mail_source *src = d->src;
	struct buf *b = d->b;

	if (!src->from_email || !address_is_valid(src->from_email, strlen(src->from_email)))
		draft_placeholder(b,
				  "From: is not filled in, since git has no user.email that is a "
				  "mail address; set user.name and user.email with git config.");
	if (kind == MAIL_REGRESSION && !src->maintainers)
		draft_placeholder(b,
				  "the tree has no MAINTAINERS file, so who cares for the code is "
				  "not known; add them to To:.");
	if (kind == MAIL_STABLE && !src->series)
		draft_placeholder(b, "the tree's version is not known; name the series in the "
				     "subject and below.");
	if (kind == MAIL_STABLE && !*src->repair.upstream)
		draft_placeholder(b,
				  "check that the commit is in Linus' tree under the id below; the "
				  "stable team takes no other.");
	if (kind == MAIL_STABLE)
		draft_placeholder(
			b, "a request about performance should come from the maintainer of a "
			   "distribution's kernel, with a link to the bug there; add it.");
	if (kind == MAIL_BUG)
		draft_placeholder(b,
				  "give it to the tracker of the distribution whose kernel it is: "
				  "paste what follows, or fill in To: where it takes mail.");
}

int report_mail(struct store *s, enum mail_kind kind, const struct mail_source *src,
		struct buf *ret, struct err *err)
{
	static void (*const address[MAIL_KINDS])(const struct mail_source *, struct envelope *) = {
		[MAIL_REGRESSION] = address_regression,
		[MAIL_STABLE] = address_stable,
	};
	static void (*const write[MAIL_KINDS])(const struct draft *) = {
		[MAIL_REGRESSION] = draft_regression,
		[MAIL_STABLE] = draft_stable,
		[MAIL_BUG] = draft_bug,
	};
	_cleanup_(envelope_deinit) struct envelope e = { 0 };
	struct report r;
	struct draft d = { .r = &r, .src = src, .b = ret };

	if (report_load(s, &r, err) < 0)
		return -1;
	if (address[kind])
		address[kind](src, &e);
	e.subject = subject_of(&d, kind);
	put_headers(&d, &e);
	put_placeholders(&d, kind);
	write[kind](&d);
	report_deinit(&r);
	return 0;
}
