// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The corners beside parents and culprit: see prove.h.
 *
 * A merge is held against each parent that had not the change before, the first that applies counts: what it
 * brought is taken away from the tip, or laid on the old end, as `git revert -m` and `git cherry-pick -m` do.
 */
#include "controller/prove/prove.h"

#include <stdlib.h>
#include <string.h>

#include "controller/prove/corner.h"
#include "controller/prove/known_followups.h"
#include "range/pick/pick.h"

#define FOLLOWUPS_MAX 4 /* tried of those that apply; each costs a trial */

struct proving {
	struct run *r;
	const char *culprit;
	struct pick_store *picks;
	struct strv parents, carried;
	char tip[COMMIT_ID_SIZE];
};

static void proving_deinit(struct proving *p)
{
	pick_close(p->picks);
	strv_deinit(&p->parents);
	strv_deinit(&p->carried);
}

int prove_check(const struct options *o, const char *repo, struct err *err)
{
	static const struct {
		enum option id;
		const char *flag;
	} named[] = { { OPT_TIP, "--tip" }, { OPT_FOLLOW_UP, "--follow-up" } };
	char id[COMMIT_ID_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(named); i++)
		if (options_str(o, named[i].id) &&
		    range_resolve(repo, options_str(o, named[i].id), id, err) < 0)
			return err_prefix(err, "%s", named[i].flag);
	return 0;
}

static int read_carried(struct run *r, struct strv *ret, struct err *err)
{
	_cleanup_free_ char *text = NULL;
	char *save = NULL;

	if (store_get(r->store, "culprit.carried", &text, err) < 0)
		return -1;
	for (char *id = text ? strtok_r(text, " ", &save) : NULL; id;
	     id = strtok_r(NULL, " ", &save))
		strv_add(ret, id);
	return 0;
}

/* By the first parent that lets it apply; if none does, what collides with the first. */
static int pick_culprit(struct proving *p, const char *onto, enum pick_way way, struct pick *ret,
			struct err *err)
{
	bool first = true;

	for (size_t i = 0; i < (p->parents.n ? p->parents.n : 1); i++) {
		_cleanup_(pick_deinit) struct pick now = { 0 };

		if (p->parents.n && strv_has(&p->carried, p->parents.items[i]))
			continue;
		if (pick_commit(p->picks, onto, p->culprit, way, (unsigned int)i + 1, &now, err) <
		    0)
			return -1;
		if (!first && now.end != PICK_MADE)
			continue;
		first = false;
		pick_deinit(ret);
		*ret = now;
		now = (struct pick){ 0 };
		if (ret->end == PICK_MADE)
			break;
	}
	return 0;
}

static int tip_without(struct proving *p, struct err *err)
{
	_cleanup_(pick_deinit) struct pick pick = { 0 };
	const struct corner *c = &corner_tip_without;
	bool shown;

	if (pick_culprit(p, p->tip, PICK_OFF, &pick, err) < 0)
		return -1;
	switch (pick.end) {
	case PICK_CONFLICT:
		return corner_collides(p->r, c, &pick, "taking it away from the tip", err);
	case PICK_NOTHING:
		return corner_missing(p->r, c, NULL, err, "%.12s holds nothing of it any more",
				      p->tip);
	default:
		return corner_try(p->r, c, pick.id, 2, &shown, err);
	}
}

static int good_end_with(struct proving *p, struct err *err)
{
	_cleanup_(pick_deinit) struct pick pick = { 0 };
	const struct corner *c = &corner_good_end_with;
	const char *end = p->r->range->good_ids[0];
	bool shown;

	if (pick_culprit(p, end, PICK_ON, &pick, err) < 0)
		return -1;
	switch (pick.end) {
	case PICK_CONFLICT:
		return corner_collides(p->r, c, &pick, "laying it on the old end", err);
	case PICK_NOTHING:
		return corner_missing(p->r, c, NULL, err, "%.12s holds all of it already", end);
	default:
		return corner_try(p->r, c, pick.id, 0, &shown, err);
	}
}

static int put_followup(struct proving *p, const struct known_followup *f, struct err *err)
{
	const struct corner *c = &corner_tip_with_followup;
	_cleanup_free_ char *subject = NULL;

	if (f && range_subject(p->r->lab.repo, f->id, &subject, err) < 0)
		return -1;
	return corner_put(p->r, c, "followup", f ? f->id : NULL, err) < 0 ||
			       corner_put(p->r, c, "how", f ? f->how : NULL, err) < 0
		       ? -1
		       : corner_put(p->r, c, "subject", subject, err);
}

