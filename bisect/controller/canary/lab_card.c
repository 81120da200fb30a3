// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * After a trial with a card: see canary.h. The trial has no row for its end yet, so whatever happens to this
 * controller meanwhile, the commit is tried again by who resumes; no verdict of a broken card is ever stored.
 */
#include "controller/canary/lab_card.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "controller/canary/canary.h"

/* A weak answer says nothing of the card: asked again, so many times in all. */
#define WEAK_MAX 3

/*
 * Copies that a busy host disturbed were made all the same, and the question here is not how long they took. What
 * failed, or went round the driver, is another matter.
 */
static bool all_were_made(const struct attempt *a)
{
	bool voided = false;

	for (size_t i = 0; i < a->n_m; i++) {
		if (a->m[i].failed || a->m[i].staged)
			return false;
		voided |= a->m[i].voided > 0;
	}
	return voided;
}

static int pass(void *arg, bool *ret, char *why, size_t size, struct err *err)
{
	const struct lab_card_trial *t = arg;
	struct lab *lab = t->lab;
	struct attempt canary = { .v.verdict = VERDICT_WEAK };

	for (unsigned int i = 0; i < WEAK_MAX && canary.v.verdict == VERDICT_WEAK; i++) {
		progress_event(lab->progress,
			       "%.12s: is the card sound? the module known good once more",
			       lab->known_good);
		if (lab_try(lab, t->store, t->dir, lab->known_good, ROLE_CANARY, i + 1 == WEAK_MAX,
			    t->base, &canary, err) < 0)
			return -1;
		if (all_were_made(&canary)) {
			*ret = true;
			return 0;
		}
	}
	/* Windows in a module known good are no wedged card; the search will have to settle that. */
	*ret = canary.v.verdict == VERDICT_GOOD || canary.v.verdict == VERDICT_BAD;
	str_copy(why, size, canary.v.reason);
	return 0;
}

static int reset(void *arg, enum card_rung rung, struct err *err)
{
	const struct lab_card_trial *t = arg;

	return rig_card_reset(t->lab->rig, rung, err);
}

static int give_up(void *arg, const char *why, struct err *err)
{
	const struct lab_card_trial *t = arg;

	return rig_card_give_up(t->lab->rig, why, err);
}

static void say(void *arg, const char *line)
{
	const struct lab_card_trial *t = arg;
	struct err ignored;

	progress_warn(t->lab->progress, "%s", line);
	store_event(t->store, "card", &ignored, "%s", line);
}

static void void_it(const struct lab_card_trial *t, const char *why, struct attempt *ret)
{
	struct lab *lab = t->lab;
	bool again = strcmp(lab->card_failed_after, t->id) == 0;
	_cleanup_free_ char *reason = str_printf(
		"%s: %s", again ? "twice the card failed after it" : "the card was at fault", why);

	ret->v.verdict = again ? VERDICT_SKIP : VERDICT_HOST;
	str_copy(ret->v.rule, sizeof(ret->v.rule), "card");
	str_copy(ret->v.reason, sizeof(ret->v.reason), reason);
	str_copy(lab->card_failed_after, sizeof(lab->card_failed_after), t->id);
}

int lab_card_check(const struct lab_card_trial *t, struct attempt *ret, struct err *err)
{
	static const struct canary_ops ops = { pass, reset, give_up, say };
	struct lab *lab = t->lab;
	const char *card = rig_card(lab->rig);
	char address[CARD_ADDRESS_SIZE], why[512];
	struct lab_card_trial mine = *t;
	enum canary found;

	if (!card || t->role == ROLE_CANARY)
		return 0;
	if (ret->v.verdict == VERDICT_GOOD) {
		str_copy(lab->known_good, sizeof(lab->known_good), t->id);
		return 0;
	}
	if (!lab->known_good[0]) /* the first end: nothing to compare it with */
		return 0;
	str_copy(address, sizeof(address), card);
	if (canary_walk(&ops, &mine, options_bool(lab->o, OPT_GPU_SUSPEND), &found, why,
			sizeof(why), err) < 0)
		return -1;
	lab->card_lost = found == CANARY_LOST;
	if (found == CANARY_LOST)
		return err_set(err, ERR_HOST,
			       "card %s is in quarantine: %s; mend it (a cold start of the machine "
			       "often does), then `amdgpu-bisect doctor --release-card %s` and "
			       "`amdgpu-bisect resume`",
			       address, why, address);
	if (found != CANARY_SOUND && ret->v.verdict != VERDICT_BAD)
		void_it(t, why, ret);
	return 0;
}
