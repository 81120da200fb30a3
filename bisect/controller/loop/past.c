// SPDX-License-Identifier: GPL-2.0-or-later
/* What earlier parts of a run found: see past.h. */
#include "controller/loop/past.h"

#include <stdlib.h>
#include <string.h>

#include "halving.h"
#include "lab.h"

int past_load(struct past *p, struct store *s, struct err *err)
{
	if (store_trials(s, &p->trials, &p->n, err) < 0)
		return -1;
	p->used = xcalloc(p->n, sizeof(*p->used));
	return 0;
}

/* Rows are only added, so what was there before is where it was. */
int past_refresh(struct past *p, struct store *s, struct err *err)
{
	struct past now = { 0 };

	if (past_load(&now, s, err) < 0)
		return -1;
	for (size_t i = 0; i < p->n; i++)
		now.used[i] = p->used[i];
	past_deinit(p);
	*p = now;
	return 0;
}

void past_deinit(struct past *p)
{
	free(p->trials);
	free(p->used);
	*p = (struct past){ 0 };
}

/* @id: NULL: any commit; -1: none */
static long find(const struct past *p, const char *id, enum store_role role, size_t from)
{
	for (size_t i = from; i < p->n; i++) {
		const struct store_trial *t = &p->trials[i];

		if (!p->used[i] && t->role == role && halving_counts(t) &&
		    (!id || strcmp(t->commit, id) == 0))
			return (long)i;
	}
	return -1;
}

/* Such a one is never the last word; where nothing follows, the controller was killed after it. */
static long find_last_word(const struct past *p, const char *id, enum store_role role, long *first)
{
	long i = *first = find(p, id, role, 0);

	return i >= 0 && lab_tries_again(&p->trials[i].v) ? find(p, id, role, (size_t)i + 1) : i;
}

bool past_has(const struct past *p, const char *id, enum store_role role)
{
	long first;

	return find_last_word(p, id, role, &first) >= 0;
}

bool past_take(struct past *p, const char *id, enum store_role role, const struct store_trial **ret)
{
	long first, i = find_last_word(p, id, role, &first);

	if (first >= 0)
		p->used[first] = true;
	if (i < 0)
		return false;
	p->used[i] = true;
	*ret = &p->trials[i];
	return true;
}

const struct store_trial *past_take_any(struct past *p, enum store_role role)
{
	long i = find(p, NULL, role, 0);

	if (i < 0)
		return NULL;
	p->used[i] = true;
	return &p->trials[i];
}

void past_keep(struct past *p, enum store_role role, enum verdict want)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->trials[i].role == role && p->trials[i].v.verdict != want)
			p->used[i] = true;
}
