// SPDX-License-Identifier: GPL-2.0-or-later
/* run, resume and prove. */
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "controller/replay.h"
#include "paths.h"
#include "run.h"

int cmd_run(struct options *o, struct err *err)
{
	_cleanup_(progress_destroy_p) struct progress *progress = NULL;
	_cleanup_free_ char *dir = NULL;
	struct run_result result = { 0 };
	bool quiet = options_bool(o, OPT_QUIET);

	if (cmd_take_range(o, err) < 0 || replay_options(o, err) < 0 ||
	    path_run_new(options_str(o, OPT_DIR), "run", &dir, err) < 0)
		return -1;
	progress = progress_create(stderr, quiet);
	if (run_start(o, dir, progress, &result, err) < 0) {
		progress_destroy(take_ptr(progress));
		return cmd_hint_resume(&result, err);
	}
	progress_destroy(take_ptr(progress)); /* before the report comes where its line stood */
	return cmd_finish_run(&result, quiet, err);
}

/* With the run that the argument names, or the last one. */
static int go_on(int (*how)(struct options *, const char *, struct progress *, struct run_result *,
			    struct err *),
		 struct options *o, struct err *err)
{
	_cleanup_(progress_destroy_p) struct progress *progress = NULL;
	_cleanup_free_ char *dir = NULL;
	struct run_result result = { 0 };
	bool quiet = options_bool(o, OPT_QUIET);

	if (o->args.n > 1)
		return err_set(err, ERR_USAGE, "one run at a time; '%s' is too much",
			       o->args.items[1]);
	if (path_run_find(o->args.n ? o->args.items[0] : NULL, &dir, err) < 0)
		return -1;
	progress = progress_create(stderr, quiet);
	if (how(o, dir, progress, &result, err) < 0) {
		progress_destroy(take_ptr(progress));
		return cmd_hint_resume(&result, err);
	}
	progress_destroy(take_ptr(progress)); /* before the report comes where its line stood */
	return cmd_finish_run(&result, quiet, err);
}

int cmd_resume(struct options *o, struct err *err)
{
	return go_on(run_resume, o, err);
}

/* The corners of a run that named its commit; a run makes them by itself unless --no-prove. */
int cmd_prove(struct options *o, struct err *err)
{
	return go_on(run_prove, o, err);
}
