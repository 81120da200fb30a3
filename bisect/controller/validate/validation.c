// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The base and the base with each set are built first; then each is booted in turn, round by round, so that what
 * the machine does meets all of them.
 */
#include "controller/validate/validation.h"

#include <string.h>

#include "base/fs.h"
#include "cmd.h"
#include "controller/scope.h"
#include "paths.h"
#include "range/range.h"
#include "run_facts.h"

void validation_deinit(struct validation *v)
{
	lab_deinit(&v->lab);
	store_close(v->store);
	build_rows_deinit(&v->rows);
	pick_close(v->picks);
	free(v->dir);
}

static int settle_scope(struct validation *v, struct err *err)
{
	_cleanup_free_ const char **ids = xcalloc(v->rows.n, sizeof(*ids));
	struct scope_choice choice;

	for (size_t i = 0; i < v->rows.n; i++)
		ids[i] = v->rows.items[i].id;
	if (scope_settle_commits(v->o, v->lab.repo, ids, v->rows.n, &choice, err) < 0)
		return -1;
	if (choice.chosen)
		progress_event(v->progress, "scope %s: %s", build_scope_name(choice.scope),
			       choice.why);
	if (choice.warning[0])
		progress_warn(v->progress, "%s", choice.warning);
	return 0;
}

int validation_open(struct validation *v, const struct validation_spec *spec, struct err *err)
{
	_cleanup_free_ char *objects = NULL;
	char base[COMMIT_ID_SIZE];

	v->lab.repo = xstrdup(spec->repo);
	if (range_resolve(spec->repo, spec->base, base, err) < 0)
		return err_prefix(err, "--base");
	if (path_run_new(options_str(v->o, OPT_DIR), spec->name, &v->dir, err) < 0 ||
	    fs_mkdirs(v->dir, err) < 0)
		return -1;
	if (spec->prepare && spec->prepare(spec->arg, v->dir, err) < 0)
		return -1;
	objects = str_printf("%s/objects", v->dir);
	if (pick_open(spec->repo, objects, &v->picks, err) < 0 ||
	    sets_lay(v->picks, spec->repo, base, (const char *const *)spec->sets->items,
		     spec->sets->n, spec->each, &v->rows, err) < 0 ||
	    settle_scope(v, err) < 0 ||
	    lab_check(&v->lab, v->o, v->progress, v->lab.repo, err) < 0 ||
	    store_create(v->dir, &v->store, err) < 0 ||
	    store_set(v->store, "validate.base", base, err) < 0)
		return -1;
	return lab_open(&v->lab, err);
}

/* All are built before one is booted: a build that comes to the base's artifact needs no guest. */
static int build_row(struct validation *v, struct build_row *row, struct err *err)
{
	_cleanup_free_ char *log = str_printf("%s/build.log", v->dir);
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	struct err failed;

	if (row->v.state != BUILD_MEASURED)
		return 0;
	progress_stage(v->progress, "build", -1);
	progress_event(v->progress, "building %.12s: %s", row->id, row->name);
	if (builder_make(v->lab.builder, row->id, log, &a, &failed) == 0) {
		str_copy(row->signature, sizeof(row->signature), a.signature);
		return 0;
	}
	if (failed.kind != ERR_BUILD) {
		*err = failed;
		return -1;
	}
	row->v.state = BUILD_FAILED;
	row->why = xstrdup(failed.msg);
	return 0;
}

/* Return: how many builds have to be booted; -1 */
static int build_all(struct validation *v, struct err *err)
{
	struct build_row *base = &v->rows.items[0];
	int boots = 0;

	for (size_t i = 0; i < v->rows.n; i++) {
		struct build_row *row = &v->rows.items[i];

		if (build_row(v, row, err) < 0)
			return -1;
		if (i && row->v.state == BUILD_MEASURED && *row->signature &&
		    strcmp(row->signature, base->signature) == 0)
			row->v.state = BUILD_SAME;
		boots += i && row->v.state == BUILD_MEASURED;
	}
	return boots;
}

static void set_why(struct build_row *row, const char *why)
{
	free(row->why);
	row->why = xstrdup(why);
}

