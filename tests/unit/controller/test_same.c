// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose verdict an artifact has already. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "controller/blocker.h"
#include "controller/same.h"

#define ID_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define ID_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

static struct store_trial tried(const char *id, const char *signature, enum verdict v,
				const char *rule, const char *reason)
{
	struct store_trial t = { .ended = true, .key = "k1", .asked = "how", .v.verdict = v };

	str_copy(t.commit, sizeof(t.commit), id);
	str_copy(t.v.signature, sizeof(t.v.signature), signature);
	str_copy(t.v.rule, sizeof(t.v.rule), rule);
	str_copy(t.v.reason, sizeof(t.v.reason), reason);
	return t;
}

static void same_content_has_the_verdict_and_says_whose(void **state)
{
	struct store_trial t[] = {
		tried(ID_A, "s0", VERDICT_GOOD, "no-windows", "no window"),
		tried(ID_B, "s1", VERDICT_BAD, "mechanism", "6 windows of 6"),
	};
	struct store_verdict v = { .signature = "s1" };
	const struct store_trial *found;

	(void)state;
	t[1].v.windows = t[1].v.predicted = 6;
	found = same_find(t, 2, "k2", "s1", "how");
	assert_ptr_equal(found, &t[1]);
	same_take(found, &v);
	assert_int_equal(v.verdict, VERDICT_BAD);
	assert_string_equal(v.rule, "mechanism");
	assert_string_equal(v.reason, "same as bbbbbbbbbbbb: 6 windows of 6");
	assert_string_equal(v.signature, "s1");
	assert_int_equal(v.windows, 6);
	assert_int_equal(v.predicted, 6);
	assert_null(same_find(t, 2, "k2", "s2", "how"));
}

static void what_is_made_from_the_same_is_the_same(void **state)
{
	struct store_trial t = tried(ID_A, "s0", VERDICT_GOOD, "no-windows", "x");

	(void)state;
	assert_ptr_equal(same_find(&t, 1, "k1", "s9", "how"), &t);
	/* What is not known is not equal. */
	t.key[0] = t.v.signature[0] = '\0';
	assert_null(same_find(&t, 1, "", "", "how"));
}

static void what_was_asked_otherwise_says_nothing(void **state)
{
	struct store_trial t = tried(ID_A, "s0", VERDICT_GOOD, "no-windows", "x");

	(void)state;
	assert_null(same_find(&t, 1, "k1", "s0", "otherwise"));
	t.asked[0] = '\0';
	assert_null(same_find(&t, 1, "k1", "s0", ""));
}

static void only_what_the_artifact_did_itself_counts(void **state)
{
	static const struct {
		enum verdict v;
		const char *rule;
		bool counts;
	} cases[] = {
		{ VERDICT_SKIP, "panic", true },	  { VERDICT_SKIP, "load-failed", true },
		{ VERDICT_SKIP, "oops", true },		  { VERDICT_SKIP, "probe-hung", true },
		{ VERDICT_SKIP, "no-boot", false },	  { VERDICT_SKIP, "died", false },
		{ VERDICT_SKIP, "control-moved", false }, { VERDICT_SKIP, "protocol", false },
		{ VERDICT_WEAK, "control-moved", false }, { VERDICT_HOST, "host", false },
		{ VERDICT_NONE, "window-table", false },  { VERDICT_GOOD, "no-windows", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct store_trial t = tried(ID_A, "s0", cases[i].v, cases[i].rule, "x");

		if (!same_find(&t, 1, "k2", "s0", "how") == cases[i].counts)
			fail_msg("%s, %s", verdict_name(cases[i].v), cases[i].rule);
		t.ended = false;
		assert_null(same_find(&t, 1, "k2", "s0", "how"));
	}
}

static void trials_that_do_not_agree_are_no_answer(void **state)
{
	struct store_trial t[] = {
		tried(ID_A, "s0", VERDICT_GOOD, "no-windows", "x"),
		tried(ID_B, "s0", VERDICT_GOOD, "no-windows", "y"),
		tried(ID_A, "s0", VERDICT_BAD, "mechanism", "z"),
	};

	(void)state;
	assert_ptr_equal(same_find(t, 2, "", "s0", "how"), &t[0]);
	assert_null(same_find(t, 3, "", "s0", "how"));
	/* One that was copied is no second witness, for or against. */
	str_copy(t[2].same_as, sizeof(t[2].same_as), ID_B);
	assert_ptr_equal(same_find(t, 3, "", "s0", "how"), &t[0]);
	assert_int_equal(same_counted(t, 3), 1);
}

static void copied_skip_has_the_blocker_of_the_first(void **state)
{
	char lots[512];
	struct store_trial from =
		tried(ID_A, "s0", VERDICT_SKIP, "panic", "BUG: unable to handle page fault");
	struct store_verdict v = { 0 };

	(void)state;
	same_take(&from, &v);
	assert_string_not_equal(v.reason, from.v.reason);
	assert_true(blocker_of(&v) != 0);
	assert_int_equal(blocker_of(&v), blocker_of(&from.v));
	assert_string_equal(same_reason(v.reason), from.v.reason);
	/* Also where it leaves no room to say whose it is. */
	memset(lots, 'x', sizeof(lots));
	lots[511] = '\0';
	from = tried(ID_A, "s0", VERDICT_SKIP, "panic", lots);
	same_take(&from, &v);
	assert_int_equal(blocker_of(&v), blocker_of(&from.v));
	/* Words of a guest are not ours. */
	assert_string_equal(same_reason("same as usual: dead"), "same as usual: dead");
	assert_string_equal(same_reason("same as abcdef"), "same as abcdef");
}

static void ends_and_proofs_are_always_fresh(void **state)
{
	(void)state;
	for (enum store_role r = 0; r < ROLES; r++)
		assert_int_equal(same_counts(r),
				 r == ROLE_SEARCH || r == ROLE_MERGE_BASE || r == ROLE_TURN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_content_has_the_verdict_and_says_whose),
		cmocka_unit_test(what_is_made_from_the_same_is_the_same),
		cmocka_unit_test(what_was_asked_otherwise_says_nothing),
		cmocka_unit_test(only_what_the_artifact_did_itself_counts),
		cmocka_unit_test(trials_that_do_not_agree_are_no_answer),
		cmocka_unit_test(copied_skip_has_the_blocker_of_the_first),
		cmocka_unit_test(ends_and_proofs_are_always_fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
