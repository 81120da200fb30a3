// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gate: a new kernel held against an old one before it is released. Both are tried as `test` tries one
 * revision, the old one sets the band. If the new one regressed and its history is there, that is bisected.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/stop.h"
#include "cmd.h"
#include "controller/asked.h"
#include "controller/gate/gate.h"
#include "controller/scope.h"
#include "lab.h"
#include "paths.h"
#include "reports/report.h"
#include "run.h"
#include "run_facts.h"

struct gate {
	struct options *o;
	struct progress *progress;
	struct gate_sides sides;
	struct store *store;
	char *dir;  /* --out */
	char *run;  /* DIR/run */
	char *said; /* --new, where the option says it otherwise by now */
	struct attempt old, new;
	struct baseline band;
	bool has_band;
};

static void gate_deinit(struct gate *g)
{
	gate_close_sides(&g->sides);
	store_close(g->store);
	free(g->dir);
	free(g->run);
	free(g->said);
	progress_destroy(g->progress);
}

static int settle_scope(struct gate *g, struct err *err)
{
	const char *ids[] = { g->sides.old.id, g->sides.new.id };
	struct scope_choice choice;

	if (scope_settle_commits(g->o, g->sides.repo, ids, ARRAY_SIZE(ids), &choice, err) < 0)
		return -1;
	if (choice.chosen)
		progress_event(g->progress, "scope %s: %s", build_scope_name(choice.scope),
			       choice.why);
	if (choice.warning[0])
		progress_warn(g->progress, "%s", choice.warning);
	return 0;
}

/* The command is written down before packages become options. */
static int open_store(struct gate *g, struct err *err)
{
	_cleanup_free_ char *command = options_command(g->o, CMD_GATE, "gate");
	char date[32];

	if (fs_mkdirs(g->run, err) < 0 || store_create(g->run, &g->store, err) < 0)
		return -1;
	clock_date_text(clock_date_s(), date, sizeof(date));
	return facts_put(g->store,
			 (struct fact[]){ { "run.started", date },
					  { "run.command", command },
					  { "tool.version", AMDGPU_BISECT_VERSION },
					  { "gate.old", options_str(g->o, OPT_OLD) },
					  { "gate.new", options_str(g->o, OPT_NEW) },
					  { "option.probe.exec", options_str(g->o, OPT_EXEC) },
					  { NULL, NULL } },
			 err);
}

static int say_sides(struct gate *g, struct err *err)
{
	return facts_put(g->store,
			 (struct fact[]){ { "test.commit", g->sides.new.id },
					  { "good.0", g->sides.old.id },
					  { "repo", g->sides.repo },
					  { "scope", options_str(g->o, OPT_SCOPE) },
					  { NULL, NULL } },
			 err);
}

static int say_lab(struct gate *g, const struct lab *lab, struct err *err)
{
	const char *why = NULL;

	return facts_put(g->store,
			 (struct fact[]){ { "kernel.release", lab->kernel.release },
					  { "kernel.source", lab->kernel.source },
					  { "build.cc", options_str(g->o, OPT_CC) },
					  { "guest.accel", lab_accel(lab, &why) },
					  { "guest.accel_why", why },
					  { NULL, NULL } },
			 err);
}

static int open_lab(struct gate *g, struct lab *lab, const struct gate_side *side, struct err *err)
{
	return gate_use(g->o, side, err) < 0 ||
			       lab_check(lab, g->o, g->progress, xstrdup(g->sides.repo), err) < 0 ||
			       lab_open(lab, err) < 0
		       ? -1
		       : say_lab(g, lab, err);
}

static int try_side(struct gate *g, struct lab *lab, const struct gate_side *side,
		    enum store_role role, struct attempt *ret, struct err *err)
{
	progress_step(g->progress, role == ROLE_TEST ? 2 : 1, 2, side->id, -1);
	if (lab_try_hard(lab, g->store, g->run, side->id, role, g->has_band ? &g->band : NULL, ret,
			 err) < 0)
		return -1;
	progress_event(g->progress, "%s %s: %s", side->what, verdict_name(ret->v.verdict),
		       ret->v.reason);
	return 0;
}

/* A good old one sets the band; any other leaves the fixed ceiling. */
static int take_band(struct gate *g, struct err *err)
{
	_cleanup_free_ char *number = str_printf("%" PRId64, g->old.trial);

	if (g->old.v.verdict != VERDICT_GOOD || !g->old.n_m)
		return 0;
	memcpy(g->band.m, g->old.m, sizeof(g->old.m));
	g->band.n = g->old.n_m;
	g->has_band = true;
	return store_set(g->store, "band.trial", number, err);
}

