// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * test REV: one revision, judged as in a run, with exit codes that `git bisect run` understands.
 *
 * The controls' band comes from a good revision: --good, or the good ends of a `git bisect` that is
 * going on. It is measured once and kept in the cache by everything it depends on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fs.h"
#include "cmd.h"
#include "controller/rule/rule.h"
#include "controller/scope.h"
#include "lab.h"
#include "paths.h"
#include "range/range.h"
#include "run_facts.h"
#include "controller/window_table.h"

struct test {
	struct options *o;
	struct progress *progress;
	struct lab lab;
	struct store *store;
	char *dir;
	char id[COMMIT_ID_SIZE];
	struct baseline base;
	unsigned int tried; /* steps made */
};

static void test_deinit(struct test *t)
{
	lab_deinit(&t->lab);
	store_close(t->store);
	free(t->dir);
	progress_destroy(t->progress);
}

static int good_revision(struct test *t, char ret[COMMIT_ID_SIZE], struct err *err)
{
	const char *good = options_str(t->o, OPT_GOOD);
	_cleanup_strv_ struct strv refs = { 0 };

	if (good)
		return range_resolve(t->lab.repo, good, ret, err);
	if (range_refs(t->lab.repo, "refs/bisect/good-*", &refs, err) < 0)
		return -1;
	ret[0] = '\0';
	if (refs.n)
		str_copy(ret, COMMIT_ID_SIZE, refs.items[0]);
	return 0;
}

/* What the tree's name stands for; with several compilers there is none before the first build. */
static void put_build(const struct test *t, struct buf *b)
{
	static const enum option lists[] = { OPT_COMPILER, OPT_FRAGMENT, OPT_APPLY };
	const char *tree = builder_tree(t->lab.builder);

	buf_printf(b, "%s %s %s %s %s", tree ? tree : "", t->lab.kernel.source,
		   t->lab.kernel.config, options_str(t->o, OPT_TREE),
		   options_str(t->o, OPT_DRIVER));
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (size_t k = 0; k < options_list(t->o, lists[i])->n; k++)
			buf_printf(b, " %s", options_list(t->o, lists[i])->items[k]);
}

/* Everything the band depends on: what is built, what it boots on, and how it is measured. */
static int baseline_path(struct test *t, const char *good, char **ret, struct err *err)
{
	const struct strv *paths = options_list(t->o, OPT_PATH);
	_cleanup_free_ char *text = NULL;
	_cleanup_buf_ struct buf build = { 0 };
	char content[65], key[65];

	if (range_content_key(t->lab.repo, good, (const char *const *)paths->items, paths->n,
			      content, err) < 0)
		return -1;
	put_build(t, &build);
	text = str_printf("%s %s %s %s %s %s %s %s %s %s %s", AMDGPU_BISECT_VERSION,
			  options_str(t->o, OPT_MEMORY),
			  options_str(t->o, OPT_APPEND) ? options_str(t->o, OPT_APPEND) : "",
			  content, build.data, options_str(t->o, OPT_SCOPE), t->lab.probe_args,
			  t->lab.kernel.image, guest_accel_name(rig_accel(t->lab.rig, NULL)),
			  options_str(t->o, OPT_VCPUS), options_str(t->o, OPT_GPU));
	fs_sha256_text(text, strlen(text), key);
	*ret = str_printf("%s/baselines/%s.jsonl", t->lab.cache, key);
	return 0;
}

/* Kept as wire lines: read back by the same strict parser. Anything odd means: measure again. */
static int recall_baseline(struct test *t, const char *path)
{
	_cleanup_free_ struct wire_sample *samples = xcalloc(WIRE_SAMPLES_MAX, sizeof(*samples));
	_cleanup_free_ char *text = NULL;
	struct err err;
	char *save = NULL;
	size_t n = 0;
	int m;

	if (fs_read(path, 16 << 20, &text, NULL, &err) < 0)
		return -1;
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		struct wire_msg msg;

		if (n == WIRE_SAMPLES_MAX || wire_decode(l, strlen(l), &msg, &err) < 0 ||
		    msg.type != WIRE_SAMPLE)
			return -1;
		samples[n++] = msg.sample;
	}
	m = measure_samples(samples, n, MEASURE_WINDOW_NS, t->base.m, &err);
	if (m <= 0)
		return -1;
	t->base.n = (size_t)m;
	return 0;
}

