// SPDX-License-Identifier: GPL-2.0-or-later
/* The demo writes its commits. */
#include <string.h>

#include "base/stop.h"
#include "demo/history.h"

#define AUTHOR_NAME  "Demo Author"
#define AUTHOR_EMAIL "demo@example.invalid"
/* Dates are made up too, so that ids depend on nothing but source, seed and N. */
#define DATE_FIRST_S 1700000000
#define DATE_STEP_S  5400

struct writer {
	const struct base *base;
	const struct plan *plan;
	const struct edits *edits;
	struct author *author;
	char (*trees)[COMMIT_ID_SIZE]; /* [plan->n] */
	unsigned char *changed;	       /* [n_files] */
};

static int write_tree(struct writer *w, uint32_t commit, struct err *err)
{
	const struct edits *e = w->edits;
	_cleanup_free_ struct author_file *files = xcalloc(e->n_files, sizeof(*files));
	uint32_t parent = w->plan->commits[commit].parents[0];
	size_t n = 0;

	edits_changed(e, w->plan, commit, w->changed);
	for (uint32_t i = 0; i < e->n_files; i++) {
		const char *path = e->files[i].path;
		_cleanup_free_ char *text = NULL;
		size_t len;

		if (!w->changed[i])
			continue;
		text = edits_text(e, w->plan, i, commit, &len);
		files[n] = (struct author_file){ path, base_mode(w->base, path), "" };
		if (author_blob(w->author, text, len, files[n++].id, err))
			return -1;
	}
	return author_tree_update(w->author, w->trees[parent], files, n, w->trees[commit], err);
}

static int write_commit(struct writer *w, uint32_t commit, uint64_t seed,
			char (*ids)[COMMIT_ID_SIZE], struct err *err)
{
	const struct plan_commit *c = &w->plan->commits[commit];
	_cleanup_free_ char *subject = edits_subject(w->edits, w->plan, commit, seed);
	_cleanup_free_ char *message = str_printf("%s\n", subject);
	const char *const parents[2] = { ids[c->parents[0]], ids[c->parents[1]] };
	struct author_commit made = {
		.tree = w->trees[commit],
		.parents = parents,
		.n_parents = c->n_parents,
		.name = AUTHOR_NAME,
		.email = AUTHOR_EMAIL,
		.date_s = DATE_FIRST_S + (int64_t)commit * DATE_STEP_S,
		.message = message,
	};

	return author_commit(w->author, &made, ids[commit], err);
}

static int write_all(struct writer *w, const struct demo_spec *spec, char (*ids)[COMMIT_ID_SIZE],
		     struct err *err)
{
	for (uint32_t i = 0; i < w->plan->n; i++) {
		if (stop_check(err))
			return -1;
		if (i == 0 ? base_tree(w->base, w->author, w->trees[0], err)
			   : write_tree(w, i, err))
			return -1;
		if (write_commit(w, i, spec->seed, ids, err))
			return -1;
		if (spec->progress)
			progress_detail(spec->progress, "%u of %zu commits", i + 1, w->plan->n);
	}
	return 0;
}

int history_write(const struct demo_spec *spec, const struct base *base, const struct plan *plan,
		  const struct edits *edits, struct author *author, char (*ids)[COMMIT_ID_SIZE],
		  struct err *err)
{
	struct writer w = {
		.base = base,
		.plan = plan,
		.edits = edits,
		.author = author,
		.trees = xcalloc(plan->n, sizeof(*w.trees)),
		.changed = xcalloc(edits->n_files, 1),
	};
	int r = write_all(&w, spec, ids, err);

	free(w.trees);
	free(w.changed);
	return r;
}
