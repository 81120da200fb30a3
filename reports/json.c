// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A run as JSON: reports/schema/report.schema.json describes each field, and a test holds the two
 * together. What is not known is null, never left out, so that a reader needs no second guess.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "reports/builds/builds.h"
#include "reports/history/history.h"
#include "reports/kernel/kernel.h"
#include "reports/metric/metric.h"
#include "reports/model.h"
#include "wire/json.h"

#define REPORT_VERSION 3

DEFINE_CLEANUP(struct json *, json_destroy)

static void set_fact(struct json *obj, const char *name, const struct report *r, const char *key)
{
	json_set_str(obj, name, report_fact(r, key));
}

static void set_number_fact(struct json *obj, const char *name, const struct report *r,
			    const char *key)
{
	const char *text = report_fact(r, key);
	uint64_t n;

	if (text && str_to_u64(text, INT64_MAX, &n))
		json_set_int(obj, name, (int64_t)n);
	else
		json_set_null(obj, name);
}

static void set_real_fact(struct json *obj, const char *name, const struct report *r,
			  const char *key)
{
	const char *text = report_fact(r, key);
	char *end;
	double value = text ? strtod(text, &end) : 0;

	if (text && *text && !*end && value >= 0 && value <= 1)
		json_set_num(obj, name, value);
	else
		json_set_null(obj, name);
}

static void set_ids(struct json *obj, const char *name, const struct strv *ids)
{
	struct json *arr = json_set_array(obj, name);

	for (size_t i = 0; i < ids->n; i++)
		json_push_str(arr, ids->items[i]);
}

/* [n] ns as milliseconds with what remains below, so that no figure is lost */
static void set_ms(struct json *obj, const char *name, int64_t ns)
{
	if (ns < 0)
		json_set_null(obj, name);
	else
		json_set_num(obj, name, (double)ns / NS_PER_MS);
}

static void set_controls(struct json *obj, const struct report_controls *c)
{
	struct json *controls;

	if (!c->known) {
		json_set_null(obj, "controls");
		return;
	}
	controls = json_set_object(obj, "controls");
	json_set_int(controls, "windows", c->windows);
	json_set_num(controls, "moved", c->moved);
	set_ms(controls, "median_ms", c->median_ns);
	set_ms(controls, "good_end_ms", c->base_ns);
}

static void set_seen(struct json *obj, const struct report_corner *c)
{
	struct json *arr = json_set_array(obj, "seen");

	for (size_t i = 0; i < c->n_seen; i++) {
		struct json *seen = json_push_object(arr);

		json_set_str(seen, "commit", c->seen[i].id);
		json_set_int(seen, "trial", c->trials[i]);
		json_set_str(seen, "text", c->seen[i].text);
	}
}

/* What the run made for a corner, or why it could not. */
static void set_made(struct json *obj, const struct report *r, enum corner corner)
{
	const char *files = corner_fact(r, corner, "files");
	const char *followup = corner_fact(r, corner, "followup");
	_cleanup_free_ char *copy = xstrdup(files ? files : "");
	struct json *arr = json_set_array(obj, "conflicts");
	struct json *is;
	char *save = NULL;

	for (char *f = strtok_r(copy, "\n", &save); f; f = strtok_r(NULL, "\n", &save))
		json_push_str(arr, f);
	if (!followup || !str_is_commit_id(followup)) {
		json_set_null(obj, "followup");
		return;
	}
	is = json_set_object(obj, "followup");
	json_set_str(is, "commit", followup);
	json_set_str(is, "subject", corner_fact(r, corner, "subject"));
	json_set_str(is, "how", corner_fact(r, corner, "how"));
}

static void set_corner(struct json *proof, const struct report *r, enum corner corner)
{
	const struct report_corner *c = &r->corners[corner];
	struct json *obj = json_set_object(proof, corner_name(corner));
	struct json *trials;

	json_set_str(obj, "state", corner_state_name(c->state));
	set_ids(obj, "commit", &c->commits);
	trials = json_set_array(obj, "trials");
	for (size_t i = 0; i < c->n_trials; i++)
		json_push_int(trials, c->trials[i]);
	if (c->n_trials) {
		json_set_int(obj, "windows", c->windows);
		json_set_int(obj, "predicted", c->predicted);
	} else {
		json_set_null(obj, "windows");
		json_set_null(obj, "predicted");
	}
	json_set_str(obj, "reason", *c->reason ? c->reason : NULL);
	set_seen(obj, c);
	set_controls(obj, &c->controls);
	set_made(obj, r, corner);
}

