// SPDX-License-Identifier: GPL-2.0-or-later
/* One candidate in a fresh guest: a restored one where that can be, else one that boots. */
#include <assert.h>
#include <string.h>

#include "base/stop.h"
#include "base/str.h"
#include "guest/attempt.h"
#include "guest/image/image.h"
#include "guest/warm/warm.h"

static const char *const end_names[] = {
	[TRIAL_DONE] = "done",
	[TRIAL_NO_BOOT] = "no-boot",
	[TRIAL_PANIC] = "panic",
	[TRIAL_LOAD_FAILED] = "load-failed",
	[TRIAL_LOAD_HUNG] = "load-hung",
	[TRIAL_LOAD_MISMATCH] = "load-mismatch",
	[TRIAL_OOPS] = "oops",
	[TRIAL_PROBE_FAILED] = "probe-failed",
	[TRIAL_PROBE_HUNG] = "probe-hung",
	[TRIAL_PROTOCOL] = "protocol",
	[TRIAL_LOCKUP] = "lockup",
	[TRIAL_OOM] = "oom",
	[TRIAL_AGENT] = "agent-died",
	[TRIAL_RESET] = "reset",
	[TRIAL_EMULATOR] = "emulator-died",
	[TRIAL_DIED] = "died",
};
static_assert(ARRAY_SIZE(end_names) == TRIAL_ENDS, "an end has no name");

static const char *const stage_names[] = {
	[STAGE_CREATE] = "create",
	[STAGE_BOOT] = "boot",
	[STAGE_LOAD] = "load",
	[STAGE_PROBE] = "probe",
};
static_assert(ARRAY_SIZE(stage_names) == STAGE_COUNT, "a stage has no name");

const char *trial_end_name(enum trial_end e)
{
	return (unsigned int)e < TRIAL_ENDS ? end_names[e] : "unknown";
}

bool trial_end_parse(const char *name, enum trial_end *ret)
{
	for (unsigned int i = 0; i < TRIAL_ENDS; i++)
		if (strcmp(name, end_names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

const char *trial_stage_name(enum trial_stage s)
{
	return (unsigned int)s < STAGE_COUNT ? stage_names[s] : "unknown";
}

void trial_deinit(struct trial *t)
{
	for (size_t i = 0; i < t->n_runs; i++)
		free(t->runs[i].output);
	free(t->runs);
	free(t->console);
	free(t->samples);
	*t = (struct trial){ 0 };
}

static const char *const start_names[] = {
	[GUEST_START_AUTO] = "auto",
	[GUEST_START_WARM] = "warm",
	[GUEST_START_COLD] = "cold",
};
static_assert(ARRAY_SIZE(start_names) == GUEST_STARTS, "a start has no name");

const char *guest_start_name(enum guest_start s)
{
	return (unsigned int)s < GUEST_STARTS ? start_names[s] : "unknown";
}

bool guest_start_parse(const char *name, enum guest_start *ret)
{
	for (unsigned int i = 0; i < GUEST_STARTS; i++)
		if (strcmp(name, start_names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

/* A kernel that cannot be booted is the candidate's; one that is not there is ours. */
static int take_image(struct attempt *a, struct err *err)
{
	struct err fault;

	a->image = realpath(a->spec->image, NULL); /* libvirt takes no relative paths */
	if (!a->image)
		return err_errno(err, ERR_HOST, "cannot boot %s", a->spec->image);
	if (image_check(a->image, &fault) == 0)
		return 0;
	if (fault.kind == ERR_BOOT)
		return session_end(&a->session, TRIAL_NO_BOOT, "%s", fault.msg);
	*err = fault;
	return -1;
}

static int boot(struct rig *r, const struct trial_spec *spec, struct trial *t, struct err *err)
{
	_cleanup_(attempt_deinit) struct attempt a = { 0 };
	int ret = 0;

	attempt_init(&a, r, spec, ATTEMPT_BOOTED, t);
	if (spec->image)
		ret = take_image(&a, err);
	if (ret != 0)
		return ret < 0 ? -1 : 0;
	ret = attempt_start(&a, err);
	if (ret == 0)
		ret = attempt_greet(&a, r->own.limit.boot_ms, err);
	if (ret == 0)
		ret = attempt_load(&a, err);
	if (ret == 0)
		ret = attempt_probe(&a, err);
	return ret < 0 ? -1 : attempt_end(&a, err);
}

/* What a guest did while nobody could listen is no evidence: it is tried once more. */
static int boot_attended(struct rig *r, const struct trial_spec *spec, struct trial *t,
			 struct err *err)
{
	for (int i = 0;; i++) {
		int ret;

		if (virt_revive(r->virt, err) < 0)
			return -1;
		ret = boot(r, spec, t, err);
		if (!virt_lost(r->virt) || (ret == 0 && t->end == TRIAL_DONE))
			return ret;
		if (i > 0)
			return err_set(err, ERR_HOST,
				       "the connection to libvirt at %s was lost twice in a trial of "
				       "%s; see to its daemon and the way there, then "
				       "try again",
				       r->spec->uri, spec->label);
		trial_deinit(t);
		t->exit_code = -1;
		r->n_trials++; /* another name */
	}
}

int guest_try(struct rig *r, const struct trial_spec *spec, struct trial *ret, struct err *err)
{
	struct trial t = { .exit_code = -1 };
	int got;

	if (stop_check(err) < 0)
		return -1;
	r->n_trials++;
	got = warm_try(r, spec, ret, err);
	if (got != WARM_BOOT)
		return got;
	if (boot_attended(r, spec, &t, err) < 0) {
		trial_deinit(&t);
		return -1;
	}
	*ret = t;
	return 0;
}
