// SPDX-License-Identifier: GPL-2.0-or-later
/* One trial of one commit: see lab.h. Each state change is a row before the next step starts. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/stop.h"
#include "controller/ahead/ahead.h"
#include "controller/canary/lab_card.h"
#include "controller/kept/config.h"
#include "controller/rule/rule.h"
#include "controller/depends.h"
#include "controller/same.h"
#include "lab.h"
#include "controller/rates.h"

/* A host failure may be a passing one (libvirt restarting, a moment without memory). */
#define HOST_RETRIES  2
#define HOST_PAUSE_MS 2000

/* Counts the windows seen so far, for the live display. */
struct seen {
	struct lab *lab;
	uint32_t windows;
	uint32_t copies;
};

static void on_sample(const struct wire_sample *s, void *arg)
{
	struct seen *seen = arg;

	struct windows w = { 0 };
	struct err ignored;

	seen->copies++;
	if (!s->warmup && !windows_count(s->elapsed_ns, MEASURE_WINDOW_NS, &w, &ignored))
		seen->windows += w.count;
	progress_detail(seen->lab->progress, "%u copies, %u windows", seen->copies, seen->windows);
}

static void set_verdict(struct store_verdict *v, enum verdict verdict, const char *rule,
			const char *reason)
{
	v->verdict = verdict;
	str_copy(v->rule, sizeof(v->rule), rule);
	str_copy(v->reason, sizeof(v->reason), reason);
}

/* What was read tells which candidates can matter; not to know it costs only a hint. */
static void keep_depends(const struct lab *lab, const struct artifact *artifact)
{
	_cleanup_strv_ struct strv files = { 0 };
	struct err ignored;

	if (builder_depends(lab->builder, artifact->key, &files, &ignored) == 0)
		depends_keep(lab->repo, options_str(lab->o, OPT_SCOPE), &files);
}

/*
 * All that a verdict depends on besides the artifact and the band of the good end. Whether guests start
 * warm or cold is not among it: nothing of a candidate is in a guest before the agent answers.
 */
static void how_it_is_tried(const struct lab *lab, char ret[17])
{
	const struct options *o = lab->o;
	const char *append = options_str(o, OPT_APPEND);
	_cleanup_free_ char *text =
		str_printf("%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s\n%s", lab->probe_args,
			   lab->agent, lab->kernel.image, options_str(o, OPT_MEMORY),
			   options_str(o, OPT_VCPUS), append ? append : "", lab_accel(lab, NULL),
			   options_str(o, OPT_BOOT_LIMIT), options_str(o, OPT_LOAD_LIMIT),
			   options_str(o, OPT_PROBE_LIMIT), options_str(o, OPT_GPU));
	char digest[65];

	fs_sha256_text(text, strlen(text), digest);
	str_copy(ret, 17, digest);
}

/* Kept patches lie in the run under their names. */
static const char *patch_name(const char *patch)
{
	const char *slash = strrchr(patch, '/');

	return patch[0] == '/' && slash ? slash + 1 : patch;
}

/* What was built, with which config and which patches. */
static int keep_artifact(struct lab *lab, struct store *store, const char *run, struct attempt *ret,
			 const struct artifact *a, struct err *err)
{
	const char *config = a->config ? a->config : builder_config(lab->builder);
	_cleanup_buf_ struct buf patches = { 0 };

	str_copy(ret->v.signature, sizeof(ret->v.signature), a->signature);
	str_copy(ret->artifact.key, sizeof(ret->artifact.key), a->key);
	how_it_is_tried(lab, ret->artifact.asked);
	if (config_keep(store, run, config, ret->artifact.config, err) < 0 ||
	    store_artifact(store, ret->trial, &ret->artifact, err) < 0)
		return -1;
	if (!a->patches.n)
		return 0;
	for (size_t i = 0; i < a->patches.n; i++) {
		const char *name = patch_name(a->patches.items[i]);

		buf_printf(&patches, "%s%.*s", i ? "\n" : "", str_is_commit_id(name) ? 12 : 200,
			   name);
	}
	str_copy(ret->patches, sizeof(ret->patches), patches.data);
	return store_patches(store, ret->trial, patches.data, err);
}

