// SPDX-License-Identifier: GPL-2.0-or-later
/* A lab whose answers are planted: see planted.h. */
#include "unit/controller/planted.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/stop.h"
#include "controller/ahead/ahead.h"
#include "range/range.h"
#include "controller/team/worker.h"
#include "unit/range/kit.h"

static struct planted_commit *history;
static size_t n_history;
static unsigned int trials, end_at;
static struct planted_foresight foresight;
static enum planted_end end_how;
static double miss;
static uint64_t miss_seed;
static const char *(*judge_code)(const char *code);
static struct {
	const char *name, *state;
	unsigned int n;
} lie;

static struct planted_commit *by_name(const char *name)
{
	for (size_t i = 0; i < n_history; i++)
		if (strcmp(history[i].name, name) == 0)
			return &history[i];
	fail_msg("no commit %s was planted", name);
	return NULL;
}

static void put_commit(FILE *f, size_t i)
{
	const struct planted_commit *c = &history[i];

	fprintf(f, "reset refs/heads/build\n\ncommit refs/heads/build\nmark :%zu\n", i + 1);
	fprintf(f, "committer C <c@example.org> %zu +0000\n", 1700000000 + 100 * i);
	fprintf(f, "data <<E\n%s\n\n%s\nE\n", c->name, c->body ? c->body : "");
	for (size_t p = 0; p < PLANTED_PARENTS && c->parents[p]; p++)
		fprintf(f, "%s :%zu\n", p ? "merge" : "from", by_name(c->parents[p]) - history + 1);
	fprintf(f, "M 100644 inline %s\ndata <<E\n%s\nE\n", c->outside ? "other" : "drv/code",
		c->code ? c->code : c->name);
	fprintf(f, "\nreset refs/tags/%s\nfrom :%zu\n\n", c->name, i + 1);
}

#define WORKER_TRIAL_MS 20 /* so that several go on at once */

static bool is_worker;

/* For the workers: they are other processes. */
static void put_answers(void)
{
	_cleanup_free_ char *path = kit_path("answers");
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	for (size_t i = 0; i < n_history; i++)
		fprintf(f, "%s\t%s\t%s\t%s\n", history[i].id, history[i].name, history[i].state,
			history[i].signature ? history[i].signature : history[i].name);
	fclose(f);
	setenv("PLANTED_ANSWERS", path, 1);
}

static char *fault_path(const char *id, const char *how)
{
	return str_printf("%s.%s.%s", getenv("PLANTED_ANSWERS"), id, how);
}

void planted_fault(const char *name, const char *how)
{
	_cleanup_free_ char *path = fault_path(planted_id(name), how);
	struct err err;

	assert_int_equal(fs_write(path, "", 0, &err), 0);
}

static int do_fault(const char *id, struct err *err)
{
	static const char *const hows[] = { "kill", "stop", "fail", "each" };

	for (size_t i = 0; i < ARRAY_SIZE(hows); i++) {
		_cleanup_free_ char *path = fault_path(id, hows[i]);

		if (!fs_exists(path))
			continue;
		if (strcmp(hows[i], "each") != 0)
			unlink(path);
		if (strcmp(hows[i], "fail") == 0)
			return err_set(err, ERR_HOST, "planted failure");
		raise(strcmp(hows[i], "stop") == 0 ? SIGSTOP : SIGKILL);
	}
	return 0;
}

int planted_worker(int argc, char **argv)
{
	static struct planted_commit c[256];
	static char lines[256][512];
	FILE *f = fopen(getenv("PLANTED_ANSWERS"), "re");
	struct options o = { 0 };
	struct err err;
	int ret;

	while (f && n_history < ARRAY_SIZE(c) && fgets(lines[n_history], sizeof(*lines), f)) {
		char *save = NULL, *id = strtok_r(lines[n_history], "\t\n", &save);

		str_copy(c[n_history].id, sizeof(c->id), id);
		c[n_history].name = strtok_r(NULL, "\t\n", &save);
		c[n_history].state = strtok_r(NULL, "\t\n", &save);
		c[n_history++].signature = strtok_r(NULL, "\t\n", &save);
	}
	if (f)
		fclose(f);
	history = c;
	is_worker = true;
	stop_install();
	ret = options_parse(CMD_RUN, argc, argv, &o, &err) < 0 ? -1 : worker_main(&o, &err);
	if (ret < 0)
		fprintf(stderr, "%s\n", err.msg);
	options_deinit(&o);
	return ret < 0 ? 1 : 0;
}

