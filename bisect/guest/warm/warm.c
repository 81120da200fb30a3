// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Instead of a boot: the base kernel is booted once, up to the agent's answer and the packed modules;
 * that guest is saved, and each candidate gets a copy of it, which nobody has touched.
 *
 * Nothing of a candidate is in a guest before it is restored. So whatever goes wrong until the agent
 * has answered is the save's fault or the rig's, never the candidate's: the trial is booted instead.
 */
#include "guest/warm/warm.h"

#include <string.h>

#include "base/clock.h"
#include "base/stop.h"
#include "guest/attempt.h"
#include "guest/gpu/pass.h"
#include "guest/warm/key.h"
#include "guest/warm/warm_state.h"

#define FAILURES_MAX 2 /* then this rig boots all its guests: something here does not suit saves */
#define ANSWER_MS    20000 /* a restored agent answers in some 100 ms; a busy host gets more */

static const char *obstacle(const struct rig *r)
{
	if (pass_card(r->pass))
		return "a card's guest cannot be saved";
	if (r->base)
		return "a guest with a disk of its own is not saved";
	if (r->spec->uri)
		return "only the embedded driver's guests are saved";
	return NULL;
}

static int choose(struct rig *r, struct err *err)
{
	const char *why = obstacle(r);

	r->start = GUEST_START_COLD;
	if (r->spec->start == GUEST_START_COLD) {
		str_copy(r->start_why, sizeof(r->start_why), "asked for");
		return 0;
	}
	if (why && r->spec->start == GUEST_START_WARM)
		return err_set(err, ERR_USAGE, "guests cannot start warm: %s; leave --start out",
			       why);
	if (!why)
		r->start = GUEST_START_WARM;
	str_copy(r->start_why, sizeof(r->start_why),
		 why ? why : "each is a copy of one that was booted and saved");
	return 0;
}

int warm_open(struct rig *r, struct err *err)
{
	const char *slash = strrchr(r->vmlinux, '/');

	if (choose(r, err) < 0)
		return -1;
	r->warm = xcalloc(1, sizeof(*r->warm));
	r->warm->dir = str_printf("%.*s/warm", (int)(slash - r->vmlinux), r->vmlinux);
	return 0;
}

void warm_close(struct warm *w)
{
	if (!w)
		return;
	save_deinit(&w->save);
	free(w->dir);
	free(w);
}

/* A save is only a saving: that there is none is told once, and costs a boot. */
static int give_up(struct rig *r, const char *why)
{
	struct warm *w = r->warm;

	w->failures++;
	if (!w->warned && r->own.progress)
		progress_warn(r->own.progress, "%s; booting instead", why);
	w->warned = true;
	return WARM_BOOT;
}

/*
 * Boots what is to be saved. 0: it is as a candidate's guest is just before its own modules;
 * SESSION_ENDED: it never came so far, which is what a boot for the candidate would have found.
 */
static int boot_base(struct attempt *a, struct err *err)
{
	int r = attempt_start(a, err);

	if (r == 0)
		r = attempt_greet(a, a->rig->own.limit.boot_ms, err);
	if (r == 0)
		r = attempt_load(a, err);
	if (r == SESSION_ENDED && attempt_end(a, err) < 0)
		return -1;
	return r;
}

/* The save of @key, made now. 0, SESSION_ENDED with *@t set, WARM_BOOT + 1, -1. */
#define MAKE_BOOT 2
static int make(struct rig *r, const struct trial_spec *spec, const char *key, struct trial *t,
		struct err *err)
{
	_cleanup_(making_deinit) struct making m = { .lock = -1 };
	_cleanup_(attempt_deinit) struct attempt a = { 0 };
	struct trial_spec base = *spec;
	struct err why;
	int ret;

	base.n_modules = 0;
	attempt_init(&a, r, &base, ATTEMPT_BASE, t);
	if (making_begin(r->warm->dir, &m, &why) < 0) {
		give_up(r, why.msg);
		return MAKE_BOOT;
	}
	if (save_find(&r->warm->save, r->warm->dir, key) > 0)
		return 0; /* another made it just now */
	ret = boot_base(&a, &why);
	if (ret < 0)
		return stop_check(err) < 0 ? -1 : (give_up(r, why.msg), MAKE_BOOT);
	if (ret != 0)
		return ret;
	channel_close(take_ptr(a.session.channel));
	if (domain_save(a.domain, m.path, &why) < 0 ||
	    making_keep(&m, r->warm->dir, key, &why) < 0) {
		give_up(r, why.msg);
		return stop_check(err) < 0 ? -1 : MAKE_BOOT;
	}
	return save_find(&r->warm->save, r->warm->dir, key) > 0 ? 0 : MAKE_BOOT;
}

/* 0: the agent of the copy answers; WARM_BOOT; -1: a stop was asked for. */
static int restore(struct attempt *a, struct err *err)
{
	struct rig *r = a->rig;
	int64_t limit_ms = r->own.limit.boot_ms < ANSWER_MS ? r->own.limit.boot_ms : ANSWER_MS;
	_cleanup_free_ char *text = NULL;
	struct err why = { 0 };
	int ret;

	ret = attempt_start(a, &why);
	if (ret == 0)
		ret = attempt_greet(a, limit_ms, &why);
	if (ret == 0)
		return 0;
	if (stop_check(err) < 0)
		return -1;
	text = str_printf("the saved guest could not be used (%s)",
			  ret < 0 ? why.msg : a->session.trial->reason);
	save_drop(&r->warm->save);
	return give_up(r, text);
}

static int try_copy(struct rig *r, const struct trial_spec *spec, struct trial *t, struct err *err)
{
	_cleanup_(attempt_deinit) struct attempt a = { 0 };
	int ret;

	attempt_init(&a, r, spec, ATTEMPT_RESTORED, t);
	a.save = r->warm->save.path;
	ret = restore(&a, err);
	if (ret != 0)
		return ret;
	t->start = GUEST_START_WARM;
	ret = attempt_load(&a, err);
	if (ret == 0)
		ret = attempt_probe(&a, err);
	return ret < 0 ? -1 : attempt_end(&a, err);
}

static int find_or_make(struct rig *r, const struct trial_spec *spec, struct trial *t,
			struct err *err)
{
	_cleanup_(attempt_deinit) struct attempt a = { 0 };
	struct err why;
	char key[17];
	int found;

	attempt_init(&a, r, spec, ATTEMPT_RESTORED, t);
	if (warm_key(&a, key, &why) < 0) {
		give_up(r, why.msg);
		return MAKE_BOOT;
	}
	found = save_find(&r->warm->save, r->warm->dir, key);
	if (found < 0 && r->own.progress)
		progress_warn(r->own.progress, "a saved guest was damaged; it is made anew");
	return found > 0 ? 0 : make(r, spec, key, t, err);
}

int warm_try(struct rig *r, const struct trial_spec *spec, struct trial *ret, struct err *err)
{
	struct trial t = { .exit_code = -1 };
	int got;

	if (r->start != GUEST_START_WARM || spec->image || r->warm->failures >= FAILURES_MAX)
		return WARM_BOOT;
	got = find_or_make(r, spec, &t, err);
	if (got == 0) {
		trial_deinit(&t);
		t.exit_code = -1;
		got = try_copy(r, spec, &t, err);
	} else if (got == SESSION_ENDED) {
		got = 0;
	} else if (got == MAKE_BOOT) {
		got = WARM_BOOT;
	}
	if (got == 0)
		*ret = t;
	else
		trial_deinit(&t);
	return got;
}