/* Builds; on a failure that is the candidate's own, ret->v is set and 1 returned. */
static int build(struct lab *lab, struct store *store, const char *run, const char *dir,
		 const char *id, struct attempt *ret, struct artifact *artifact, struct err *err)
{
	_cleanup_free_ char *log = str_printf("%s/build.log", dir);
	const char *scope = options_str(lab->o, OPT_SCOPE);
	int64_t start = clock_now_ns();
	struct err failed;

	progress_stage(lab->progress, "build", rates_get(scope, "build"));
	ahead_need(lab->ahead, id, lab->progress);
	if (builder_make(lab->builder, id, log, artifact, &failed) < 0) {
		if (failed.kind != ERR_BUILD) {
			*err = failed;
			return -1;
		}
		ahead_have(lab->ahead, id);
		set_verdict(&ret->v, VERDICT_SKIP, "build", failed.msg);
		return store_stage(store, ret->trial, "build", clock_now_ns() - start, "failed",
				   err) < 0
			       ? -1
			       : 1;
	}
	ahead_have(lab->ahead, id);
	keep_depends(lab, artifact);
	if (!artifact->cached)
		rates_add(scope, "build", clock_now_ns() - start);
	if (store_stage(store, ret->trial, "build", clock_now_ns() - start,
			artifact->cached ? "cached" : "built", err) < 0)
		return -1;
	return keep_artifact(lab, store, run, ret, artifact, err);
}

/*
 * 1: the artifact was tried already, and ret->v is what that found; 0: not, or it has to be tried
 * whatever was found before: where trials may miss the defect, each one is evidence of its own.
 */
static int take_same(struct lab *lab, struct store *store, enum store_role role,
		     struct attempt *ret, struct err *err)
{
	_cleanup_free_ struct store_trial *trials = NULL;
	const struct store_trial *same;
	size_t n;

	if (!same_counts(role) || options_real(lab->o, OPT_FLAKY) > 0)
		return 0;
	if (store_trials(store, &trials, &n, err) < 0)
		return -1;
	same = same_find(trials, n, ret->artifact.key, ret->v.signature, ret->artifact.asked);
	if (!same)
		return 0;
	same_take(same, &ret->v);
	return store_same(store, ret->trial, same->commit, err) < 0 ? -1 : 1;
}

static int boot(struct lab *lab, const char *dir, const char *id, const struct artifact *a,
		struct trial *ret, struct err *err)
{
	struct trial_module modules[BUILD_MODULES_MAX] = { 0 };
	struct seen seen = { .lab = lab };
	char label[13];
	struct trial_spec spec = {
		.label = label,
		.dir = dir,
		.image = a->image,
		.packed = (const char *const *)a->depends.items,
		.n_packed = a->depends.n,
		.modules = modules,
		.n_modules = a->n_modules,
		.probe = "copy-regimes",
		.args = lab->probe_args,
		.probe_limit_ms = lab->probe_limit_ms,
		.on_sample = on_sample,
		.arg = &seen,
	};

	snprintf(label, sizeof(label), "%.12s", id);
	for (size_t i = 0; i < a->n_modules; i++)
		modules[i] = (struct trial_module){
			.name = a->modules[i].name,
			.path = a->modules[i].path,
			.srcversion = a->modules[i].srcversion,
			.build_id = a->modules[i].build_id,
		};
	own_spec(lab->own, &spec);
	return guest_try(lab->rig, &spec, ret, err);
}