static void set_culprit(struct json *root, const struct report *r)
{
	struct json *obj, *proof;

	if (!r->culprit) {
		json_set_null(root, "culprit");
		return;
	}
	obj = json_set_object(root, "culprit");
	json_set_str(obj, "commit", r->culprit);
	json_set_str(obj, "subject", report_subject_of(r, r->culprit));
	set_ids(obj, "parents", &r->parents);
	set_ids(obj, "carried", &r->carried);
	history_json_upstream(obj, r);
	proof = json_set_object(obj, "proof");
	for (enum corner c = 0; c < CORNERS; c++)
		set_corner(proof, r, c);
}

static void push_trial(struct json *arr, const struct report *r, const struct store_trial *t)
{
	static const char *const stages[][2] = {
		{ "build", "build_ms" }, { "create", "create_ms" }, { "boot", "boot_ms" },
		{ "load", "load_ms" },	 { "probe", "probe_ms" },
	};
	struct json *obj = json_push_object(arr);
	struct json *times;
	char date[32];

	clock_date_text(t->begun_s, date, sizeof(date));
	json_set_int(obj, "trial", t->trial);
	json_set_str(obj, "role", store_role_name(t->role));
	json_set_str(obj, "begun", date);
	json_set_str(obj, "where", *t->where ? t->where : NULL);
	json_set_bool(obj, "ended", t->ended);
	json_set_str(obj, "verdict", verdict_name(t->ended ? t->v.verdict : VERDICT_NONE));
	json_set_str(obj, "rule", t->ended ? t->v.rule : NULL);
	json_set_str(obj, "reason", t->ended ? t->v.reason : NULL);
	times = json_set_object(obj, "stages");
	for (size_t i = 0; i < ARRAY_SIZE(stages); i++)
		set_ms(times, stages[i][1], report_stage_ns(t, stages[i][0]));
	builds_json_trial(obj, t);
	metric_json_trial(obj, r, t);
}

static void push_commit(struct json *arr, const struct report *r, const struct report_commit *c)
{
	struct json *obj = json_push_object(arr);
	struct json *trials;

	json_set_str(obj, "commit", c->id);
	json_set_str(obj, "subject", c->subject);
	json_set_str(obj, "verdict", verdict_name(c->v.verdict));
	json_set_str(obj, "reason", c->trial ? c->v.reason : NULL);
	json_set_str(obj, "rule", c->trial ? c->v.rule : NULL);
	json_set_int(obj, "windows", c->v.windows);
	json_set_int(obj, "predicted", c->v.predicted);
	json_set_int(obj, "off", c->v.off);
	builds_json_trial(obj, builds_verdict_trial(r, c));
	trials = json_set_array(obj, "trials");
	for (size_t i = 0; i < r->n_trials; i++)
		if (strcmp(r->trials[i].commit, c->id) == 0)
			push_trial(trials, r, &r->trials[i]);
}

static void set_commits(struct json *root, const struct report *r)
{
	struct json *candidates = json_set_array(root, "candidates");
	struct json *others = json_set_array(root, "others");

	for (size_t i = 0; i < r->n_commits; i++)
		push_commit(r->commits[i].candidate ? candidates : others, r, &r->commits[i]);
}

static void push_row(struct json *arr, const struct measurement *m)
{
	struct json *obj = json_push_object(arr);

	json_set_str(obj, "regime", regime_name(m->regime));
	json_set_int(obj, "bytes", (int64_t)m->bytes);
	json_set_int(obj, "offset", (int64_t)m->offset);
	json_set_int(obj, "repeats", m->repeats);
	json_set_int(obj, "failed", m->failed);
	set_ms(obj, "min_ms", m->min_ns);
	set_ms(obj, "median_ms", m->median_ns);
	set_ms(obj, "max_ms", m->max_ns);
	json_set_int(obj, "windows", m->windows);
	json_set_int(obj, "windows_min", m->windows_min);
	json_set_int(obj, "windows_max", m->windows_max);
	json_set_int(obj, "predicted", m->predicted);
	json_set_int(obj, "resident", m->resident);
	json_set_int(obj, "off", m->off);
	set_ms(obj, "residual_ms", m->residual_ns);
	json_set_int(obj, "restarts_max", m->restarts_max);
}