/* Revisions share a kernel and a rig; each package is tried in its own kernel. */
static int try_both(struct gate *g, struct lab *lab, struct err *err)
{
	if (open_lab(g, lab, &g->sides.old, err) < 0 ||
	    try_side(g, lab, &g->sides.old, ROLE_GOOD_END, &g->old, err) < 0 ||
	    take_band(g, err) < 0)
		return -1;
	if (g->sides.new.is_package) {
		lab_deinit(lab);
		if (open_lab(g, lab, &g->sides.new, err) < 0)
			return -1;
	}
	return try_side(g, lab, &g->sides.new, ROLE_TEST, &g->new, err);
}

static int measure(struct gate *g, struct err *err)
{
	struct lab lab = { 0 };
	int r;

	if (gate_open_sides(g->o, g->dir, g->progress, &g->sides, err) < 0 ||
	    settle_scope(g, err) < 0 || say_sides(g, err) < 0)
		return -1;
	r = try_both(g, &lab, err);
	lab_deinit(&lab);
	return r;
}

/* Whole, for whoever goes on from another directory. Return: 1, or -1. */
static int name_packages(struct gate *g, struct err *err)
{
	_cleanup_free_ char *what = path_absolute(g->sides.new.what);

	g->said = xstrdup(g->sides.new.what); /* which lives no longer than the option */
	g->sides.new.what = g->said;
	return options_set(g->o, options_key(OPT_NEW), what, ORIGIN_FLAG, err) < 0 ? -1 : 1;
}

/* 1: there is a history from the old kernel to the new one; both ends are in @o then. */
static int take_history(struct gate *g, struct err *err)
{
	const bool given = options_given(g->o, OPT_GOOD) && options_given(g->o, OPT_BAD);

	if (g->old.v.verdict != VERDICT_GOOD)
		return 0;
	if (g->sides.new.is_package)
		return given ? name_packages(g, err) : 0;
	if (given)
		return 1;
	return options_set(g->o, options_key(OPT_REPO), g->sides.repo, ORIGIN_FLAG, err) < 0 ||
			       options_set(g->o, options_key(OPT_GOOD), g->sides.old.id,
					   ORIGIN_FLAG, err) < 0 ||
			       options_set(g->o, options_key(OPT_BAD), g->sides.new.id, ORIGIN_FLAG,
					   err) < 0
		       ? -1
		       : 1;
}

static int publish_bisect(struct gate *g, const char *run, struct err *err)
{
	_cleanup_(store_close_p) struct store *store = NULL;
	_cleanup_free_ char *path = str_printf("%s/bisect.txt", g->dir);
	_cleanup_(asked_deinit) struct report_asked asked = { 0 };
	_cleanup_buf_ struct buf text = { 0 };

	return store_open(run, false, &store, err) < 0 ||
			       gate_publish(store, run, g->dir, "bisect", err) < 0 ||
			       asked_read(store, &asked, err) < 0 ||
			       report_text(store, &asked, &text, err) < 0 ||
			       fs_write(path, text.data, text.len, err) < 0
		       ? -1
		       : 0;
}

static void print_bisection(const struct gate *g, int r, const struct run_result *result,
			    const struct err *failed)
{
	if (r < 0)
		printf("bisection  not ended: %s\n", failed->msg);
	else if (result->culprit[0])
		printf("bisection  %s\n", result->culprit);
	else
		printf("bisection  no single commit; see %s/bisect.txt\n", g->dir);
}

/* That it regressed is known by now: a bisection that does not come to its end, or cannot be told, changes nothing of it. */
static void bisect(struct gate *g)
{
	_cleanup_free_ char *run = str_printf("%s/bisect", g->dir);
	struct run_result result = { 0 };
	struct err failed, lost;
	int r = take_history(g, &failed);

	if (r == 0)
		return;
	if (r > 0) {
		progress_event(g->progress, "the new one regressed: bisecting from %s to %s",
			       options_list(g->o, OPT_GOOD)->items[0],
			       options_list(g->o, OPT_BAD)->items[0]);
		r = run_start(g->o, run, g->progress, &result, &failed);
	}
	progress_destroy(take_ptr(g->progress));
	print_bisection(g, r, &result, &failed);
	if (facts_begun(run) && publish_bisect(g, run, &lost) < 0)
		printf("bisection  its files are not whole: %s\n", lost.msg);
}

static void print_side(const struct gate *g, const char *label, const struct gate_side *side,
		       const struct attempt *a)
{
	_cleanup_free_ char *reason = cmd_plain(a->v.reason);
	_cleanup_free_ char *what = cmd_plain(side->what);
	struct err ignored;

	printf("%-10s %s %s: %s\n", label, what, verdict_name(a->v.verdict), reason);
	/* it is told beside the verdict and changes nothing of it */
	cmd_tell_kernel(g->store, a->trial, "  kernel  ", &ignored);
}

