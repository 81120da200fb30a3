// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * good..bad, simplified as `git rev-list good..bad -- paths` does it by default.
 *
 * libgit2 enumerates good..bad. Then, from bad downwards, each commit is compared with its parents in the
 * limited paths. A parent is relevant if it lies in good..bad or is a good end. A commit that is TREESAME
 * to a relevant parent is no candidate and follows the first such parent alone; any other commit follows
 * all its parents. Excluded parents that are no ends count only for a commit without relevant parents:
 * an old side that was merged in cannot make a commit uninteresting. Only what is followed is ever looked
 * at, so whole side branches that never touch the paths cost nothing.
 *
 * A commit that is no candidate therefore has one followed parent at most, and "the nearest candidate
 * below" is always one commit: rewriting the parents needs one pass.
 *
 * git decides what is excluded while it walks by date and may take an excluded parent for a relevant one
 * when the good end is older than the merge. Here good..bad is complete before the first comparison, so
 * the answer does not hang on dates; where the two differ, this one keeps more.
 *
 * Source: git-rev-list(1), "History Simplification".
 */
#include "range/walk.h"

#include "base/stop.h"

static uint32_t add_node(struct walk *w, const git_oid *id)
{
	struct walk_node *node;

	if (w->n == w->cap) {
		w->cap = w->cap ? 2 * w->cap : 256;
		w->nodes = xrealloc(w->nodes, w->cap, sizeof(*w->nodes));
	}
	node = &w->nodes[w->n];
	*node = (struct walk_node){ .key = WALK_NONE, .candidate = WALK_NONE };
	git_oid_cpy(&node->id, id);
	keymap_put(&w->index, id->id, (uint32_t)w->n);
	return (uint32_t)w->n++;
}

/* libgit2 tells that an object could not be read, not which one: look again, by hand. */
static int name_the_broken(git_repository *repo, const struct ends *ends, struct err *err)
{
	_cleanup_free_ char *words = xstrdup(gitlib_words());
	struct walk w = { .repo = repo };
	int rc = 0;

	keymap_init(&w.index, GIT_ID_LEN);
	add_node(&w, &ends->bad);
	for (size_t i = 0; i < w.n && rc == 0; i++) {
		_cleanup_(git_commit_free_p) git_commit *commit = NULL;

		rc = gitlib_commit(repo, &w.nodes[i].id, &commit, err);
		for (unsigned int p = 0; rc == 0 && p < git_commit_parentcount(commit); p++) {
			const git_oid *id = git_commit_parent_id(commit, p);
			uint32_t known;

			if (!keymap_get(&w.index, id->id, &known))
				add_node(&w, id);
		}
		if (rc == 0 && i % 1024 == 0)
			rc = stop_check(err);
	}
	walk_deinit(&w);
	return rc < 0 ? -1
		      : err_set(err, ERR_HOST,
				"the history in %s cannot be walked (%s); check with git fsck",
				gitlib_place(repo), words);
}

static int start_revwalk(struct walk *w, const struct ends *ends, git_revwalk **ret)
{
	int rc = git_revwalk_new(ret, w->repo);

	if (rc == 0)
		rc = git_revwalk_sorting(*ret, GIT_SORT_TOPOLOGICAL);
	if (rc == 0 && w->first_parent)
		rc = git_revwalk_simplify_first_parent(*ret);
	if (rc == 0)
		rc = git_revwalk_push(*ret, &ends->bad);
	for (size_t i = 0; rc == 0 && i < ends->n_good; i++)
		rc = git_revwalk_hide(*ret, &ends->good[i]);
	return rc;
}

int walk_collect(struct walk *w, const struct ends *ends, struct err *err)
{
	_cleanup_(git_revwalk_free_p) git_revwalk *revwalk = NULL;
	int rc = start_revwalk(w, ends, &revwalk);

	keymap_init(&w->index, GIT_ID_LEN);
	while (rc == 0) {
		git_oid id;

		rc = git_revwalk_next(&id, revwalk);
		if (rc == 0)
			add_node(w, &id);
		if (w->n % 1024 == 0 && stop_check(err) < 0)
			return -1;
	}
	if (rc != GIT_ITEROVER)
		return name_the_broken(w->repo, ends, err);
	w->n_walked = w->n;
	for (size_t i = 0; i < ends->n_good; i++) {
		uint32_t node;

		if (!keymap_get(&w->index, ends->good[i].id, &node))
			node = add_node(w, &ends->good[i]);
		w->nodes[node].end = true;
	}
	return 0;
}