/* @shown: it applies, and the tip with it is as before the culprit; @tried: counts those that apply */
static int try_followup(struct proving *p, const struct known_followup *f, bool *shown,
			unsigned int *tried, struct err *err)
{
	const struct corner *c = &corner_tip_with_followup;
	_cleanup_(pick_deinit) struct pick pick = { 0 };

	progress_event(p->r->progress, "follow-up: %s (%s)", loop_name(p->r, f->id).text, f->how);
	if (pick_commit(p->picks, p->tip, f->id, PICK_ON, 1, &pick, err) < 0)
		return -1;
	if (pick.end == PICK_MADE) {
		++*tried;
		return put_followup(p, f, err) < 0 ? -1
						   : corner_try(p->r, c, pick.id, 1, shown, err);
	}
	/* One that was tried is the better story. */
	if (*tried)
		return 0;
	if (put_followup(p, f, err) < 0)
		return -1;
	if (pick.end == PICK_NOTHING)
		return corner_missing(p->r, c, NULL, err, "%.12s changes nothing at %.12s", f->id,
				      p->tip);
	return corner_collides(p->r, c, &pick, "the follow-up", err);
}

static int tip_with_followup(struct proving *p, struct err *err)
{
	const struct corner *c = &corner_tip_with_followup;
	_cleanup_free_ struct known_followup *f = NULL;
	unsigned int tried = 0;
	bool shown = false;
	size_t n = 0;

	if (halving_find(p->r->o) == SEARCH_FIX && !options_str(p->r->o, OPT_FOLLOW_UP))
		return corner_missing(p->r, c, NULL, err,
				      "for a fix none is looked for; name one with --follow-up");
	if (known_followups(p->r, p->culprit, p->tip, &f, &n, err) < 0)
		return -1;
	if (!n)
		return put_followup(p, NULL, err) < 0
			       ? -1
			       : corner_missing(
					 p->r, c, NULL, err,
					 "no commit that follows it up is known; name one with "
					 "--follow-up");
	for (size_t i = 0; !shown && tried < FOLLOWUPS_MAX && i < n; i++)
		if (try_followup(p, &f[i], &shown, &tried, err) < 0)
			return -1;
	return 0;
}

/* 1: it is as after the culprit, so that something can be shown of it; 0: not, which is stored */
static int check_tip(struct proving *p, struct err *err)
{
	const struct corner *of_tip[] = { &corner_tip_without, &corner_tip_with_followup };
	enum verdict new = halving_new(p->r->o), is;

	if (strcmp(p->tip, p->r->range->bad_id) == 0)
		return 1;
	if (loop_repeat(p->r, p->r->search, p->tip, ROLE_TIP, new, 3, &is, err) < 0)
		return -1;
	for (size_t i = 0; is != new &&i < ARRAY_SIZE(of_tip); i++)
		if (corner_missing(p->r, of_tip[i], NULL, err, "the tip %.12s itself is %s", p->tip,
				   loop_word(p->r, is)) < 0)
			return -1;
	return is == new;
}

static int begin(struct proving *p, struct err *err)
{
	_cleanup_free_ char *objects = str_printf("%s/objects", p->r->dir);
	const char *tip = options_str(p->r->o, OPT_TIP);
	const char *repo = p->r->lab.repo;

	str_copy(p->tip, sizeof(p->tip), p->r->range->bad_id);
	if (tip && range_resolve(repo, tip, p->tip, err) < 0)
		return -1;
	if (range_real_parents(repo, p->culprit, &p->parents, err) < 0 ||
	    read_carried(p->r, &p->carried, err) < 0 ||
	    store_set(p->r->store, "proof.tip", p->tip, err) < 0)
		return -1;
	/* None of what is tried now is there to be built before it is asked for. */
	loop_foresee_these(p->r, &(struct strv){ 0 });
	return pick_open(repo, objects, &p->picks, err);
}

int prove_culprit(struct run *r, const char *culprit, struct err *err)
{
	_cleanup_(proving_deinit) struct proving p = { .r = r, .culprit = culprit };
	int tip;

	progress_event(r->progress,
		       "proving %.12s: the tip without it, the tip with what follows "
		       "it up, the old end with it",
		       culprit);
	if (begin(&p, err) < 0)
		return -1;
	tip = check_tip(&p, err);
	if (tip < 0 || (tip && (tip_without(&p, err) < 0 || tip_with_followup(&p, err) < 0)))
		return -1;
	return good_end_with(&p, err);
}
