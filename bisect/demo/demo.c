// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Beside the flow: a history with a known answer is made, for the flow to be tried on.
 *
 * Everything is written to D/linux.tmp. Then comes D/answer, and last the directory gets its name:
 * D/linux is there only when all of it is, and what was half made is made again.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "demo/answer.h"
#include "demo/base.h"
#include "demo/demo.h"
#include "demo/text/edits.h"
#include "demo/history.h"
#include "demo/plan.h"
#include "range/author/author.h"

#define BRANCH "main"

const char *const demo_core_files[] = { "mm/hmm.c", "include/linux/hmm.h" };
_Static_assert(ARRAY_SIZE(demo_core_files) == DEMO_CORE_FILES, "each core file has a name");

static const char *const fault_names[] = {
	[DEMO_FAULT_BUILD] = "build",
	[DEMO_FAULT_OOPS] = "oops",
	[DEMO_FAULT_HANG] = "hang",
	[DEMO_FAULT_SLOW] = "slow",
};
_Static_assert(ARRAY_SIZE(fault_names) == DEMO_FAULTS, "a name for each fault");

static const char *const culprit_names[] = {
	[DEMO_CULPRIT_WINDOWS] = "windows",
	[DEMO_CULPRIT_SLOW] = "slow",
	[DEMO_CULPRIT_WARN] = "warn",
};
_Static_assert(ARRAY_SIZE(culprit_names) == DEMO_CULPRITS, "a name for each culprit");

const char *demo_culprit_name(enum demo_culprit c)
{
	return (unsigned int)c < DEMO_CULPRITS ? culprit_names[c] : "none";
}

bool demo_culprit_parse(const char *name, enum demo_culprit *ret)
{
	for (unsigned int i = 0; i < DEMO_CULPRITS; i++)
		if (strcmp(name, culprit_names[i]) == 0) {
			*ret = i;
			return true;
		}
	return false;
}

const char *demo_fault_name(enum demo_fault f)
{
	return (unsigned int)f < DEMO_FAULTS ? fault_names[f] : "none";
}

void demo_deinit(struct demo *d)
{
	free(d->repo);
	free(d->driver);
	free(d->source);
	*d = (struct demo){ 0 };
}

static int open_demo(const char *dir, struct demo *ret, char key[65], struct err *err)
{
	_cleanup_free_ char *answer = str_printf("%s/answer", dir);
	struct demo d = { .repo = str_printf("%s/linux", dir), .reused = true };

	if (!fs_is_dir(d.repo) || !fs_exists(answer)) {
		demo_deinit(&d);
		return err_set(err, ERR_USAGE,
			       "%s: holds no whole demo; make one with amdgpu-bisect demo --dir %s",
			       dir, dir);
	}
	if (answer_read(answer, &d, key, err)) {
		demo_deinit(&d);
		return -1;
	}
	*ret = d;
	return 0;
}

int demo_open(const char *dir, struct demo *ret, struct err *err)
{
	char key[65];

	return open_demo(dir, ret, key, err);
}

/* What D may hold before its demo is whole: what we left there, and states of runs. */
static bool may_be_there(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..") || str_starts(name, "run") ||
	       !strcmp(name, "linux.tmp") || str_starts(name, "answer");
}

/* 1: D holds the demo of this very spec, in @ret; 0: D is free for one. */
static int look_at(const struct demo_spec *spec, struct demo *ret, struct err *err)
{
	_cleanup_free_ char *repo = str_printf("%s/linux", spec->dir);
	_cleanup_free_ char *answer = str_printf("%s/answer", spec->dir);
	char key[65], kept[65];
	_cleanup_closedir_ DIR *dir = NULL;
	struct dirent *e;
	struct demo d = { 0 };

	if (fs_exists(repo) && fs_exists(answer)) {
		if (base_key(spec, key, err) || open_demo(spec->dir, &d, kept, err))
			return -1;
		if (d.seed == spec->seed && d.commits == spec->commits &&
		    d.touch_core == spec->touch_core && d.culprit == spec->culprit &&
		    !strcmp(key, kept)) {
			*ret = d;
			return 1;
		}
		err_set(err, ERR_USAGE,
			"%s: holds another demo (seed %" PRIu64
			", %u commits%s, fault %s, of %s); remove it or "
			"choose another --dir",
			spec->dir, d.seed, d.commits, d.touch_core ? ", --touch-core" : "",
			demo_culprit_name(d.culprit), d.source);
		demo_deinit(&d);
		return -1;
	}
	if (fs_mkdirs(spec->dir, err))
		return -1;
	dir = opendir(spec->dir);
	if (!dir)
		return err_errno(err, ERR_HOST, "cannot read %s", spec->dir);
	while ((e = readdir(dir))) {
		if (!may_be_there(e->d_name))
			return err_set(err, ERR_USAGE,
				       "%s: is not empty and holds no demo (%s is in it); choose "
				       "another --dir",
				       spec->dir, e->d_name);
	}
	return 0;
}

