// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * demo: a history with a known answer, bisected like any other. The run is told the ends and nothing
 * else; the answer is read after it has ended, and a difference is a loud failure.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "build/build.h"
#include "cmd.h"
#include "demo/demo.h"
#include "lab.h"
#include "paths.h"
#include "run.h"
#include "run_facts.h"

/* Where the demo lies, unless --dir says so: one directory per history and scope. */
static char *demo_dir(const struct options *o)
{
	_cleanup_free_ char *state = path_state();

	if (options_str(o, OPT_DIR))
		return path_absolute(options_str(o, OPT_DIR));
	return str_printf("%s/demo-%s-%s-%s%s%s%s", state, options_str(o, OPT_COMMITS),
			  options_str(o, OPT_SEED), options_str(o, OPT_SCOPE),
			  options_bool(o, OPT_TOUCH_CORE) ? "-core" : "",
			  options_given(o, OPT_FAULT) ? "-" : "",
			  options_given(o, OPT_FAULT) ? options_str(o, OPT_FAULT) : "");
}

/* Nothing but a kernel holds what the core's files come to. */
static int default_scope(struct options *o, struct progress *progress, struct err *err)
{
	if (!options_bool(o, OPT_TOUCH_CORE) || options_given(o, OPT_SCOPE))
		return 0;
	progress_event(progress, "scope kernel, because of --touch-core; --scope names another");
	return options_set(o, options_key(OPT_SCOPE), build_scope_name(BUILD_SCOPE_KERNEL),
			   ORIGIN_FLAG, err);
}

static int make_history(struct options *o, const char *dir, struct progress *progress,
			struct demo *ret, struct err *err)
{
	_cleanup_free_ char *cache = path_cache();
	_cleanup_(build_kernel_deinit) struct build_kernel k = {
		.release = xstrdup(options_str(o, OPT_RELEASE)),
		.source = xstrdup(options_str(o, OPT_SOURCE)),
		.config = xstrdup(options_str(o, OPT_KCONFIG)),
		.symvers = xstrdup(options_str(o, OPT_SYMVERS)),
		.image = xstrdup(options_str(o, OPT_IMAGE)),
		.modules = xstrdup(options_str(o, OPT_MODULES)),
	};
	struct demo_spec spec = {
		.dir = dir,
		.driver = "drivers/gpu/drm/amd",
		.commits = (unsigned int)options_num(o, OPT_COMMITS),
		.seed = options_num(o, OPT_SEED),
		.touch_core = options_bool(o, OPT_TOUCH_CORE),
		.cache_dir = cache,
		.progress = progress,
	};

	demo_culprit_parse(options_str(o, OPT_FAULT), &spec.culprit);
	if (build_find(&k, err) < 0)
		return -1;
	spec.source = k.source;
	return demo_make(&spec, ret, err);
}

/* All that can be looked for at once is, before the history is made, which takes half a minute. */
static int check_machine(const struct options *o, struct progress *progress, struct err *err)
{
	struct lab lab = { 0 };
	int r = lab_check(&lab, o, progress, NULL, err);

	lab_deinit(&lab);
	return r;
}

static int set_ends(struct options *o, const struct demo *d, struct err *err)
{
	if (options_set(o, "bisect.repo", d->repo, ORIGIN_FLAG, err) < 0 ||
	    options_set(o, "bisect.good", d->good_id, ORIGIN_FLAG, err) < 0 ||
	    options_set(o, "bisect.bad", d->bad_id, ORIGIN_FLAG, err) < 0)
		return -1;
	for (size_t i = 0; i < DEMO_CORE_FILES && d->touch_core; i++)
		if (options_set(o, "bisect.path", demo_core_files[i], ORIGIN_FLAG, err) < 0)
			return -1;
	return options_set(o, "bisect.path", d->driver, ORIGIN_FLAG, err);
}

/* A run that ended, or never began, is kept aside; one that was broken off goes on. */
static int open_run_dir(const char *dir, struct options *o, struct progress *progress,
			struct run_result *result, struct err *err)
{
	_cleanup_free_ char *run = str_printf("%s/run", dir);
	_cleanup_free_ char *ended = str_printf("%s/report.json", run);
	_cleanup_free_ char *aside = NULL;

	if (!fs_exists(ended) && facts_begun(run)) {
		progress_event(progress, "going on with the run in %s", run);
		return run_resume(o, run, progress, result, err);
	}
	if (fs_exists(run)) {
		aside = str_printf("%s/run-before-%lld", dir, (long long)clock_date_s());
		if (rename(run, aside) < 0)
			return err_errno(err, ERR_HOST, "rename %s to %s", run, aside);
	}
	return run_start(o, run, progress, result, err);
}

static void print_planted(const struct demo *d)
{
	printf("\nplanted besides, each mended later:\n");
	for (unsigned int i = 0; i < DEMO_FAULTS; i++)
		printf("  %-6s %.12s to %.12s (%u commits)\n", demo_fault_name(d->planted[i].fault),
		       d->planted[i].id, d->planted[i].mended_id, d->planted[i].n_broken);
}

static int compare(const struct demo *d, const struct run_result *r, bool quiet, struct err *err)
{
	if (!r->culprit[0])
		return err_set(err, ERR_HOST,
			       "NO ANSWER: %s was planted and none was named (seed %llu); the "
			       "report above says why, %s has the logs",
			       d->culprit_id, (unsigned long long)d->seed, r->dir);
	if (strcmp(d->culprit_id, r->culprit) != 0)
		return err_set(
			err, ERR_HOST,
			"WRONG ANSWER: planted %s, named %s (seed %llu); keep %s and report this",
			d->culprit_id, r->culprit, (unsigned long long)d->seed, r->dir);
	if (!quiet) {
		print_planted(d);
		printf("the commit named is the one that was planted: %s\n", d->culprit_id);
	}
	return 0;
}

int cmd_demo(struct options *o, struct err *err)
{
	_cleanup_(progress_destroy_p) struct progress *progress = NULL;
	_cleanup_(demo_deinit) struct demo demo = { 0 };
	_cleanup_free_ char *dir = NULL;
	struct run_result result = { 0 };
	bool quiet = options_bool(o, OPT_QUIET);
	char took[32];
	int code;

	if (o->args.n)
		return err_set(err, ERR_USAGE, "demo takes no argument, not '%s'",
			       o->args.items[0]);
	progress = progress_create(stderr, quiet);
	if (default_scope(o, progress, err) < 0 || check_machine(o, progress, err) < 0)
		return -1;
	dir = demo_dir(o);
	if (make_history(o, dir, progress, &demo, err) < 0 || set_ends(o, &demo, err) < 0)
		return -1;
	progress_event(progress, "%u commits in %s, from %.12s (good) to %.12s (bad)", demo.commits,
		       demo.repo, demo.good_id, demo.bad_id);
	if (open_run_dir(dir, o, progress, &result, err) < 0) {
		progress_destroy(take_ptr(progress));
		return err->kind == ERR_STOPPED && facts_begun(result.dir)
			       ? err_set(err, ERR_STOPPED,
					 "stopped; the same command goes on, and compares at the "
					 "end")
			       : cmd_hint_resume(&result, err);
	}
	progress_destroy(take_ptr(progress));
	code = cmd_finish_run(&result, quiet, err);
	if (code < 0 || compare(&demo, &result, quiet, err) < 0)
		return -1;
	clock_duration_text(result.search_ns, took, sizeof(took));
	if (!quiet)
		printf("ends, search and proof took %s\n", took);
	return code;
}
