// SPDX-License-Identifier: GPL-2.0-or-later
/* Follow-ups whose message names a change that the tree carries: see audit.h. */
#include "controller/audit/names.h"
#include "controller/audit/pairs.h"

static enum pair_reason reason_of(enum audit_word word)
{
	switch (word) {
	case AUDIT_REVERTS:
		return PAIR_REVERTS;
	case AUDIT_FIXES:
		return PAIR_FIXES;
	case AUDIT_BLAMES:
		return PAIR_BLAMES;
	default:
		return PAIR_NAMES;
	}
}

bool pairs_is_follow_up(const struct audit *a, uint32_t i)
{
	return a->carrier[i] == PAIR_NONE && !a->undone[i] && !a->upstream.commits[i]->merge;
}

bool pairs_is_carried(const struct audit *a, uint32_t i)
{
	return a->how[i] && !(a->old && a->old[i]);
}

struct pair *pairs_add(struct audit *a, const struct pair *p)
{
	/* One pair once, for the surest reason; @follow only grows, so it is among the last. */
	for (size_t i = a->n_pairs; i-- > 0 && a->pairs[i].follow == p->follow;)
		if (a->pairs[i].carried == p->carried) {
			if (p->reason < a->pairs[i].reason)
				a->pairs[i].reason = p->reason;
			return &a->pairs[i];
		}
	if (a->n_pairs == a->cap_pairs) {
		a->cap_pairs = a->cap_pairs ? 2 * a->cap_pairs : 64;
		a->pairs = xrealloc(a->pairs, a->cap_pairs, sizeof(*a->pairs));
	}
	a->pairs[a->n_pairs] = *p;
	return &a->pairs[a->n_pairs++];
}

/* A change of this subject and date, earlier in the list: upstream has it twice. */
static bool is_twin(const struct audit *a, const struct names *names, uint32_t i)
{
	uint32_t first = names_authored(names, a->upstream.commits[i]);

	return first != PAIR_NONE && first < i;
}

void audit_named(struct audit *a)
{
	_cleanup_(names_destroy_p) struct names *names = names_create(&a->upstream);

	for (uint32_t i = 0; i < a->upstream.n; i++) {
		const struct audit_words *w = &a->upstream.commits[i]->words;

		if (!pairs_is_follow_up(a, i) || is_twin(a, names, i))
			continue;
		for (size_t m = 0; m < w->n_mentions; m++) {
			uint32_t at = names_mentioned(names, &w->mentions[m], i);

			if (at != PAIR_NONE && pairs_is_carried(a, at))
				pairs_add(a, &(struct pair){
						     .carried = at,
						     .follow = i,
						     .reason = reason_of(w->mentions[m].word),
					     });
		}
	}
}