static int key_of_commit(struct walk *w, uint32_t i, const git_commit *commit, struct err *err)
{
	return pathkey_of(w->pk, git_commit_tree_id(commit), &w->nodes[i].key, err);
}

int walk_key(struct walk *w, uint32_t i, uint32_t *ret, struct err *err)
{
	if (w->nodes[i].key == WALK_NONE) {
		_cleanup_(git_commit_free_p) git_commit *commit = NULL;

		if (gitlib_commit(w->repo, &w->nodes[i].id, &commit, err) < 0 ||
		    key_of_commit(w, i, commit, err) < 0)
			return -1;
	}
	*ret = w->nodes[i].key;
	return 0;
}

/* The nodes of a commit's parents, excluded ones included; room for all of them in @parents. */
static unsigned int find_parents(struct walk *w, const git_commit *commit, uint32_t *parents)
{
	unsigned int n = git_commit_parentcount(commit);

	if (n > 1 && w->first_parent)
		n = 1;
	for (unsigned int p = 0; p < n; p++) {
		const git_oid *id = git_commit_parent_id(commit, p);

		if (!keymap_get(&w->index, id->id, &parents[p]))
			parents[p] = add_node(w, id);
	}
	return n;
}

/*
 * Decides whether node @i is a candidate.
 * @parents: [*n]; cut down to the one parent to follow if @i is TREESAME to it
 */
static int compare(struct walk *w, uint32_t i, uint32_t *parents, unsigned int *n, struct err *err)
{
	bool has_relevant = false;
	bool irrelevant_change = false;
	uint32_t theirs;

	for (unsigned int p = 0; p < *n; p++) {
		struct walk_node *parent = &w->nodes[parents[p]];

		if (parents[p] >= w->n_walked && !parent->end)
			continue;
		has_relevant = true;
		if (walk_key(w, parents[p], &theirs, err) < 0)
			return -1;
		if (theirs != w->nodes[i].key)
			continue;
		parents[0] = parents[p];
		*n = 1;
		return 0;
	}
	for (unsigned int p = 0; !has_relevant && p < *n; p++) {
		if (walk_key(w, parents[p], &theirs, err) < 0)
			return -1;
		irrelevant_change |= theirs != w->nodes[i].key;
	}
	if (!*n) {
		if (pathkey_of(w->pk, NULL, &theirs, err) < 0)
			return -1;
		irrelevant_change = theirs != w->nodes[i].key;
	}
	w->nodes[i].changes = has_relevant || irrelevant_change;
	return 0;
}

static void follow(struct walk *w, uint32_t i, const uint32_t *parents, unsigned int n)
{
	w->nodes[i].edges = (uint32_t)w->n_edges;
	for (unsigned int p = 0; p < n; p++) {
		if (parents[p] >= w->n_walked)
			continue;
		if (w->n_edges == w->cap_edges) {
			w->cap_edges = w->cap_edges ? 2 * w->cap_edges : 256;
			w->edges = xrealloc(w->edges, w->cap_edges, sizeof(*w->edges));
		}
		w->nodes[parents[p]].reached = true;
		w->edges[w->n_edges++] = parents[p];
	}
	w->nodes[i].n_edges = (uint32_t)w->n_edges - w->nodes[i].edges;
}

static int simplify_one(struct walk *w, uint32_t i, struct err *err)
{
	_cleanup_(git_commit_free_p) git_commit *commit = NULL;
	_cleanup_free_ uint32_t *parents = NULL;
	unsigned int n;

	if (gitlib_commit(w->repo, &w->nodes[i].id, &commit, err) < 0)
		return -1;
	parents = xcalloc(git_commit_parentcount(commit), sizeof(*parents));
	n = find_parents(w, commit, parents);
	if (!w->pk)
		w->nodes[i].changes = true;
	else if (key_of_commit(w, i, commit, err) < 0 || compare(w, i, parents, &n, err) < 0)
		return -1;
	follow(w, i, parents, n);
	return 0;
}

int walk_simplify(struct walk *w, struct err *err)
{
	w->nodes[0].reached = true; /* bad: the only commit without a child in good..bad */
	for (uint32_t i = 0; i < w->n_walked; i++) {
		if (i % 1024 == 0 && stop_check(err) < 0)
			return -1;
		if (w->nodes[i].reached && simplify_one(w, i, err) < 0)
			return -1;
	}
	return 0;
}

void walk_deinit(struct walk *w)
{
	keymap_deinit(&w->index);
	free(w->nodes);
	free(w->edges);
	*w = (struct walk){ 0 };
}
