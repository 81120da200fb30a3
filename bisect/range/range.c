// SPDX-License-Identifier: GPL-2.0-or-later
/* The history between two ends is walked, and its candidates numbered. */
#include "range/make.h"

#include <string.h>

#include "range/cache/cache.h"
#include "range/walk.h"

/*
 * Numbers the candidates, parents first, and tells every followed commit whose content it has.
 * Return: the number of candidates.
 */
static size_t number_candidates(struct walk *w)
{
	uint32_t n = 0;

	for (size_t i = w->n_walked; i-- > 0;) {
		struct walk_node *node = &w->nodes[i];

		if (!node->reached)
			continue;
		if (node->changes)
			node->candidate = n++;
		else if (node->n_edges)
			node->candidate = w->nodes[w->edges[node->edges]].candidate;
	}
	return n;
}

/* Two parents may have the same candidate below them; the graph names it once. */
static void add_parents(struct range *r, struct range_commit *c, const struct walk *w,
			const struct walk_node *node)
{
	c->parents = (uint32_t)r->n_parent_edges;
	for (uint32_t e = 0; e < node->n_edges; e++) {
		uint32_t parent = w->nodes[w->edges[node->edges + e]].candidate;
		bool known = parent == WALK_NONE;

		for (size_t i = c->parents; i < r->n_parent_edges && !known; i++)
			known = r->parents[i] == parent;
		if (!known)
			r->parents[r->n_parent_edges++] = parent;
	}
	c->n_parents = (uint32_t)r->n_parent_edges - c->parents;
}

static int fill_commit(struct walk *w, const struct walk_node *node, struct range_commit *c,
		       struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;

	if (gitlib_commit(w->repo, &node->id, &commit, err) < 0)
		return -1;
	gitlib_hex(&node->id, c->id);
	c->subject = subject_of(commit);
	c->date_s = git_commit_time(commit);
	c->merge = git_commit_parentcount(commit) > 1;
	return 0;
}

static int fill_range(struct range *r, struct walk *w, const struct ends *ends, struct err *err)
{
	r->n = number_candidates(w);
	r->commits = xcalloc(r->n, sizeof(*r->commits));
	r->parents = xcalloc(w->n_edges, sizeof(*r->parents));
	for (size_t i = w->n_walked; i-- > 0;) {
		struct walk_node *node = &w->nodes[i];

		if (!node->reached || !node->changes)
			continue;
		if (fill_commit(w, node, &r->commits[node->candidate], err) < 0)
			return -1;
		add_parents(r, &r->commits[node->candidate], w, node);
	}
	gitlib_hex(&ends->bad, r->bad_id);
	r->bad_node = w->nodes[0].candidate;
	r->n_good = ends->n_good;
	r->good_ids = xcalloc(ends->n_good, sizeof(*r->good_ids));
	for (size_t i = 0; i < ends->n_good; i++)
		gitlib_hex(&ends->good[i], r->good_ids[i]);
	r->n_walked = w->n_walked;
	return 0;
}

/* Nothing to search: the paths are misspelt, or the range does not touch them. */
static int no_candidates(struct walk *w, const struct range_spec *spec, const struct strv *paths,
			 struct err *err)
{
	_cleanup_buf_ struct buf names = { 0 };
	uint32_t nothing, here;

	for (size_t i = 0; i < paths->n; i++)
		buf_printf(&names, "%s%s", i ? " " : "", paths->items[i]);
	if (pathkey_of(w->pk, NULL, &nothing, err) < 0 || walk_key(w, 0, &here, err) < 0)
		return -1;
	if (nothing == here)
		return err_set(err, ERR_USAGE,
			       "no commit of %s..%s changes %s, and there is no such path in %s; "
			       "check its spelling (patterns are not known)",
			       spec->good[0], spec->bad, names.data, spec->bad);
	return err_set(err, ERR_USAGE,
		       "no commit of %s..%s changes %s: both ends hold the same there; name other "
		       "ends or more paths",
		       spec->good[0], spec->bad, names.data);
}

static int walk_and_fill(struct walk *w, const struct range_spec *spec, const struct ends *ends,
			 const struct strv *paths, struct range **ret, struct err *err)
{
	_cleanup_(range_destroy_p) struct range *r = xcalloc(1, sizeof(*r));

	if (ends_check(w->repo, spec, ends, err) < 0 || walk_collect(w, ends, err) < 0 ||
	    walk_simplify(w, err) < 0 || fill_range(r, w, ends, err) < 0)
		return -1;
	if (!r->n && !spec->may_be_empty)
		return no_candidates(w, spec, paths, err);
	*ret = take_ptr(r);
	return 0;
}

int range_make(git_repository *repo, const struct range_spec *spec, const struct ends *ends,
	       const struct strv *paths, struct range **ret, struct err *err)
{
	_cleanup_(pathkey_destroy_p) struct pathkey *pk = NULL;
	struct walk w;
	int rc;

	if (paths->n && pathkey_create(repo, paths, &pk, err) < 0)
		return -1;
	w = (struct walk){ .repo = repo, .pk = pk, .first_parent = spec->first_parent };
	rc = walk_and_fill(&w, spec, ends, paths, ret, err);
	walk_deinit(&w);
	return rc;
}

void range_destroy(struct range *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->n && !r->text; i++)
		free(r->commits[i].subject);
	free(r->text);
	free(r->commits);
	free(r->parents);
	free(r->good_ids);
	free(r->base_ids);
	free(r->weights);
	kept_destroy(r->kept);
	free(r);
}

long range_find(const struct range *r, const char *id)
{
	for (size_t i = 0; i < r->n; i++)
		if (strcmp(r->commits[i].id, id) == 0)
			return (long)i;
	return -1;
}
