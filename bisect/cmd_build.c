// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * build REV...: revisions into the cache, as a trial would build them, by the same options and so under
 * the same keys. A run builds ahead with it; `git bisect run` and scripts can use it alone.
 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn/priority.h"
#include "cmd.h"
#include "controller/scope.h"
#include "lab.h"
#include "paths.h"
#include "range/range.h"

struct build {
	struct options *o;
	struct progress *progress;
	struct lab lab;
	struct strv ids; /* full, as they were asked for */
	char *dir;
	unsigned int n_failed;
};

static void build_deinit(struct build *b)
{
	lab_deinit(&b->lab);
	strv_deinit(&b->ids);
	free(b->dir);
	progress_destroy(b->progress);
}

/* All are named before one is built: a slip of the pen shows at once. */
static int resolve(struct build *b, const char *repo, struct err *err)
{
	for (size_t i = 0; i < b->o->args.n; i++) {
		char id[COMMIT_ID_SIZE];

		if (range_resolve(repo, b->o->args.items[i], id, err) < 0)
			return -1;
		strv_add(&b->ids, id);
	}
	return 0;
}

static int open_build(struct build *b, struct err *err)
{
	const char *where = options_str(b->o, OPT_REPO);
	struct scope_choice choice;
	char *repo = NULL;
	char what[32];

	if (range_discover(where ? where : ".", &repo, err) < 0)
		return -1;
	b->lab.repo = repo;
	if (resolve(b, repo, err) < 0 ||
	    scope_settle_commits(b->o, repo, (const char *const *)b->ids.items, b->ids.n, &choice,
				 err) < 0)
		return -1;
	if (choice.chosen)
		progress_event(b->progress, "scope %s: %s", build_scope_name(choice.scope),
			       choice.why);
	if (choice.warning[0])
		progress_warn(b->progress, "%s", choice.warning);
	snprintf(what, sizeof(what), "build-%ld", (long)getpid());
	if (lab_check(&b->lab, b->o, b->progress, repo, err) < 0 ||
	    path_run_new(options_str(b->o, OPT_DIR), what, &b->dir, err) < 0)
		return -1;
	return lab_open_builder(&b->lab, err);
}

static void print_artifact(const char *id, const struct artifact *a)
{
	char took[32];

	clock_duration_text(a->elapsed_ns, took, sizeof(took));
	printf("%s %.12s: %s, %u %s, key %.12s", a->cached ? "cached" : "built", id, took,
	       a->objects, a->objects == 1 ? "object" : "objects", a->key);
	if (a->signature[0])
		printf(", signature %.12s", a->signature);
	putchar('\n');
	for (size_t i = 0; i < a->n_modules; i++)
		printf("  %s\n", a->modules[i].path);
	if (a->image)
		printf("  %s\n", a->image);
}

/* One revision; that it does not build is said and counted. */
static int build_one(struct build *b, const char *id, struct err *err)
{
	_cleanup_free_ char *logs = str_printf("%s/candidates/%.12s", b->dir, id);
	_cleanup_free_ char *log = str_printf("%s/build.log", logs);
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	struct err failed;

	if (fs_mkdirs(logs, err) < 0)
		return -1;
	progress_stage(b->progress, "build", -1);
	if (builder_make(b->lab.builder, id, log, &a, &failed) == 0) {
		progress_stage(b->progress, NULL, -1);
		print_artifact(id, &a);
	} else if (failed.kind == ERR_BUILD) {
		_cleanup_free_ char *why = cmd_plain(failed.msg);

		progress_stage(b->progress, NULL, -1);
		printf("failed %.12s: %s\n", id, why);
		if (fs_exists(log)) /* what does not apply is never given to make */
			printf("  %s\n", log);
		b->n_failed++;
	} else {
		*err = failed;
		return -1;
	}
	fflush(stdout);
	return 0;
}

static int build_all(struct build *b, struct err *err)
{
	for (size_t i = 0; i < b->ids.n; i++) {
		progress_step(b->progress, (unsigned int)i + 1, (unsigned int)b->ids.n,
			      b->ids.items[i], -1);
		if (build_one(b, b->ids.items[i], err) < 0)
			return -1;
	}
	return 0;
}

int cmd_build(struct options *o, struct err *err)
{
	_cleanup_(build_deinit) struct build b = { .o = o };

	if (!o->args.n)
		return err_set(err, ERR_USAGE, "want revisions: amdgpu-bisect build REV [REV]...");
	if (options_bool(o, OPT_IDLE))
		priority_idle();
	b.progress = progress_create(stderr, options_bool(o, OPT_QUIET));
	if (open_build(&b, err) < 0 || build_all(&b, err) < 0)
		return err->kind == ERR_STOPPED
			       ? err_set(err, ERR_STOPPED, "stopped; what was built is kept")
			       : -1;
	progress_destroy(take_ptr(b.progress));
	return b.n_failed ? EXIT_SKIP : EXIT_GOOD;
}