static void set_measurements(struct json *root, const struct report *r)
{
	struct json *arr = json_set_array(root, "measurements");

	for (size_t i = 0; i < r->n_subjects; i++) {
		const struct report_subject *s = &r->subjects[i];
		struct json *obj = json_push_object(arr);
		struct json *rows;

		json_set_str(obj, "part", s->part);
		json_set_str(obj, "commit", s->id);
		json_set_int(obj, "trial", s->trial);
		rows = json_set_array(obj, "rows");
		for (size_t k = 0; k < s->n_m; k++)
			push_row(rows, &s->m[k]);
		kernel_json(obj, s->kernel, s->n_kernel);
	}
}

static void set_run(struct json *root, const struct report *r)
{
	struct json *run = json_set_object(root, "run");
	struct json *terms;

	json_set_str(run, "state", report_state(r));
	json_set_bool(run, "over", report_is_over(r));
	set_fact(run, "command", r, "run.command");
	set_fact(run, "started", r, "run.started");
	set_fact(run, "ended", r, "run.ended");
	set_fact(run, "repo", r, "repo");
	set_fact(run, "paths", r, "paths");
	json_set_str(run, "find", r->fix ? "fix" : "regression");
	terms = json_set_object(run, "terms");
	json_set_str(terms, "old", r->old_word);
	json_set_str(terms, "new", r->new_word);
	set_ids(run, "old", &r->old);
	json_set_str(run, "new", r->new);
	set_fact(run, "scope", r, "scope");
	builds_json_run(run, r);
	set_number_fact(run, "candidates", r, "candidates.total");
	set_number_fact(run, "walked", r, "walked.total");
	set_number_fact(run, "left", r, "search.left");
	set_real_fact(run, "confidence", r, "search.confidence");
	json_set_int(run, "trials", (int64_t)r->n_made);
}

static void set_machine(struct json *root, const struct report *r)
{
	struct json *kernel = json_set_object(root, "kernel");
	struct json *guest;

	set_fact(kernel, "release", r, "kernel.release");
	set_fact(kernel, "source", r, "kernel.source");
	set_fact(kernel, "config", r, "kernel.config");
	builds_json(root, r);
	guest = json_set_object(root, "guest");
	set_fact(guest, "accel", r, "guest.accel");
	set_fact(guest, "why", r, "guest.accel_why");
	set_fact(guest, "start", r, "guest.start");
	set_fact(guest, "start_why", r, "guest.start_why");
}

static void set_options(struct json *root, const struct report *r)
{
	static const char prefix[] = "option.";
	struct json *obj = json_set_object(root, "options");

	for (size_t i = 0; i < r->keys.n; i++)
		if (str_starts(r->keys.items[i], prefix))
			json_set_str(obj, r->keys.items[i] + strlen(prefix), r->values.items[i]);
}

static void set_other_outcomes(struct json *root, const struct report *r)
{
	struct json *obj;

	if (r->set.n) {
		obj = json_set_object(root, "set");
		set_ids(obj, "commits", &r->set);
		set_fact(obj, "why", r, "set.why");
		history_json_blockers(obj, r);
	} else {
		json_set_null(root, "set");
	}
	if (report_fact(r, "end.which")) {
		obj = json_set_object(root, "end");
		set_fact(obj, "which", r, "end.which");
		set_fact(obj, "commit", r, "end.commit");
		set_fact(obj, "why", r, "end.why");
	} else {
		json_set_null(root, "end");
	}
}

static int push_event(int64_t date_s, const char *kind, const char *text, void *arg)
{
	struct json *obj = json_push_object(arg);
	char date[32];

	clock_date_text(date_s, date, sizeof(date));
	json_set_str(obj, "date", date);
	json_set_str(obj, "kind", kind);
	json_set_str(obj, "text", text);
	return 0;
}

int report_json(struct store *s, struct buf *ret, struct err *err)
{
	_cleanup_(json_destroy_p) struct json *root = json_object();
	_cleanup_free_ char *text = NULL;
	struct report r;

	if (report_load(s, &r, err))
		return -1;
	json_set_str(root, "format", "amdgpu-bisect report");
	json_set_int(root, "version", REPORT_VERSION);
	set_fact(root, "tool", &r, "tool.version");
	set_culprit(root, &r);
	set_other_outcomes(root, &r);
	history_json(root, &r);
	set_run(root, &r);
	set_machine(root, &r);
	set_measurements(root, &r);
	metric_json(root, &r);
	set_commits(root, &r);
	set_options(root, &r);
	report_deinit(&r);
	if (store_each_event(s, push_event, json_set_array(root, "events"), err))
		return -1;
	text = json_text(root, true);
	buf_puts(ret, text);
	buf_puts(ret, "\n");
	return 0;
}