/* What the trial means for the commit; measurements are judged, other ends are a skip. */
static void weigh(const struct lab *lab, const struct trial *t, const struct baseline *base,
		  bool last, struct attempt *ret)
{
	struct judgement j;
	struct err bad;
	int n;

	if (t->end != TRIAL_DONE) {
		set_verdict(&ret->v, VERDICT_SKIP, trial_end_name(t->end), t->reason);
		return;
	}
	n = measure_samples(t->samples, t->n_samples, MEASURE_WINDOW_NS, ret->m, &bad);
	if (n < 0) {
		set_verdict(&ret->v, VERDICT_SKIP, trial_end_name(TRIAL_PROTOCOL), bad.msg);
		return;
	}
	ret->n_m = (size_t)n;
	if (lab->window_table && !t->n_samples) {
		set_verdict(&ret->v, VERDICT_SKIP, trial_end_name(TRIAL_PROTOCOL),
			    "nothing was measured");
		return;
	}
	if (lab->window_table) {
		set_verdict(&ret->v, VERDICT_NONE, "window-table",
			    "samples of the window law's table");
		return;
	}
	judge(ret->m, ret->n_m, base, NULL, &j);
	set_verdict(&ret->v, j.verdict == VERDICT_WEAK && last ? VERDICT_SKIP : j.verdict,
		    judge_rule_name(j.rule), j.reason);
	ret->v.windows = j.windows;
	ret->v.predicted = j.predicted;
	ret->v.off = j.off;
}

/*
 * What is measured becomes rows, and apart from them what the kernel's probes saw; the raw log beside them
 * has every line.
 */
static int store_measured(struct store *store, int64_t trial, const struct trial *t,
			  struct err *err)
{
	_cleanup_free_ struct wire_sample *rows = xcalloc(t->n_samples, sizeof(*rows));
	_cleanup_free_ struct wire_sample *kernel = xcalloc(t->n_samples, sizeof(*kernel));
	size_t n = 0, n_kernel = 0;

	for (size_t i = 0; i < t->n_samples; i++) {
		const struct wire_sample *s = &t->samples[i];

		if (s->doubt || s->kept_mapping || s->source != SOURCE_FILE)
			continue;
		if (!s->evidence)
			rows[n++] = *s;
		else if (!s->warmup && !s->result)
			kernel[n_kernel++] = *s;
	}
	if (n_kernel && store_kernel(store, trial, kernel, n_kernel, err) < 0)
		return -1;
	return n ? store_samples(store, trial, rows, n, err) : 0;
}

static int store_trial_stages(struct store *store, int64_t trial, const struct trial *t,
			      struct err *err)
{
	for (unsigned int i = 0; i < STAGE_COUNT; i++)
		if (t->stage_ns[i] &&
		    store_stage(store, trial, trial_stage_name(i), t->stage_ns[i],
				i == STAGE_CREATE && t->start == GUEST_START_WARM ? "restored"
										  : NULL,
				err) < 0)
			return -1;
	return store_measured(store, trial, t, err);
}

/*
 * What the guest boots is not the candidate's, unless it is a kernel of its own: then nothing of the
 * candidate was in there yet. An agent that lies is told apart: somebody wrote it.
 */
static bool is_rigs_own_fault(const struct artifact *a, const struct trial *t)
{
	return !a->image && t->end != TRIAL_DONE && t->end != TRIAL_PROTOCOL &&
	       !t->stage_ns[STAGE_LOAD];
}

/* One cached file that is damaged would make every candidate a skip. */
static int blame_the_rig(struct lab *lab, const struct trial *t, const char *dir, struct err *err)
{
	struct err renewed;

	if (rig_renew(lab->rig, &renewed) < 0) {
		*err = renewed;
		return -1;
	}
	return err_set(
		err, ERR_HOST,
		"the guest does not come up, and nothing of the candidate is in it yet (%s): %s; "
		"see %s/console.log",
		trial_end_name(t->end), t->reason, dir);
}

static int guest(struct lab *lab, struct store *store, const char *dir, const char *id,
		 enum store_role role, const struct artifact *artifact, bool last,
		 const struct baseline *base, struct attempt *ret, struct err *err)
{
	_cleanup_(trial_deinit) struct trial t = { 0 };
	int64_t start = clock_now_ns();
	struct err renewed;

	ahead_go(lab->ahead);
	if (boot(lab, dir, id, artifact, &t, err) < 0) {
		/* QEMU refuses a kernel that is damaged; libvirt's words tell that from nothing else. */
		if (err->kind == ERR_HOST && rig_renew(lab->rig, &renewed) < 0)
			*err = renewed;
		return -1;
	}
	if (is_rigs_own_fault(artifact, &t))
		return blame_the_rig(lab, &t, dir, err);
	rates_add(options_str(lab->o, OPT_SCOPE), "guest", clock_now_ns() - start);
	if (store_trial_stages(store, ret->trial, &t, err) < 0)
		return -1;
	if (lab->own)
		return own_weigh(lab->own, store, ret->trial, &t, role, base, last, &ret->v, err);
	weigh(lab, &t, base, last, ret);
	return 0;
}

