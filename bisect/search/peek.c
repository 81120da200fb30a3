// SPDX-License-Identifier: GPL-2.0-or-later
/* What would come next: the same search on a copy of what was told, which is all that a verdict changes. */
#include <assert.h>
#include <string.h>

#include "base/str.h"
#include "search/state.h"

void search_peek(const struct search *s, uint32_t node, enum verdict v, struct search_step *ret)
{
	struct search then = *s;

	assert(node < s->graph.n);
	then.told = xcalloc(s->graph.n, sizeof(*then.told));
	memcpy(then.told, s->told, s->graph.n * sizeof(*then.told));
	then.set = then.blockers = NULL;
	search_set(&then, node, v);
	search_next(&then, ret);
	free(then.told);
	free(then.set);
	free(then.blockers);
	ret->set = NULL;
	ret->blockers = NULL;
	ret->n_set = ret->n_blockers = 0;
}