static void stage(const struct demo_spec *spec, const char *name)
{
	if (spec->progress)
		progress_stage(spec->progress, name, -1);
}

static int check_space(const struct demo_spec *spec, const struct base *base, struct err *err)
{
	/* The work tree, and as much again of the least for objects and what the run adds. */
	uint64_t need = base->bytes + base->bytes / 4;
	uint64_t space;

	if (fs_free_bytes(spec->dir, &space, err))
		return -1;
	if (space < need)
		return err_set(err, ERR_HOST,
			       "%s: %" PRIu64 " MB are needed and %" PRIu64
			       " MB free; make room or choose another --dir",
			       spec->dir, need / 1000000, space / 1000000);
	return 0;
}

static int write_history(const struct demo_spec *spec, const struct base *base,
			 const struct plan *plan, const char *repo, char (*ids)[COMMIT_ID_SIZE],
			 struct err *err)
{
	_cleanup_(edits_deinit) struct edits edits = { 0 };
	_cleanup_(author_destroy_p) struct author *author = NULL;

	if (fs_remove_tree(repo, err) || author_create(repo, &author, err) ||
	    base_link(base, repo, err) || history_files(spec, base, author, &edits, err))
		return -1;
	edits_draw(&edits, plan, spec->seed);
	stage(spec, "history");
	if (history_write(spec, base, plan, &edits, author, ids, err))
		return -1;
	stage(spec, "work tree");
	return author_finish(author, BRANCH, ids[plan->n - 1], err);
}

static void fill(const struct demo_spec *spec, const struct plan *plan, char (*ids)[COMMIT_ID_SIZE],
		 struct demo *d)
{
	*d = (struct demo){
		.repo = str_printf("%s/linux", spec->dir),
		.driver = xstrdup(spec->driver),
		.source = xstrdup(spec->source),
		.commits = spec->commits,
		.seed = spec->seed,
		.touch_core = spec->touch_core,
		.culprit = spec->culprit,
	};
	str_copy(d->good_id, sizeof(d->good_id), ids[0]);
	str_copy(d->bad_id, sizeof(d->bad_id), ids[plan->n - 1]);
	str_copy(d->culprit_id, sizeof(d->culprit_id), ids[plan->culprit]);
	for (enum demo_fault f = 0; f < DEMO_FAULTS; f++) {
		struct demo_planted *p = &d->planted[f];

		p->fault = f;
		p->n_broken = plan->faults[f].n_broken;
		str_copy(p->id, sizeof(p->id), ids[plan->faults[f].first]);
		str_copy(p->mended_id, sizeof(p->mended_id), ids[plan->faults[f].mend]);
	}
}

static int make(const struct demo_spec *spec, const struct plan *plan, struct demo *ret,
		struct err *err)
{
	_cleanup_free_ char *tmp = str_printf("%s/linux.tmp", spec->dir);
	_cleanup_free_ char *answer = str_printf("%s/answer", spec->dir);
	_cleanup_(base_close_p) struct base *base = NULL;
	_cleanup_free_ char(*ids)[COMMIT_ID_SIZE] = xcalloc(plan->n, sizeof(*ids));
	struct demo d = { 0 };

	if (base_open(spec, &base, err) || check_space(spec, base, err))
		return -1;
	if (write_history(spec, base, plan, tmp, ids, err)) {
		struct err ignored;

		/* The next call would do it too, but a full disk needs the room now. */
		fs_remove_tree(tmp, &ignored);
		return -1;
	}
	fill(spec, plan, ids, &d);
	if (answer_write(answer, &d, base->key, err) ||
	    (rename(tmp, d.repo) && err_errno(err, ERR_HOST, "cannot rename %s", tmp))) {
		demo_deinit(&d);
		return -1;
	}
	*ret = d;
	return 0;
}

int demo_make(const struct demo_spec *spec, struct demo *ret, struct err *err)
{
	_cleanup_(plan_destroy_p) struct plan *plan = NULL;
	_cleanup_free_ char *cache = str_printf("%s/demo-base", spec->cache_dir);
	_cleanup_free_ char *lock = str_printf("%s/lock", cache);
	_cleanup_close_ int locked = -1;
	int there;

	if (plan_make(spec->commits, spec->seed, &plan, err))
		return -1;
	if (fs_mkdirs(cache, err) || fs_lock(lock, true, &locked, err))
		return -1;
	there = look_at(spec, ret, err);
	if (there)
		return there < 0 ? -1 : 0;
	return make(spec, plan, ret, err);
}
