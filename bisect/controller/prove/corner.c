// SPDX-License-Identifier: GPL-2.0-or-later
/* One corner's trial and facts: see corner.h. */
#include "controller/prove/corner.h"

#include <stdarg.h>
#include <string.h>

#define NAMED_MAX 6 /* colliding files in a line for people; all of them are stored */

const struct corner corner_tip_without = {
	.key = "tip_without",
	.words = "the tip without it",
	.role = ROLE_TIP_WITHOUT,
};
const struct corner corner_tip_with_followup = {
	.key = "tip_with_followup",
	.words = "the tip with the follow-up",
	.role = ROLE_TIP_WITH_FOLLOWUP,
};
const struct corner corner_good_end_with = {
	.key = "good_end_with",
	.words = "the old end with it",
	.role = ROLE_OLD_END_WITH,
	.is_new = true,
};

int corner_put(struct run *r, const struct corner *c, const char *key, const char *value,
	       struct err *err)
{
	_cleanup_free_ char *name = str_printf("proof.%s.%s", c->key, key);
	_cleanup_free_ char *before = NULL;

	if (store_get(r->store, name, &before, err) < 0)
		return -1;
	if (before && value ? strcmp(before, value) == 0 : before == value)
		return 0;
	return store_set(r->store, name, value, err);
}

int corner_missing(struct run *r, const struct corner *c, const struct strv *files, struct err *err,
		   const char *fmt, ...)
{
	_cleanup_buf_ struct buf why = { 0 };
	_cleanup_buf_ struct buf all = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&why, fmt, ap);
	va_end(ap);
	for (size_t i = 0; files && i < files->n; i++)
		buf_printf(&all, "%s%s", i ? "\n" : "", files->items[i]);
	progress_event(r->progress, "%s is not tried: %s", c->words, why.data);
	return corner_put(r, c, "commit", NULL, err) < 0 ||
			       corner_put(r, c, "files", all.len ? all.data : NULL, err) < 0
		       ? -1
		       : corner_put(r, c, "why", why.data, err);
}

int corner_collides(struct run *r, const struct corner *c, const struct pick *p, const char *what,
		    struct err *err)
{
	_cleanup_buf_ struct buf files = { 0 };

	for (size_t i = 0; i < p->files.n && i < NAMED_MAX; i++)
		buf_printf(&files, "%s%s", i ? ", " : "", p->files.items[i]);
	if (p->files.n > NAMED_MAX)
		buf_printf(&files, " and %zu more", p->files.n - NAMED_MAX);
	return corner_missing(r, c, &p->files, err, "%s does not apply: it collides in %s", what,
			      files.len ? files.data : p->where);
}

/* Where a trial may miss the defect, one that finds nothing is made again until that is unlikely. */
static int settle(struct run *r, const struct corner *c, const char *id, unsigned int more,
		  enum verdict want, enum verdict *ret, struct err *err)
{
	unsigned int left = loop_tries(r);

	do {
		if (loop_repeat(r, r->search, id, c->role, want, more, ret, err) < 0)
			return -1;
	} while (*ret == VERDICT_GOOD && --left);
	return 0;
}

int corner_try(struct run *r, const struct corner *c, const char *id, unsigned int more, bool *ret,
	       struct err *err)
{
	enum verdict want = c->is_new ? halving_new(r->o) : halving_old(r->o), is;

	if (corner_put(r, c, "why", NULL, err) < 0 || corner_put(r, c, "files", NULL, err) < 0 ||
	    corner_put(r, c, "commit", id, err) < 0 || settle(r, c, id, more, want, &is, err) < 0)
		return -1;
	*ret = is == want;
	if (*ret)
		progress_event(r->progress, "%s is %s", c->words, loop_word(r, is));
	else
		progress_warn(r->progress, "%s is %s, not %s", c->words, loop_word(r, is),
			      loop_word(r, want));
	return 0;
}