static int keep_baseline(struct test *t, int64_t trial, const char *path, struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = NULL;
	_cleanup_free_ char *dir = str_printf("%s/baselines", t->lab.cache);
	_cleanup_free_ char *number = str_printf("%" PRId64, trial);
	_cleanup_buf_ struct buf text = { 0 };
	size_t n;

	if (store_set(t->store, "band.trial", number, err) < 0 ||
	    store_trial_samples(t->store, trial, &samples, &n, err) < 0 || fs_mkdirs(dir, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		struct wire_msg msg = { .type = WIRE_SAMPLE, .sample = samples[i] };
		char line[WIRE_LINE_MAX];

		if (wire_encode(&msg, line, err) < 0)
			return -1;
		buf_puts(&text, line);
	}
	return fs_write(path, text.data, text.len, err);
}

static int find_baseline(struct test *t, struct err *err)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_free_ char *kept = NULL;
	char good[COMMIT_ID_SIZE];
	struct attempt a;

	if (good_revision(t, good, err) < 0)
		return -1;
	if (!good[0]) {
		progress_warn(t->progress, "no good revision known: controls are held against a "
					   "fixed ceiling; --good REV sets a measured one");
		return 0;
	}
	if (baseline_path(t, good, &path, err) < 0)
		return -1;
	if (recall_baseline(t, path) == 0) { /* the verdict can be found again only with it */
		kept = str_printf("%s/band.jsonl", t->dir);
		return fs_copy(path, kept, err);
	}
	progress_event(t->progress, "%.12s, known good, sets the band of the controls", good);
	progress_step(t->progress, ++t->tried, 2, good, -1);
	if (lab_try_hard(&t->lab, t->store, t->dir, good, ROLE_GOOD_END, NULL, &a, err) < 0)
		return -1;
	if (a.v.verdict != VERDICT_GOOD)
		return err_set(err, ERR_USAGE,
			       "the good revision %.12s is %s: %s; name another with --good", good,
			       verdict_name(a.v.verdict), a.v.reason);
	memcpy(t->base.m, a.m, sizeof(a.m));
	t->base.n = a.n_m;
	return keep_baseline(t, a.trial, path, err);
}

/* One revision has no range; what it changes, and where it differs from a good one, is known. */
static int settle_scope(struct test *t, struct err *err)
{
	char good[COMMIT_ID_SIZE];
	const char *ids[] = { t->id, good };
	struct scope_choice choice;

	if (good_revision(t, good, err) < 0 ||
	    scope_settle_commits(t->o, t->lab.repo, ids, good[0] ? 2 : 1, &choice, err) < 0)
		return -1;
	if (choice.chosen)
		progress_event(t->progress, "scope %s: %s", build_scope_name(choice.scope),
			       choice.why);
	if (choice.warning[0])
		progress_warn(t->progress, "%s", choice.warning);
	return 0;
}

static int open_test(struct test *t, char *repo, struct err *err)
{
	const struct strv *paths = options_list(t->o, OPT_PATH);
	_cleanup_free_ char *command = NULL;
	_cleanup_free_ char *line = NULL;
	char what[32];
	int dirty;

	t->lab.repo = repo;
	if (range_resolve(repo, t->o->args.items[0], t->id, err) < 0)
		return -1;
	dirty = range_is_dirty(repo, (const char *const *)paths->items, paths->n, err);
	if (dirty < 0)
		return -1;
	if (dirty)
		progress_warn(t->progress,
			      "the work tree has uncommitted changes; they are not part of %s and "
			      "not tested",
			      t->o->args.items[0]);
	if (settle_scope(t, err) < 0 || lab_check(&t->lab, t->o, t->progress, repo, err) < 0)
		return -1;
	snprintf(what, sizeof(what), "test-%.12s-%ld", t->id, (long)getpid());
	if (path_run_new(options_str(t->o, OPT_DIR), what, &t->dir, err) < 0 ||
	    fs_mkdirs(t->dir, err) < 0 || store_create(t->dir, &t->store, err) < 0)
		return -1;
	command = options_command(t->o, CMD_TEST, "test");
	line = str_printf("%s %s", command, t->id);
	if (facts_probe(t->store, t->o, t->lab.probe_args, err) < 0)
		return -1;
	return facts_put(t->store,
			 (struct fact[]){ { "test.commit", t->id },
					  { "run.command", line },
					  { "repo", repo },
					  { "scope", options_str(t->o, OPT_SCOPE) },
					  { "kernel.release", t->lab.kernel.release },
					  { "kernel.source", t->lab.kernel.source },
					  { "tool.version", AMDGPU_BISECT_VERSION },
					  { NULL, NULL } },
			 err);
}

