// SPDX-License-Identifier: GPL-2.0-or-later
/* One build ahead: see build.h. */
#include "controller/ahead/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "base/stop.h"
#include "controller/options/conf.h"

#define NICE_MOST   19	/* until it is idle: loading the program is work, too */
#define EXIT_FAILED 125 /* of `build`: one does not build, which is kept */

int ahead_job_init(struct ahead_job *job, const struct ahead_spec *spec, struct err *err)
{
	*job = (struct ahead_job){
		.program = xstrdup(spec->program ? spec->program : "/proc/self/exe"),
		.repo = xstrdup(spec->repo),
		.dir = xstrdup(spec->dir),
		.conf = str_printf("%s/ahead.conf", spec->dir),
		.cancel = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
	};
	if (job->cancel < 0)
		return err_errno(err, ERR_HOST, "cannot make an eventfd");
	return conf_write(spec->o, CMD_BUILD, spec->kernel, job->conf, err);
}

void ahead_job_deinit(struct ahead_job *job)
{
	free(job->program);
	free(job->repo);
	free(job->dir);
	free(job->conf);
	if (job->cancel > 0)
		close(job->cancel);
	*job = (struct ahead_job){ 0 };
}

static enum ahead_end end_of(const struct spawn_result *r, const char *said)
{
	if (r->cancelled)
		return AHEAD_STOPPED;
	if (r->exit_code == EXIT_FAILED)
		return AHEAD_BUILT;
	if (r->exit_code != 0)
		return AHEAD_BROKEN;
	return str_starts(said, "cached ") ? AHEAD_CACHED : AHEAD_BUILT;
}

void ahead_build(const struct ahead_job *job, struct ahead_done *ret)
{
	_cleanup_free_ char *logs = str_printf("%s/candidates/%.12s", job->dir, ret->id);
	_cleanup_free_ char *log = str_printf("%s/ahead.log", logs);
	_cleanup_buf_ struct buf said = { 0 };
	const struct spawn spawn = {
		.argv = (const char *const[]){ job->program, "build", "--idle", "--quiet",
					       "--config", job->conf, "--repo", job->repo, "--dir",
					       job->dir, ret->id, NULL },
		.output = log,
		.capture = &said,
		.cancel_fd = job->cancel,
		.nice = NICE_MOST,
		.apart = true,
	};
	int64_t start = clock_now_ns();
	struct spawn_result result = { 0 };
	struct err err;

	ret->end = AHEAD_BROKEN;
	if (fs_mkdirs(logs, &err) < 0)
		return;
	if (spawn_run(&spawn, &result, &err) == 0)
		ret->end = end_of(&result, said.len ? said.data : "");
	else if (err.kind == ERR_STOPPED)
		ret->end = AHEAD_STOPPED;
	ret->elapsed_ns = clock_now_ns() - start;
}
