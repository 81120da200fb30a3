// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop over random histories: whatever it proves is true. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit/controller/asked.h"
#include "unit/range/kit.h"

#define RANDOM_COMMITS 22
#ifndef N_HISTORIES
#define N_HISTORIES 60
#endif

/* Commits that bring the defect and that mend it; a commit has it if one is below and none of the others. */
static void random_states(struct planted_commit *h, uint64_t *seed)
{
	uint32_t brings[RANDOM_COMMITS] = { 0 }, mends[RANDOM_COMMITS] = { 0 };
	uint32_t n = 1 + kit_rand(seed, 2);

	for (uint32_t i = 0; i < RANDOM_COMMITS; i++) {
		for (size_t p = 0; p < PLANTED_PARENTS && h[i].parents[p]; p++) {
			size_t parent = strtoul(h[i].parents[p] + 1, NULL, 10);

			brings[i] |= brings[parent];
			mends[i] |= mends[parent];
		}
		if (!h[i].outside && brings[i] & ~mends[i] && kit_rand(seed, 12) == 0)
			mends[i] |= brings[i];
		else if (!h[i].outside && n && i > 2 && kit_rand(seed, 8) == 0)
			brings[i] |= 1U << n--;
		h[i].state = brings[i] & ~mends[i]     ? "bad"
			     : kit_rand(seed, 12) == 0 ? "a.c:1: error: no"
						       : "good";
	}
}

static void random_shape(struct planted_commit *h, char names[][8], uint64_t *seed)
{
	for (uint32_t i = 0; i < RANDOM_COMMITS; i++) {
		uint32_t last = i;

		snprintf(names[i], sizeof(names[i]), "c%u", i);
		h[i] = (struct planted_commit){ .name = names[i],
						.outside = kit_rand(seed, 6) == 0 };
		for (uint32_t p = 0; i && p < 1 + (kit_rand(seed, 10) < 4); p++) {
			uint32_t back = i < 5 ? i : 5;
			uint32_t parent = i - 1 - kit_rand(seed, back);

			if (parent != last)
				h[i].parents[h[i].parents[0] != NULL] = names[parent];
			last = parent;
		}
		h[i].outside &= !h[i].parents[1]; /* a merge's content is of all its parents */
	}
}

/* What is proven is true, whatever the history: it is bad, and its parents are good or had it before. */
static void expect_truth(const struct asked *a)
{
	_cleanup_free_ char *parents = asked_fact(a, "culprit.parents");
	_cleanup_free_ char *carried = asked_fact(a, "culprit.carried");
	char *save = NULL;

	assert_string_equal(planted_state(planted_name(a->result.culprit)), "bad");
	for (char *p = strtok_r(parents, " ", &save); p; p = strtok_r(NULL, " ", &save)) {
		_cleanup_free_ char *word = str_printf(" %s ", p);
		_cleanup_free_ char *all = str_printf(" %s ", carried ? carried : "");
		bool had_it = strstr(all, word);

		assert_string_equal(planted_state(p), had_it ? "bad" : "good");
	}
}

/* The @nth of those in a state, counted from the first or from the last; NULL: there are not so many. */
static const char *pick(const struct planted_commit *h, const char *state, uint32_t nth, bool last)
{
	for (uint32_t k = 0; k < RANDOM_COMMITS; k++) {
		const struct planted_commit *c = &h[last ? RANDOM_COMMITS - 1 - k : k];

		if (strcmp(c->state, state) == 0 && nth-- == 0)
			return c->name;
	}
	return NULL;
}

/* Who introduced and who repaired is true as well. */
static bool has_turned(const struct asked *a)
{
	_cleanup_free_ char *kind = asked_fact(a, "turn.0.kind");
	_cleanup_free_ char *came = asked_fact(a, "turn.0.introducer");
	_cleanup_free_ char *came_proven = asked_fact(a, "turn.0.introducer.proven");
	_cleanup_free_ char *went = asked_fact(a, "turn.0.repairer");
	_cleanup_free_ char *went_proven = asked_fact(a, "turn.0.repairer.proven");

	if (came && strcmp(came_proven, "yes") == 0)
		assert_string_equal(planted_state(came), "bad");
	if (went && strcmp(went_proven, "yes") == 0)
		assert_string_equal(planted_state(went), "good");
	return kind;
}

static void tell_truth(const struct asked *a, const struct planted_commit *c)
{
	enum verdict v;

	if (verdict_parse(c->state, &v))
		asked_tell(a, c->name, v);
}

/* A run that has tried nothing; false if it cannot be. */
static bool begin(struct asked *a)
{
	planted_end_at(1, PLANTED_STOP);
	assert_int_equal(asked_start(a), -1);
	planted_end_at(0, PLANTED_STOP);
	return a->err.kind != ERR_USAGE;
}

static void whatever_the_history_what_is_proven_is_true(void **state)
{
	unsigned int proven = 0, sets = 0, ends_wrong = 0, turns = 0;

	(void)state;
	for (uint64_t n = 1; n <= N_HISTORIES; n++) {
		struct planted_commit h[RANDOM_COMMITS];
		char names[RANDOM_COMMITS][8];
		_cleanup_free_ char *name = str_printf("any-%u", (unsigned int)n);
		_cleanup_asked_ struct asked a = { 0 };
		const char *old, *new;
		uint64_t seed = n;

		random_shape(h, names, &seed);
		random_states(h, &seed);
		a = ASK(name, h);
		old = pick(h, "good", kit_rand(&seed, 8), false);
		new = pick(h, "bad", kit_rand(&seed, 3), true);
		if (!old || !new)
			continue;
		asked_ends(&a, old, new);
#ifdef ANY_WORKERS
		a.workers = ANY_WORKERS;
#endif
		if (!begin(&a)) /* ends that no range lies between */
			continue;
		for (uint32_t k = kit_rand(&seed, 4); k; k--)
			tell_truth(&a, &h[kit_rand(&seed, RANDOM_COMMITS)]);
		asked_must(asked_resume(&a), &a);
		proven += a.result.outcome == RUN_PROVEN;
		sets += a.result.outcome == RUN_SET;
		ends_wrong += a.result.outcome == RUN_END_WRONG;
		turns += has_turned(&a);
		if (a.result.outcome == RUN_PROVEN)
			expect_truth(&a);
	}
	print_message("%u proven, %u sets, %u ends wrong; %u turned\n", proven, sets, ends_wrong,
		      turns);
	assert_true(proven > 5);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_the_history_what_is_proven_is_true),
	};

	if (argc > 1 && strcmp(argv[1], "worker") == 0)
		return planted_worker(argc - 2, argv + 2);
	return asked_run(tests, ARRAY_SIZE(tests));
}
