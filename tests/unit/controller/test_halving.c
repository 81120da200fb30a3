// SPDX-License-Identifier: GPL-2.0-or-later
/* A resumed run knows what the run knew that was broken off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "halving.h"

/* Three candidates on one strand, the last one bad. */
static struct range_commit commits[] = {
	{ .id = "a", .parents = 0, .n_parents = 0 },
	{ .id = "b", .parents = 0, .n_parents = 1 },
	{ .id = "c", .parents = 1, .n_parents = 1 },
};
static uint32_t parents[] = { 0, 1 };
static const struct range strand = {
	.commits = commits,
	.n = 3,
	.parents = parents,
	.n_parent_edges = 2,
	.bad_node = 2,
};

static struct store_trial trial(const char *id, enum store_role role, enum verdict v)
{
	struct store_trial t = { .role = role, .ended = v != VERDICT_NONE, .v.verdict = v };

	str_copy(t.commit, sizeof(t.commit), id);
	return t;
}

/* What the search says once it was given the trials; it knows that a is good and b bad before. */
static void next(const struct store_trial *more, size_t n, struct search_step *ret)
{
	_cleanup_(search_destroy_p) struct search *s = NULL;
	_cleanup_(options_deinit) struct options o = { 0 };
	struct store_trial t[8] = { trial("c", ROLE_BAD_END, VERDICT_BAD),
				    trial("b", ROLE_SEARCH, VERDICT_BAD),
				    trial("a", ROLE_SEARCH, VERDICT_GOOD) };
	struct err err;
	size_t ignored;

	for (size_t i = 0; i < n; i++)
		t[3 + i] = more[i];
	assert_int_equal(options_parse(CMD_RUN, 0, NULL, &o, &err), 0);
	assert_int_equal(halving_search_by(&o, &strand, &(struct priors){ 0 }, &s, &ignored, &err),
			 0);
	halving_recall(&o, &strand, t, 3 + n, s);
	search_next(s, ret);
	ret->set = NULL; /* it went with the search */
}

static void confirm_broken_off_is_made_again(void **state)
{
	const struct store_trial once[] = { trial("b", ROLE_CONFIRM, VERDICT_SKIP) };
	const struct store_trial flight[] = { trial("b", ROLE_CONFIRM, VERDICT_GOOD),
					      trial("b", ROLE_CONFIRM, VERDICT_NONE) };
	const struct store_trial parent[] = { trial("b", ROLE_CONFIRM, VERDICT_BAD),
					      trial("a", ROLE_CONFIRM_PARENT, VERDICT_BAD) };
	struct search_step s;

	(void)state;
	next(once, ARRAY_SIZE(once), &s);
	assert_int_equal(s.action, SEARCH_FOUND);
	assert_int_equal(s.node, 1);
	next(flight, ARRAY_SIZE(flight), &s);
	assert_int_equal(s.action, SEARCH_FOUND);
	assert_int_equal(s.node, 1);
	next(parent, ARRAY_SIZE(parent), &s);
	assert_int_equal(s.action, SEARCH_FOUND);
	assert_int_equal(s.node, 1);
}

static void third_trial_decides(void **state)
{
	const struct store_trial repeats[] = { trial("b", ROLE_CONFIRM, VERDICT_GOOD),
					       trial("b", ROLE_CONFIRM, VERDICT_BAD) };
	const struct store_trial turns[] = { trial("b", ROLE_CONFIRM, VERDICT_GOOD),
					     trial("b", ROLE_CONFIRM, VERDICT_GOOD) };
	const struct store_trial parent[] = { trial("a", ROLE_CONFIRM_PARENT, VERDICT_BAD),
					      trial("a", ROLE_CONFIRM_PARENT, VERDICT_BAD) };
	struct search_step s;

	(void)state;
	next(repeats, ARRAY_SIZE(repeats), &s);
	assert_int_equal(s.node, 1);
	next(turns, ARRAY_SIZE(turns), &s);
	assert_int_equal(s.action, SEARCH_FOUND);
	assert_int_equal(s.node, 2);
	next(parent, ARRAY_SIZE(parent), &s);
	assert_int_equal(s.action, SEARCH_FOUND);
	assert_int_equal(s.node, 0);
}

static void three_verdicts_that_differ_are_a_skip(void **state)
{
	const struct store_trial all[] = { trial("b", ROLE_CONFIRM, VERDICT_SKIP),
					   trial("b", ROLE_CONFIRM, VERDICT_GOOD) };
	struct search_step s;

	(void)state;
	assert_int_equal(halving_settle(VERDICT_SKIP, VERDICT_GOOD), VERDICT_SKIP);
	assert_int_equal(halving_settle(VERDICT_GOOD, VERDICT_SKIP), VERDICT_SKIP);
	assert_int_equal(halving_settle(VERDICT_GOOD, VERDICT_GOOD), VERDICT_GOOD);
	next(all, ARRAY_SIZE(all), &s);
	assert_int_equal(s.action, SEARCH_SET);
	assert_int_equal(s.n_set, 2);
}

static void weak_and_host_say_nothing(void **state)
{
	const struct store_trial more[] = { trial("b", ROLE_SEARCH, VERDICT_WEAK),
					    trial("b", ROLE_CONFIRM, VERDICT_HOST),
					    trial("f", ROLE_CONFIRM_PARENT, VERDICT_BAD) };
	struct search_step s;

	(void)state;
	next(more, ARRAY_SIZE(more), &s);
	assert_int_equal(s.action, SEARCH_FOUND);
	assert_int_equal(s.node, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(confirm_broken_off_is_made_again),
		cmocka_unit_test(third_trial_decides),
		cmocka_unit_test(three_verdicts_that_differ_are_a_skip),
		cmocka_unit_test(weak_and_host_say_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
