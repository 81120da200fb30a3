// SPDX-License-Identifier: GPL-2.0-or-later
/* Missing follow-ups, tried: see follow_ups.h. */
#include "controller/validate/follow_ups.h"

#include <string.h>

#include "base/fs.h"
#include "range/change/change.h"

struct work {
	const char *up_repo;
	bool here; /* the tree is of the same repository */
	struct follow_ups *f;
	struct strv sets;
	size_t *at; /* [sets.n] whose set it is */
};

static void work_deinit(struct work *w)
{
	strv_deinit(&w->sets);
	free(w->at);
}

void follow_ups_deinit(struct follow_ups *f)
{
	free(f->items);
	free(f->dir);
	*f = (struct follow_ups){ 0 };
}

/* One that is no patch stays untested, with the reason. */
static void set_aside(struct follow_up *y)
{
	y->effect = (struct effect_verdict){ .effect = EFFECT_UNTESTED, .rule = "no-patch" };
	str_copy(y->effect.reason, sizeof(y->effect.reason),
		 "it is no patch: a merge, a binary file, or not wholly there");
}

static int make_set(void *arg, const char *dir, struct err *err)
{
	struct work *w = arg;

	for (size_t i = 0; i < w->f->n; i++) {
		_cleanup_free_ char *path = NULL;
		_cleanup_buf_ struct buf text = { 0 };
		int rc = change_patch(w->up_repo, w->f->items[i].id, &text, err);

		if (rc < 0)
			return -1;
		if (rc > 0 || !text.len) {
			set_aside(&w->f->items[i]);
			continue;
		}
		path = str_printf("%s/%.12s.patch", dir, w->f->items[i].id);
		if (!w->here && fs_write(path, text.data, text.len, err) < 0)
			return -1;
		w->at[w->sets.n] = i;
		strv_add(&w->sets, w->here ? w->f->items[i].id : path);
	}
	return 0;
}

int follow_ups_test(struct options *o, struct progress *p, const char *tree_repo,
		    const char *tree_id, const char *up_repo, struct follow_ups *f, struct err *err)
{
	_cleanup_(validation_deinit) struct validation v = { .o = o, .progress = p };
	_cleanup_(work_deinit) struct work w = {
		.up_repo = up_repo,
		.here = strcmp(tree_repo, up_repo) == 0,
		.f = f,
		.at = xcalloc(f->n, sizeof(*w.at)),
	};
	const struct validation_spec spec = {
		.repo = tree_repo,
		.base = tree_id,
		.sets = &w.sets,
		.name = "audit",
		.prepare = make_set,
		.arg = &w,
	};
	int code;

	if (validation_open(&v, &spec, err) < 0 || validation_run(&v, &code, err) < 0)
		return -1;
	for (size_t i = 0; i < w.sets.n; i++)
		f->items[w.at[i]].effect = v.rows.items[i + 1].effect;
	f->base = v.rows.items[0].effect;
	f->base_word = v.base_word;
	f->dir = take_ptr(v.dir);
	return 0;
}