char *planted_history(const char *name, struct planted_commit *c, size_t n)
{
	char *repo = kit_path("%s", name);
	_cleanup_free_ char *stream = kit_path("%s.stream", name);
	FILE *f = fopen(stream, "we");

	assert_non_null(f);
	history = c;
	n_history = n;
	for (size_t i = 0; i < n; i++) {
		c[i].tried = c[i].foreseen = false;
		put_commit(f, i);
	}
	fclose(f);
	free(kit_sh("git init -q --bare '%s'", repo));
	free(kit_git(repo, "fast-import --quiet --force < '%s'", stream));
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *id = kit_git(repo, "rev-parse refs/tags/%s", c[i].name);

		str_copy(c[i].id, sizeof(c[i].id), id);
	}
	put_answers();
	foresight = (struct planted_foresight){ 0 };
	planted_end_at(0, PLANTED_STOP);
	planted_miss(0, 0);
	lie.n = 0;
	return repo;
}

const char *planted_id(const char *name)
{
	return by_name(name)->id;
}

const char *planted_state(const char *name)
{
	return by_name(name)->state;
}

const char *planted_name(const char *id)
{
	for (size_t i = 0; i < n_history; i++)
		if (strcmp(history[i].id, id) == 0)
			return history[i].name;
	return NULL;
}

void planted_end_at(unsigned int trial, enum planted_end how)
{
	trials = 0;
	end_at = trial;
	end_how = how;
}

void planted_miss(double p, uint64_t seed)
{
	miss = p;
	miss_seed = seed;
}

void planted_lie(const char *name, const char *state, unsigned int n)
{
	lie.name = name;
	lie.state = state;
	lie.n = n;
}

void planted_judge(const char *(*by)(const char *code))
{
	judge_code = by;
}

unsigned int planted_trials(void)
{
	return trials;
}

struct planted_foresight planted_foresight(void)
{
	return foresight;
}

/* What is tried for the first time should have been planned during the last trial. */
static void foresee(const struct lab *lab, const char *id)
{
	for (size_t i = 0; i < n_history; i++) {
		struct planted_commit *c = &history[i];

		if (strcmp(c->id, id) == 0 && !c->tried) {
			foresight.n_new += trials > 1;
			foresight.n_foreseen += trials > 1 && c->foreseen;
			c->tried = true;
		}
		c->foreseen = ahead_foresees(lab->ahead, c->id);
	}
}

/* A commit that the run made itself. */
static const char *judge_made(const char *repo, const char *id)
{
	_cleanup_free_ char *code = NULL;
	struct err err;

	if (range_file(repo, id, "drv/code", &code, &err) < 0)
		fail_msg("%s", err.msg);
	return judge_code(code ? code : "");
}

/* What a trial finds. Chance goes by the trial's number, so that a resumed run has the same. */
static const char *find(const char *repo, const char *id, int64_t trial)
{
	const char *name = planted_name(id);
	const char *state;
	uint64_t seed = miss_seed + (uint64_t)trial * 7919;

	assert_true(name || judge_code);
	state = name ? by_name(name)->state : judge_made(repo, id);
	if (name && lie.n && strcmp(lie.name, name) == 0) {
		lie.n--;
		return lie.state;
	}
	if (miss > 0 && strcmp(state, "bad") == 0 && kit_rand(&seed, 10000) < miss * 10000)
		return "good";
	return state;
}

