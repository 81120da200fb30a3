// SPDX-License-Identifier: GPL-2.0-or-later
/* The worker's side: see worker.h. It has its own rig and builder, and writes into the run's store. */
#include "controller/team/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/stop.h"
#include "controller/loop/band.h"
#include "controller/team/member.h"
#include "lab.h"
#include "range/pick/pick.h"

struct worker {
	struct progress *progress;
	struct store *store;
	struct lab lab;
	const char *dir;
	struct pick_store *made; /* commits that the controller makes for its proof, or NULL */
	struct baseline base;
	int64_t base_trial; /* that @base is of; 0: there is none */
};

static void worker_deinit(struct worker *w)
{
	lab_deinit(&w->lab);
	store_close(w->store);
	pick_close(w->made);
	progress_destroy(w->progress);
}

static void tell(const char *line)
{
	puts(line);
	fflush(stdout);
}

static void tell_failed(const struct err *err)
{
	printf("failed %d %s\n", (int)err->kind, err->msg);
	fflush(stdout);
}

/* A card that failed the module known good is of no use to this worker, which has no other. */
static bool is_card_lost(const struct worker *w)
{
	const char *card = options_str(w->lab.o, OPT_GPU);
	char why[512];

	if (!w->lab.quarantine || !card_is_quarantined(w->lab.quarantine, card, why, sizeof(why)))
		return false;
	printf("lost %s is in quarantine %s\n", card, why);
	fflush(stdout);
	return true;
}

static int take_base(struct worker *w, int64_t trial, struct err *err)
{
	if (trial == w->base_trial)
		return 0;
	if (band_of(w->store, trial, &w->base, err) < 0)
		return -1;
	w->base_trial = trial;
	return 0;
}

/* "try ROLE ID BASE SOUND" */
static int try(struct worker *w, char *line, struct err *err)
{
	char *save = NULL, *word = strtok_r(line, " ", &save);
	char *role_word = strtok_r(NULL, " ", &save), *id = strtok_r(NULL, " ", &save);
	char *base = strtok_r(NULL, " ", &save), *sound = strtok_r(NULL, " ", &save);
	enum store_role role;
	struct attempt a;
	uint64_t trial;

	if (!word || strcmp(word, "try") != 0 || !sound || !store_role_parse(role_word, &role) ||
	    !str_is_commit_id(id) || !str_to_u64(base, INT64_MAX, &trial))
		return err_set(err, ERR_USAGE, "a worker is started by `amdgpu-bisect run`");
	if (!w->lab.known_good[0] && str_is_commit_id(sound))
		str_copy(w->lab.known_good, sizeof(w->lab.known_good), sound);
	if (trial && take_base(w, (int64_t)trial, err) < 0)
		return -1;
	return lab_try_hard(&w->lab, w->store, w->dir, id, role, trial ? &w->base : NULL, &a, err);
}

/* 1: a whole line; 0: the end, or a stop is asked for. */
static int next_line(struct buf *rest, char *ret, size_t size)
{
	for (;;) {
		char *end = rest->len ? memchr(rest->data, '\n', rest->len) : NULL;
		struct pollfd p[] = { { .fd = 0, .events = POLLIN },
				      { .fd = stop_fd(), .events = POLLIN } };
		char chunk[512];
		ssize_t n;

		if (end) {
			size_t len = (size_t)(end - rest->data);

			snprintf(ret, size, "%.*s", (int)len, rest->data);
			memmove(rest->data, end + 1, rest->len - len - 1);
			rest->len -= len + 1;
			return 1;
		}
		if (poll(p, ARRAY_SIZE(p), -1) < 0 && errno != EINTR)
			return 0;
		if (stop_requested())
			return 0;
		n = p[0].revents ? read(0, chunk, sizeof(chunk)) : -1;
		if (n == 0)
			return 0;
		if (n > 0)
			buf_add(rest, chunk, (size_t)n);
	}
}

static int open_all(struct worker *w, struct options *o, struct err *err)
{
	_cleanup_free_ char *objects = NULL;
	const char *number = o->args.n ? o->args.items[0] : "", *card = options_str(o, OPT_GPU);

	w->dir = options_str(o, OPT_DIR);
	if (!w->dir || !options_str(o, OPT_REPO) || !*number)
		return err_set(err, ERR_USAGE, "a worker is started by `amdgpu-bisect run`");
	objects = str_printf("%s/objects", w->dir); /* as controller/prove has it */
	if (pick_open(options_str(o, OPT_REPO), objects, &w->made, err) < 0)
		return -1;
	if (lab_check(&w->lab, o, w->progress, xstrdup(options_str(o, OPT_REPO)), err) < 0 ||
	    store_join(w->dir, &w->store, err) < 0)
		return -1;
	snprintf(w->lab.where, sizeof(w->lab.where), "worker %s%s%s", number,
		 strcmp(card, "none") == 0 ? "" : ", ", strcmp(card, "none") == 0 ? "" : card);
	return lab_open(&w->lab, err);
}

static int serve(struct worker *w, struct err *err)
{
	_cleanup_buf_ struct buf rest = { 0 };
	char line[256];

	tell("ready");
	while (next_line(&rest, line, sizeof(line))) {
		if (try(w, line, err) == 0) {
			progress_stage(w->progress, NULL, -1);
			tell("done");
			continue;
		}
		tell_failed(err);
		if (err->kind == ERR_STOPPED || is_card_lost(w))
			return -1;
	}
	return 0;
}

int worker_main(struct options *o, struct err *err)
{
	_cleanup_(worker_deinit) struct worker w = { 0 };

	/* The run's lock: whom this worker starts is not to keep it. */
	fcntl(MEMBER_LOCK_FD, F_SETFD, FD_CLOEXEC);
	w.progress = progress_relay(stdout);
	if (open_all(&w, o, err) < 0) {
		tell_failed(err);
		return -1;
	}
	return serve(&w, err);
}