static int make_table(struct test *t, struct err *err)
{
	_cleanup_free_ struct wire_sample *samples = NULL;
	_cleanup_free_ char *log = NULL;
	struct attempt a;
	unsigned int differ;
	size_t n;

	progress_step(t->progress, 1, 1, t->id, -1);
	if (lab_try(&t->lab, t->store, t->dir, t->id, ROLE_TEST, true, NULL, &a, err) < 0)
		return -1;
	lab_deinit(&t->lab);
	progress_destroy(take_ptr(t->progress));
	if (a.v.verdict != VERDICT_NONE) {
		_cleanup_free_ char *reason = cmd_plain(a.v.reason);

		printf("skip %s: %s\nevidence: %s\n", t->id, reason, t->dir);
		return EXIT_SKIP;
	}
	log = str_printf("%s/candidates/%.12s/%" PRId64 "/agent.jsonl", t->dir, t->id, a.trial);
	if (window_table_read(log, &samples, &n, err) < 0)
		return -1;
	differ = window_table_print(stdout, samples, n);
	printf("evidence: %s\n", t->dir);
	return differ ? EXIT_BAD : EXIT_GOOD;
}

static int verdict_code(enum verdict v)
{
	switch (v) {
	case VERDICT_GOOD:
		return EXIT_GOOD;
	case VERDICT_BAD:
		return EXIT_BAD;
	default:
		return EXIT_SKIP;
	}
}

int cmd_test(struct options *o, struct err *err)
{
	_cleanup_(test_deinit) struct test t = { .o = o };
	_cleanup_free_ char *reason = NULL;
	char *repo = NULL;
	struct attempt a;

	if (o->args.n != 1)
		return err_set(err, ERR_USAGE, "want one revision: amdgpu-bisect test REV");
	t.progress = progress_create(stderr, options_bool(o, OPT_QUIET));
	if (range_discover(options_str(o, OPT_REPO) ? options_str(o, OPT_REPO) : ".", &repo, err) <
		    0 ||
	    open_test(&t, repo, err) < 0 || lab_open(&t.lab, err) < 0)
		return -1;
	if (t.lab.window_table)
		return make_table(&t, err);
	if (t.lab.own && rules_find(&t.lab.own->rules, RULE_METRIC))
		return err_set(
			err, ERR_USAGE,
			"a metric is held against both ends of a range, and test has one revision; "
			"use run");
	if (!t.lab.own && find_baseline(&t, err) < 0)
		return -1;
	t.tried++;
	progress_step(t.progress, t.tried, t.tried, t.id, -1);
	if (lab_try_hard(&t.lab, t.store, t.dir, t.id, ROLE_TEST, t.base.n ? &t.base : NULL, &a,
			 err) < 0)
		return -1;
	/* The rig ends its guests before the display goes and the verdict is printed. */
	lab_deinit(&t.lab);
	progress_destroy(take_ptr(t.progress));
	reason = cmd_plain(a.v.reason);
	printf("%s %s: %s\n", verdict_name(a.v.verdict), t.id, reason);
	if (cmd_tell_kernel(t.store, a.trial, "kernel:", err) < 0)
		return -1;
	printf("evidence: %s\n", t.dir);
	return verdict_code(a.v.verdict);
}
