// SPDX-License-Identifier: GPL-2.0-or-later
/* Several workers: the nodes whose weights lie nearest to equal parts of what is left. */
#include "search/split.h"

#include "search/pick.h"

static bool among(const uint32_t *items, size_t n, uint32_t i)
{
	for (size_t j = 0; j < n; j++)
		if (items[j] == i)
			return true;
	return false;
}

size_t split(const struct left *l, const struct told *told, const double *priors, uint32_t bad,
	     size_t k, uint32_t *ret)
{
	size_t n = 0;
	uint32_t best = k ? pick(l, told, priors, bad) : LEFT_NONE;

	for (size_t part = 1; best != LEFT_NONE && n < k; part++) {
		uint64_t want = l->n * part / k;
		uint64_t best_off = UINT64_MAX;

		ret[n++] = best;
		best = LEFT_NONE;
		for (uint32_t i = 0; i < l->n; i++) {
			uint64_t w = l->weight[i];
			uint64_t off = w > want ? w - want : want - w;

			if (off >= best_off || !pick_can(l, told, bad, i) || among(ret, n, i))
				continue;
			best = i;
			best_off = off;
		}
	}
	return n;
}
