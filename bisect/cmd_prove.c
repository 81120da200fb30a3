// SPDX-License-Identifier: GPL-2.0-or-later
/* prove: the corners of a run that named its commit; a run makes them by itself unless --no-prove. */
#include "cmd.h"
#include "paths.h"
#include "run.h"

int cmd_prove(struct options *o, struct err *err)
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
	if (run_prove(o, dir, progress, &result, err) < 0) {
		progress_destroy(take_ptr(progress));
		return cmd_hint_resume(&result, err);
	}
	progress_destroy(take_ptr(progress)); /* before the report comes where its line stood */
	return cmd_finish_run(&result, quiet, err);
}
