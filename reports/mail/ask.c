// SPDX-License-Identifier: GPL-2.0-or-later
/* What a draft would be about, or why there can be none: see mail.h. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "reports/mail/mail.h"
#include "reports/model.h"

static const char *const kinds[] = {
	[MAIL_REGRESSION] = "regression",
	[MAIL_STABLE] = "stable",
	[MAIL_BUG] = "bug",
};
static_assert(ARRAY_SIZE(kinds) == MAIL_KINDS, "a kind of mail has no name");

bool mail_kind_parse(const char *name, enum mail_kind *ret)
{
	for (enum mail_kind k = 0; k < MAIL_KINDS; k++)
		if (strcmp(name, kinds[k]) == 0) {
			*ret = k;
			return true;
		}
	return false;
}

void mail_ask_deinit(struct mail_ask *a)
{
	free(a->repo);
	strv_deinit(&a->blamed);
}

void mail_commit_deinit(struct mail_commit *c)
{
	free(c->subject);
	free(c->author_name);
	free(c->author_email);
	free(c->message);
	free(c->changes);
	strv_deinit(&c->files);
}

void mail_source_deinit(struct mail_source *m)
{
	for (size_t i = 0; i < m->n_blamed; i++)
		mail_commit_deinit(&m->blamed[i]);
	free(m->blamed);
	mail_commit_deinit(&m->repair);
	free(m->from_name);
	free(m->from_email);
	free(m->maintainers);
	free(m->old_version);
	free(m->new_version);
	free(m->series);
}

static void name_repair(const struct report *r, struct mail_ask *ret)
{
	const char *id = r->fix ? r->culprit : corner_fact(r, CORNER_TIP_WITH_FOLLOWUP, "followup");
	enum corner c = r->fix ? CORNER_ITSELF_BAD : CORNER_TIP_WITH_FOLLOWUP;

	if (id && str_is_commit_id(id) && r->corners[c].state == CORNER_SHOWN)
		str_copy(ret->repair, sizeof(ret->repair), id);
}

static const char *why_none(const struct report *r)
{
	const char *state = report_state(r);

	if (strcmp(state, "end") == 0)
		return "an end is not what was claimed";
	if (strcmp(state, "stopped") == 0)
		return "it was stopped; go on with amdgpu-bisect resume";
	if (strcmp(state, "host") == 0)
		return "it broke off; go on with amdgpu-bisect resume";
	return "it has not ended; amdgpu-bisect status says how far it is";
}

static void refuse(const struct report *r, enum mail_kind kind, struct mail_ask *ret)
{
	const struct report_corner *c = &r->corners[CORNER_TIP_WITH_FOLLOWUP];

	if (!r->culprit && (!r->set.n || kind == MAIL_STABLE))
		snprintf(ret->refusal, sizeof(ret->refusal), "the run names no commit: %s",
			 r->set.n ? "only a set, so no follow-up of it is known" : why_none(r));
	else if (kind == MAIL_REGRESSION && r->fix)
		snprintf(ret->refusal, sizeof(ret->refusal),
			 "the run found a fix, and what it mends is older than both of its ends; "
			 "see --mail stable and --mail bug");
	else if (kind == MAIL_STABLE && !*ret->repair && r->fix)
		snprintf(ret->refusal, sizeof(ret->refusal),
			 "that the commit repairs is not shown (%.400s); see amdgpu-bisect prove",
			 r->corners[CORNER_ITSELF_BAD].reason);
	else if (kind == MAIL_STABLE && !*ret->repair)
		snprintf(ret->refusal, sizeof(ret->refusal),
			 "no follow-up is shown to repair it: corner 4 of the proof is %s "
			 "(%.400s); see "
			 "amdgpu-bisect prove --follow-up",
			 corner_state_name(c->state), c->reason);
}

int mail_ask(struct store *s, enum mail_kind kind, struct mail_ask *ret, struct err *err)
{
	const char *tip;
	struct report r;

	if (report_load(s, &r, err) < 0)
		return -1;
	ret->repo = xstrdup(report_fact(&r, "repo"));
	if (r.culprit)
		strv_add(&ret->blamed, r.culprit);
	for (size_t i = 0; !r.culprit && i < r.set.n; i++)
		strv_add(&ret->blamed, r.set.items[i]);
	tip = report_fact_or(&r, "proof.tip", r.new ? r.new : "");
	if (str_is_commit_id(tip))
		str_copy(ret->tip, sizeof(ret->tip), tip);
	if (r.old.n)
		str_copy(ret->old, sizeof(ret->old), r.old.items[0]);
	ret->affected = r.fix ? ret->old : ret->tip;
	name_repair(&r, ret);
	refuse(&r, kind, ret);
	report_deinit(&r);
	return 0;
}
