// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which upstream changes a tree carries: see audit.h.
 *
 * A change that the tree took and later took back is not carried. The other way round a follow-up counts
 * as there even where a doubt is left: a list with what is long applied is a list that nobody reads.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/stop.h"
#include "controller/audit/names.h"

static const char *const how_names[] = {
	[CARRIED_NOT] = "not",
	[CARRIED_COMMIT] = "commit",
	[CARRIED_NAMED] = "named",
	[CARRIED_AUTHORED] = "subject and author's date",
	[CARRIED_PATCH] = "subject and patch-id",
};
static_assert(ARRAY_SIZE(how_names) == CARRIED_HOWS, "a way to be carried has no name");

const char *carried_how_name(enum carried_how how)
{
	return (unsigned int)how < CARRIED_HOWS ? how_names[how] : "unknown";
}

void audit_deinit(struct audit *a)
{
	for (size_t i = 0; i < a->n_pairs; i++)
		strv_deinit(&a->pairs[i].functions);
	free(a->pairs);
	free(a->carrier);
	free(a->how);
	free(a->undone);
	*a = (struct audit){ 0 };
}

static void carry(struct audit *a, uint32_t up, uint32_t tree, enum carried_how how)
{
	if (up == PAIR_NONE || tree == PAIR_NONE || a->how[up])
		return;
	a->carrier[up] = tree;
	a->how[up] = how;
}

#define PATCHES_MAX 500 /* diffs that patch-ids are made of; a few seconds */

static int carry_by_patch(struct audit *a, const struct names *up, uint32_t tree,
			  audit_same_patch patch, void *arg, size_t *asked, struct err *err)
{
	const struct audit_commit *c = a->tree.commits[tree];
	uint32_t at = names_by_subject(up, c->subject, PAIR_NONE);
	int rc;

	if (at == PAIR_NONE || a->how[at] || !patch || ++*asked > PATCHES_MAX)
		return 0;
	rc = patch(arg, a->upstream.commits[at]->id, c->id, err);
	if (rc > 0)
		carry(a, at, tree, CARRIED_PATCH);
	return rc < 0 ? -1 : 0;
}

/* What the tree's own commits are, upstream. */
static int carry_own(struct audit *a, const struct names *up, const bool *shared,
		     audit_same_patch patch, void *arg, struct err *err)
{
	size_t asked = 0;

	for (uint32_t t = 0; t < a->tree.n; t++) {
		const struct audit_commit *c = a->tree.commits[t];
		bool named = false;
		uint32_t at;

		if (shared[t])
			continue;
		for (size_t o = 0; o < c->words.n_origins; o++) {
			at = names_by_id(up, c->words.origins[o]);
			named |= at != PAIR_NONE;
			carry(a, at, t, CARRIED_NAMED);
		}
		at = names_authored(up, c);
		carry(a, at, t, CARRIED_AUTHORED);
		if (stop_check(err) < 0 || (!named && at == PAIR_NONE &&
					    carry_by_patch(a, up, t, patch, arg, &asked, err) < 0))
			return -1;
	}
	return 0;
}

/* Upstream has many changes twice, once in a branch of fixes: who has the one has the other. */
static void carry_twins(struct audit *a, const struct names *up, const struct names *tree)
{
	for (uint32_t i = 0; i < a->upstream.n; i++) {
		const struct audit_commit *c = a->upstream.commits[i];

		for (size_t o = 0; o < c->words.n_origins && !a->how[i]; o++) {
			uint32_t twin = names_by_id(up, c->words.origins[o]);

			if (twin != PAIR_NONE && twin != i && a->how[twin])
				carry(a, i, a->carrier[twin], CARRIED_NAMED);
			carry(a, i, names_by_id(tree, c->words.origins[o]), CARRIED_NAMED);
		}
		if (!a->how[i])
			carry(a, i, names_authored(tree, c), CARRIED_AUTHORED);
	}
}

/* The tree's reverts, oldest first: a revert of a revert brings back. */
static void find_gone(const struct audit_list *list, const struct names *names, bool *gone)
{
	for (uint32_t i = 0; i < list->n; i++) {
		const struct audit_words *w = &list->commits[i]->words;

		for (size_t m = 0; m < w->n_mentions; m++) {
			uint32_t at;

			if (w->mentions[m].word != AUDIT_REVERTS)
				continue;
			at = names_mentioned(names, &w->mentions[m], i);
			if (at == PAIR_NONE)
				continue;
			gone[at] = true;
			for (size_t k = 0; k < list->commits[at]->words.n_mentions; k++) {
				const struct audit_mention *inner =
					&list->commits[at]->words.mentions[k];
				uint32_t back;

				if (inner->word != AUDIT_REVERTS)
					continue;
				back = names_mentioned(names, inner, at);
				if (back != PAIR_NONE)
					gone[back] = false;
			}
		}
	}
}

/* A tree's revert may name what it takes back by the upstream id alone. */
static void drop_gone(struct audit *a, const struct names *up, const bool *gone)
{
	for (uint32_t t = 0; t < a->tree.n; t++) {
		const struct audit_words *w = &a->tree.commits[t]->words;

		for (size_t m = 0; m < w->n_mentions && !gone[t]; m++) {
			uint32_t at = w->mentions[m].word == AUDIT_REVERTS
					      ? names_by_id(up, w->mentions[m].id)
					      : PAIR_NONE;

			if (at != PAIR_NONE && a->how[at] && a->carrier[at] < t)
				a->how[at] = CARRIED_NOT;
		}
	}
	for (uint32_t i = 0; i < a->upstream.n; i++)
		if (a->how[i] && gone[a->carrier[i]])
			a->how[i] = CARRIED_NOT;
}

static void carry_shared(struct audit *a, const struct names *tree, bool *shared)
{
	for (uint32_t i = 0; i < a->upstream.n; i++) {
		uint32_t t = names_by_id(tree, a->upstream.commits[i]->id);

		if (t == PAIR_NONE || !str_is_commit_id(a->tree.commits[t]->id))
			continue;
		carry(a, i, t, CARRIED_NAMED);
		if (!strncmp(a->tree.commits[t]->id, a->upstream.commits[i]->id, COMMIT_ID_SIZE)) {
			a->how[i] = CARRIED_COMMIT;
			shared[t] = true;
		}
	}
}

int audit_same(struct audit *a, audit_same_patch patch, void *arg, struct err *err)
{
	_cleanup_(names_destroy_p) struct names *up = names_create(&a->upstream);
	_cleanup_(names_destroy_p) struct names *tree = names_create(&a->tree);
	_cleanup_free_ bool *shared = xcalloc(a->tree.n, sizeof(*shared));
	_cleanup_free_ bool *gone = xcalloc(a->tree.n, sizeof(*gone));

	a->carrier = xcalloc(a->upstream.n, sizeof(*a->carrier));
	a->how = xcalloc(a->upstream.n, sizeof(*a->how));
	a->undone = xcalloc(a->upstream.n, sizeof(*a->undone));
	for (size_t i = 0; i < a->upstream.n; i++)
		a->carrier[i] = PAIR_NONE;
	carry_shared(a, tree, shared);
	if (carry_own(a, up, shared, patch, arg, err) < 0)
		return -1;
	carry_twins(a, up, tree);
	find_gone(&a->tree, tree, gone);
	drop_gone(a, up, gone);
	find_gone(&a->upstream, up, a->undone);
	for (size_t i = 0; i < a->upstream.n; i++) {
		a->n_carried += a->how[i] != CARRIED_NOT;
		a->n_picked += a->how[i] > CARRIED_COMMIT;
	}
	return 0;
}