int lab_try(struct lab *lab, struct store *store, const char *dir, const char *id,
	    enum store_role role, bool last, const struct baseline *base, struct attempt *ret,
	    struct err *err)
{
	_cleanup_(artifact_deinit) struct artifact artifact = { 0 };
	_cleanup_free_ char *logs = NULL;
	const struct lab_card_trial t = { lab, store, dir, id, role, base };
	int64_t start = clock_now_ns();
	struct err ignored;
	int r;

	*ret = (struct attempt){ 0 };
	if (stop_check(err) < 0 || store_begin(store, id, role, &ret->trial, err) < 0)
		return -1;
	if (lab->where[0] && store_place(store, ret->trial, lab->where, err) < 0)
		return -1;
	logs = str_printf("%s/candidates/%.12s/%" PRId64, dir, id, ret->trial);
	r = fs_mkdirs(logs, err);
	if (!r)
		r = build(lab, store, dir, logs, id, ret, &artifact, err);
	if (!r)
		r = take_same(lab, store, role, ret, err);
	if (!r)
		r = guest(lab, store, logs, id, role, &artifact, last, base, ret, err);
	if (!r)
		r = lab_card_check(&t, ret, err);
	ret->elapsed_ns = clock_now_ns() - start;
	if (r < 0) {
		/* The rig's failure is on record as such; a full disk may refuse even that. */
		set_verdict(&ret->v, err->kind == ERR_STOPPED ? VERDICT_NONE : VERDICT_HOST,
			    err_kind_name(err->kind), err->msg);
		store_end(store, ret->trial, &ret->v, &ignored);
		return -1;
	}
	return store_end(store, ret->trial, &ret->v, err);
}

bool lab_tries_again(const struct store_verdict *v)
{
	static const enum trial_end chance[] = { TRIAL_NO_BOOT, TRIAL_LOCKUP,	TRIAL_AGENT,
						 TRIAL_RESET,	TRIAL_EMULATOR, TRIAL_DIED };

	for (size_t i = 0; v->verdict == VERDICT_SKIP && i < ARRAY_SIZE(chance); i++)
		if (strcmp(v->rule, trial_end_name(chance[i])) == 0)
			return true;
	return false;
}

int lab_try_hard(struct lab *lab, struct store *store, const char *dir, const char *id,
		 enum store_role role, const struct baseline *base, struct attempt *ret,
		 struct err *err)
{
	bool again = true; /* a guest that the machine may have ended gets one more */
	uint64_t weak_left = options_num(lab->o, OPT_RETRIES);
	unsigned int host_left = HOST_RETRIES;

	for (;;) {
		struct err failed;

		if (lab_try(lab, store, dir, id, role, weak_left == 0, base, ret, &failed) < 0) {
			if (failed.kind != ERR_HOST || host_left == 0 || lab->card_lost) {
				*err = failed;
				return -1;
			}
			host_left--;
			progress_warn(lab->progress, "%.12s: %s; trying again", id, failed.msg);
			clock_sleep_ms(HOST_PAUSE_MS);
			continue;
		}
		if (again && lab_tries_again(&ret->v)) {
			again = false;
			progress_event(lab->progress, "%.12s: %s; trying again", id, ret->v.reason);
			continue;
		}
		if (ret->v.verdict == VERDICT_HOST) { /* the card's; the second one is a skip */
			progress_event(lab->progress, "%.12s: %s; trying again", id, ret->v.reason);
			continue;
		}
		if (ret->v.verdict != VERDICT_WEAK)
			return 0;
		weak_left--;
		progress_event(lab->progress, "%.12s weak: %s; trying again", id, ret->v.reason);
	}
}
