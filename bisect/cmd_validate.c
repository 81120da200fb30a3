// SPDX-License-Identifier: GPL-2.0-or-later
/* validate: what patches do to a build, before it is released. */
#include <string.h>

#include "cmd.h"
#include "controller/validate/validation.h"
#include "range/range.h"
#include "reports/validate/validate.h"

struct work {
	struct progress *progress;
	struct validation v;
	char *repo;
};

static void work_deinit(struct work *w)
{
	validation_deinit(&w->v);
	progress_destroy(w->progress);
	free(w->repo);
}

static int print(struct validation *v, struct err *err)
{
	bool json = strcmp(options_str(v->o, OPT_FORMAT), "json") == 0;
	_cleanup_buf_ struct buf text = { 0 };

	if ((json ? report_validate_json(v->store, &text, err)
		  : report_validate_text(v->store, &text, err)) < 0)
		return -1;
	if (!json)
		buf_printf(&text, "\nevidence: %s\n", v->dir);
	return cmd_write(v->o, text.data, err);
}

int cmd_validate(struct options *o, struct err *err)
{
	_cleanup_(work_deinit) struct work w = { .v.o = o };
	struct validation_spec spec = {
		.base = options_str(o, OPT_BASE),
		.sets = options_list(o, OPT_SETS),
		.each = options_bool(o, OPT_EACH),
		.name = "validate",
	};
	int code;

	if (o->args.n)
		return err_set(err, ERR_USAGE, "'%s': sets of patches are given by --apply",
			       o->args.items[0]);
	if (!spec.base || !spec.sets->n)
		return err_set(err, ERR_USAGE,
			       "want a base and patches: amdgpu-bisect validate --base REV --apply "
			       "PATCH|REV[,...]");
	w.progress = w.v.progress = progress_create(stderr, options_bool(o, OPT_QUIET));
	if (range_discover(options_str(o, OPT_REPO) ? options_str(o, OPT_REPO) : ".", &w.repo,
			   err) < 0)
		return -1;
	spec.repo = w.repo;
	if (validation_open(&w.v, &spec, err) < 0 || validation_run(&w.v, &code, err) < 0)
		return -1;
	w.v.progress = NULL;
	progress_destroy(take_ptr(w.progress)); /* before the table comes where its line stood */
	return print(&w.v, err) < 0 ? -1 : code;
}