static void fill(struct attempt *ret, const char *state)
{
	bool good = strcmp(state, "good") == 0, bad = strcmp(state, "bad") == 0;

	ret->v.verdict = good ? VERDICT_GOOD : bad ? VERDICT_BAD : VERDICT_SKIP;
	str_copy(ret->v.rule, sizeof(ret->v.rule),
		 good  ? "no-windows"
		 : bad ? "mechanism"
		       : "build");
	str_copy(ret->v.reason, sizeof(ret->v.reason), state);
}

/* What it is built to; a commit that does not build has none. */
static void sign(struct attempt *ret, const char *id)
{
	const char *name = planted_name(id);
	const struct planted_commit *c = name ? by_name(name) : NULL;

	if (ret->v.verdict != VERDICT_SKIP)
		str_copy(ret->v.signature, sizeof(ret->v.signature),
			 !c		? id
			 : c->signature ? c->signature
					: c->name);
}

/* What a good end measured must be the band of every other trial. */
static void check_band(const struct baseline *base, bool first)
{
	if (first) {
		assert_null(base);
		return;
	}
	assert_non_null(base);
	assert_int_equal(base->n, 1);
	assert_int_equal(base->m[0].median_ns, 1 * NS_PER_MS);
}

int lab_try_hard(struct lab *lab, struct store *store, const char *dir, const char *id,
		 enum store_role role, const struct baseline *base, struct attempt *ret,
		 struct err *err)
{
	struct wire_sample w = { .regime = REGIME_R_RESIDENT, .bytes = 4 << 20, .extents = 2 };
	bool end = ++trials == end_at;

	(void)dir;
	foresee(lab, id);
	if (end && end_how == PLANTED_STOP)
		return err_set(err, ERR_STOPPED, "asked to stop");
	*ret = (struct attempt){ 0 };
	if (store_begin(store, id, role, &ret->trial, err) < 0)
		return -1;
	if (end && end_how == PLANTED_FLIGHT)
		_exit(0);
	if (is_worker) {
		if (store_place(store, ret->trial, lab->where, err) < 0)
			return -1;
		clock_sleep_ms(WORKER_TRIAL_MS);
		if (do_fault(id, err) < 0)
			return -1;
	}
	/* With workers the ends are tried at once. */
	check_band(base, !base && (role == ROLE_GOOD_END || (is_worker && role == ROLE_BAD_END)));
	fill(ret, find(lab->repo, id, ret->trial));
	sign(ret, id);
	w.elapsed_ns = (ret->v.verdict == VERDICT_GOOD ? 1 : 9) * NS_PER_MS;
	if (store_samples(store, ret->trial, &w, 1, err) < 0 ||
	    store_end(store, ret->trial, &ret->v, err) < 0)
		return -1;
	if (end)
		_exit(0);
	return 0;
}

bool lab_tries_again(const struct store_verdict *v)
{
	return v->verdict == VERDICT_SKIP && strcmp(v->rule, "no-boot") == 0;
}

int lab_check(struct lab *lab, const struct options *o, struct progress *progress, char *repo,
	      struct err *err)
{
	(void)err;
	lab->o = o;
	lab->progress = progress;
	lab->repo = repo;
	return 0;
}

int lab_open_rig(struct lab *lab, struct err *err)
{
	(void)lab;
	(void)err;
	return 0;
}

int lab_open(struct lab *lab, struct err *err)
{
	return lab_open_rig(lab, err);
}

void lab_refresh(struct lab *lab)
{
	(void)lab;
}

void lab_deinit(struct lab *lab)
{
	ahead_close(lab->ahead);
	free(lab->repo);
	*lab = (struct lab){ 0 };
}

const char *lab_accel(const struct lab *lab, const char **why)
{
	(void)lab;
	*why = "none is needed";
	return "planted";
}

const char *lab_start(const struct lab *lab, const char **why)
{
	(void)lab;
	*why = "none is needed";
	return "cold";
}

const char *lab_tree(const struct lab *lab)
{
	(void)lab;
	return "none";
}