static int boot_row(struct validation *v, struct build_row *row, struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = NULL;
	struct attempt a;
	size_t n;

	if (lab_try_hard(&v->lab, v->store, v->dir, row->id, ROLE_VALIDATE, NULL, &a, err) < 0 ||
	    store_trial_samples(v->store, a.trial, &samples, &n, err) < 0)
		return -1;
	progress_stage(v->progress, NULL, -1);
	progress_event(v->progress, "%s: %s", row->name, a.v.reason);
	/* One guest that died says more than all that lived. */
	if (!n || !a.n_m) {
		row->v.state = BUILD_UNTRIED;
		set_why(row, a.v.reason);
		return 0;
	}
	row->samples = xrealloc(row->samples, row->n_samples + n, sizeof(*row->samples));
	memcpy(row->samples + row->n_samples, samples, n * sizeof(*samples));
	row->n_samples += n;
	return 0;
}

static int boot_all(struct validation *v, struct err *err)
{
	uint64_t rounds = options_num(v->o, OPT_ROUNDS);

	for (uint64_t round = 0; round < rounds; round++)
		for (size_t i = 0; i < v->rows.n; i++) {
			struct build_row *row = &v->rows.items[i];

			if (row->v.state != BUILD_MEASURED)
				continue;
			progress_step(v->progress, (unsigned int)(round * v->rows.n + i + 1),
				      (unsigned int)(rounds * v->rows.n), row->name, -1);
			if (boot_row(v, row, err) < 0)
				return -1;
		}
	return 0;
}

static int measure_row(struct build_row *row, struct err *err)
{
	int n = measure_samples(row->samples, row->n_samples, MEASURE_WINDOW_NS, row->m, err);

	if (n < 0)
		return -1;
	row->v.m = row->m;
	row->v.n = (size_t)n;
	row->v.why = row->why;
	return 0;
}

/* The base has no effect; what it is by itself stands in its place. */
static void judge_base(struct build_row *base, bool booted, struct effect_verdict *ret,
		       const char **word)
{
	struct judgement j;

	*ret = (struct effect_verdict){ .effect = EFFECT_UNTESTED, .rule = "not-booted" };
	*word = "not booted";
	str_copy(ret->reason, sizeof(ret->reason),
		 base->why ? base->why : "no other build differs from it");
	if (!booted || base->v.state != BUILD_MEASURED)
		return;
	validate_state(&base->v, &j);
	*word = verdict_name(j.verdict);
	str_copy(ret->rule, sizeof(ret->rule), judge_rule_name(j.rule));
	str_copy(ret->reason, sizeof(ret->reason), j.reason);
}

static int put_row(struct validation *v, size_t n, const char *word, struct err *err)
{
	const struct build_row *row = &v->rows.items[n];
	const struct fact facts[] = { { "name", row->name },
				      { "commit", row->id },
				      { "effect", word },
				      { "rule", row->effect.rule },
				      { "reason", row->effect.reason } };

	for (size_t i = 0; i < ARRAY_SIZE(facts); i++) {
		_cleanup_free_ char *key = str_printf("validate.%zu.%s", n, facts[i].key);

		if (store_set(v->store, key, facts[i].value, err) < 0)
			return -1;
	}
	return 0;
}

static int judge_all(struct validation *v, bool booted, int *code, struct err *err)
{
	_cleanup_free_ char *count = str_printf("%zu", v->rows.n);
	struct build_row *base = &v->rows.items[0];
	const char *word;

	*code = EXIT_GOOD;
	for (size_t i = 0; i < v->rows.n; i++)
		if (measure_row(&v->rows.items[i], err) < 0)
			return -1;
	judge_base(base, booted, &base->effect, &word);
	v->base_word = word;
	if (put_row(v, 0, word, err) < 0)
		return -1;
	for (size_t i = 1; i < v->rows.n; i++) {
		struct build_row *row = &v->rows.items[i];

		validate_effect(&base->v, &row->v, &row->effect);
		if (row->effect.effect == EFFECT_BREAKS || row->effect.effect == EFFECT_SLOWER ||
		    row->effect.effect == EFFECT_CONTROL_MOVED)
			*code = EXIT_BAD;
		else if (row->effect.effect >= EFFECT_UNCLEAR && *code == EXIT_GOOD)
			*code = EXIT_SKIP;
		if (put_row(v, i, effect_name(row->effect.effect), err) < 0)
			return -1;
	}
	return store_set(v->store, "validate.rows", count, err);
}

int validation_run(struct validation *v, int *code, struct err *err)
{
	int boots = build_all(v, err);

	if (boots < 0 || (boots && boot_all(v, err) < 0) || judge_all(v, boots > 0, code, err) < 0)
		return -1;
	lab_deinit(&v->lab);
	return 0;
}
