// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A culprit that changes nothing of what was tried. Its verdict and its parent's are then two of one
 * artifact: one of them is chance, a word of the user, or of a time when the guest was another.
 */
#include <stdlib.h>
#include <string.h>

#include "controller/loop/loop.h"

/* What a commit came to be when it was built last; "": not known. */
static const char *signature_of(const struct past *all, const char *id)
{
	for (size_t i = all->n; i-- > 0;)
		if (all->trials[i].ended && all->trials[i].v.signature[0] &&
		    strcmp(all->trials[i].commit, id) == 0)
			return all->trials[i].v.signature;
	return "";
}

int loop_is_noop(struct run *r, const char *id, const struct strv *old_parents, struct err *err)
{
	_cleanup_(past_deinit) struct past all = { 0 };
	const char *own;

	if (past_load(&all, r->store, err) < 0)
		return -1;
	own = signature_of(&all, id);
	for (size_t i = 0; *own && i < old_parents->n; i++)
		if (strcmp(signature_of(&all, old_parents->items[i]), own) == 0)
			return 1;
	return 0;
}