/* @lost: why what was measured could not be written down, or NULL */
static int conclude(struct gate *g, const struct err *lost)
{
	bool bad = g->new.v.verdict == VERDICT_BAD;

	if (bad)
		bisect(g);
	progress_destroy(take_ptr(g->progress));
	print_side(g, "old", &g->sides.old, &g->old);
	print_side(g, "new", &g->sides.new, &g->new);
	if (bad)
		printf("gate       %s\n",
		       g->old.v.verdict == VERDICT_GOOD
			       ? "refused: the new one regressed"
			       : "refused: the new one has the defect, and the old one is no "
				 "measure of it");
	else
		printf("gate       %s\n",
		       g->new.v.verdict == VERDICT_GOOD ? "clean" : "not tested: see above");
	printf("evidence   %s%s%s\n", g->dir, lost ? ", not whole: " : "", lost ? lost->msg : "");
	return bad ? EXIT_BAD : g->new.v.verdict == VERDICT_GOOD ? EXIT_GOOD : EXIT_SKIP;
}

static int start_budget(struct gate *g, struct err *err)
{
	const char *text = options_str(g->o, OPT_BUDGET);
	int64_t ms;

	if (gate_budget_ms(text, &ms, err) < 0)
		return -1;
	if (!ms)
		return 0;
	progress_event(g->progress, "budget %s: what has not ended by then counts as not tested",
		       text);
	stop_after(ms);
	return 0;
}

/* What was measured is kept and told whatever ended it. */
static int keep_measured(struct gate *g, const struct err *why, struct err *err)
{
	struct err ignored;
	enum run_outcome outcome = why->kind == ERR_STOPPED ? RUN_STOPPED : RUN_HOST;

	*err = *why;
	if (facts_outcome(g->store, outcome, &ignored) == 0 &&
	    store_set(g->store, "run.why", why->msg, &ignored) == 0)
		gate_publish(g->store, g->run, g->dir, "gate", &ignored);
	if (why->kind == ERR_STOPPED && stop_was_due())
		return err_set(err, ERR_HOST,
			       "the budget of %s ran out; what was measured is in %s",
			       options_str(g->o, OPT_BUDGET), g->dir);
	return -1;
}

/* Evidence alone, as CI keeps it from run to run, would be found in the way once all is measured. */
static int refuse_remains(const char *dir, struct err *err)
{
	static const char *const names[] = { "run", "driver", "bisect", "gate.evidence",
					     "bisect.evidence" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", dir, names[i]);

		if (fs_exists(path))
			return err_set(err, ERR_USAGE,
				       "%s holds what a gate left, %s; remove it, or name another "
				       "directory with --out",
				       dir, names[i]);
	}
	return 0;
}

int cmd_gate(struct options *o, struct err *err)
{
	_cleanup_(gate_deinit) struct gate g = { .o = o };
	struct err why;
	char what[32];

	if (o->args.n)
		return err_set(err, ERR_USAGE, "'%s': kernels are given by --old and --new",
			       o->args.items[0]);
	if (options_str(o, OPT_EXEC))
		return err_set(err, ERR_USAGE,
			       "gate judges copies; hold a program of yours against both with run");
	if (options_given(o, OPT_GOOD) != options_given(o, OPT_BAD) &&
	    (o->o[OPT_GOOD].origin == ORIGIN_FLAG || o->o[OPT_BAD].origin == ORIGIN_FLAG))
		return err_set(err, ERR_USAGE,
			       "the history of a regression is named by --good and --bad together");
	g.progress = progress_create(stderr, options_bool(o, OPT_QUIET));
	snprintf(what, sizeof(what), "gate-%ld", (long)getpid()); /* two may begin in one second */
	if (start_budget(&g, err) < 0 ||
	    path_run_new(options_str(o, OPT_OUT), what, &g.dir, err) < 0)
		return -1;
	g.run = str_printf("%s/run", g.dir);
	if (refuse_remains(g.dir, err) < 0)
		return -1;
	if (open_store(&g, err) < 0)
		return -1;
	if (measure(&g, &why) < 0)
		return keep_measured(&g, &why, err);
	if (gate_publish(g.store, g.run, g.dir, "gate", &why) == 0)
		return conclude(&g, NULL);
	/* A defect that was found is not undone by a full disk; without one nothing shows that there is none. */
	if (g.new.v.verdict == VERDICT_BAD)
		return conclude(&g, &why);
	*err = why;
	return -1;
}
