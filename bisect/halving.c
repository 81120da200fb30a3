// SPDX-License-Identifier: GPL-2.0-or-later
/* Candidates and stored trials for the search: see halving.h. */
#include "halving.h"

int halving_range(const struct options *o, const char *repo, struct range **ret, struct err *err)
{
	const struct strv *good = options_list(o, OPT_GOOD);
	const struct strv *paths = options_list(o, OPT_PATH);
	struct range_spec spec = {
		.repo = repo,
		.good = (const char *const *)good->items,
		.n_good = good->n,
		.bad = options_str(o, OPT_BAD) ? options_str(o, OPT_BAD) : "HEAD",
		.paths = (const char *const *)paths->items,
		.n_paths = paths->n,
		.first_parent = options_bool(o, OPT_FIRST_PARENT),
	};

	if (!good->n)
		return err_set(err, ERR_USAGE, "no good end; say GOOD..BAD or --good REV");
	return range_open(&spec, ret, err);
}

int halving_search(const struct range *range, struct search **ret, struct err *err)
{
	_cleanup_free_ uint32_t *first = xcalloc(range->n + 1, sizeof(*first));
	struct search_graph graph = {
		.n = range->n,
		.first = first,
		.parents = range->parents,
		.bad = range->bad_node,
	};

	for (size_t i = 0; i < range->n; i++) {
		first[i] = range->commits[i].parents;
		first[i + 1] = first[i] + range->commits[i].n_parents;
	}
	return search_create(&graph, NULL, ret, err);
}

bool halving_counts(const struct store_trial *t)
{
	return t->ended && (t->v.verdict == VERDICT_GOOD || t->v.verdict == VERDICT_BAD ||
			    t->v.verdict == VERDICT_SKIP);
}

enum verdict halving_settle(enum verdict second, enum verdict third)
{
	return second == third ? third : VERDICT_SKIP;
}

void halving_recall(const struct range *range, const struct store_trial *t, size_t n,
		    struct search *search)
{
	/* NONE, or what a confirming trial found that did not repeat the verdict */
	_cleanup_free_ enum verdict *pending = xcalloc(range->n, sizeof(*pending));

	for (size_t i = 0; i < n; i++) {
		bool confirms = t[i].role == ROLE_CONFIRM || t[i].role == ROLE_CONFIRM_PARENT;
		enum verdict want = t[i].role == ROLE_CONFIRM ? VERDICT_BAD : VERDICT_GOOD;
		enum verdict v = t[i].v.verdict;
		long node = range_find(range, t[i].commit);

		if (node < 0 || !halving_counts(&t[i]))
			continue;
		if (confirms && v != want && pending[node] == VERDICT_NONE) {
			pending[node] = v;
			continue;
		}
		if (confirms && v != want)
			v = halving_settle(pending[node], v);
		pending[node] = VERDICT_NONE;
		search_set(search, (uint32_t)node, v);
	}
}
