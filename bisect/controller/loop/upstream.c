// SPDX-License-Identifier: GPL-2.0-or-later
/* What other trees call the culprit: see loop.h. */
#include "controller/loop/loop.h"
#include "range/change/change.h"
#include "run_facts.h"

/* What the message names, if this repository has it; else the same change in --upstream. */
static int find_upstream(struct run *r, struct identity *is, char **subject, struct err *err)
{
	const char *branch = options_str(r->o, OPT_UPSTREAM);
	char full[COMMIT_ID_SIZE] = "";
	struct err missing;

	if (is->upstream[0]) {
		if (range_resolve(r->lab.repo, is->upstream, full, &missing) == 0)
			str_copy(is->upstream, sizeof(is->upstream), full);
	} else if (branch) {
		if (identity_find(r->lab.repo, r->range->good_ids[0], branch, is, full, &is->how,
				  err) < 0)
			return -1;
		str_copy(is->upstream, sizeof(is->upstream), full);
	}
	if (full[0] && range_subject(r->lab.repo, full, subject, &missing) < 0)
		*subject = NULL;
	return 0;
}

int loop_identity(struct run *r, const char *id, struct err *err)
{
	_cleanup_(identity_deinit) struct identity is = { 0 };
	_cleanup_free_ char *subject = NULL;
	struct err failed;

	/* The answer stands without it. */
	if (identity_of(r->lab.repo, id, &is, &failed) < 0 ||
	    find_upstream(r, &is, &subject, &failed) < 0) {
		progress_warn(r->progress, "what other trees call %.12s is not known: %s", id,
			      failed.msg);
		if (!is.id[0])
			return 0;
	}
	return facts_put(
		r->store,
		(struct fact[]){
			{ "culprit.patch_id", is.patch_id[0] ? is.patch_id : NULL },
			{ "culprit.upstream", is.upstream[0] ? is.upstream : NULL },
			{ "culprit.upstream.how", is.upstream[0] ? same_how_name(is.how) : NULL },
			{ "culprit.upstream.subject", subject },
			{ NULL, NULL } },
		err);
}
