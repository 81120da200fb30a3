// SPDX-License-Identifier: GPL-2.0-or-later
/* What was built, mended and not booted, in each form. */
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "forms.h"

#define DIGITS "0123456789ab"
#define OTHER  "ba9876543210"

static void set(const char *key, const char *value)
{
	assert_int_equal(store_set(s, key, value, &err), 0);
}

/* One trial with what is known of its artifact. */
static void tried(int node, enum verdict v, const char *config, const char *patches, int same)
{
	struct store_verdict end = { .verdict = v, .rule = "no-windows", .reason = "no window" };
	struct store_artifact a = { .asked = "a5" };
	char id[COMMIT_ID_SIZE], other[COMMIT_ID_SIZE];
	int64_t trial;

	fixture_id(node, id);
	fixture_id(same, other);
	snprintf(end.signature, sizeof(end.signature), "%064x", same);
	snprintf(a.key, sizeof(a.key), "%064x", 1000 + node);
	str_copy(a.config, sizeof(a.config), config);
	assert_int_equal(store_begin(s, id, ROLE_SEARCH, &trial, &err), 0);
	assert_int_equal(store_artifact(s, trial, &a, &err), 0);
	if (patches)
		assert_int_equal(store_patches(s, trial, patches, &err), 0);
	if (same != node) {
		assert_int_equal(store_same(s, trial, other, &err), 0);
		snprintf(end.reason, sizeof(end.reason), "same as %.12s: no window", other);
	}
	assert_int_equal(store_end(s, trial, &end, &err), 0);
}

static void facts(void)
{
	fixture_facts(s);
	set("scope", "kernel");
	set("build.scope.why", "mm/hmm.c changes in 3 of 64 candidates");
	set("build.ahead.built", "7");
	set("build.ahead.used", "5");
	set("build.ahead.saved_ms", "31250");
	set("build.ahead.stopped", "4");
	set("kernel.cc", "gcc-12 (Debian 12.2.0-14) 12.2.0");
	set("build.apply.0", "my fix.patch if-has v6.1");
	set("build.apply.1", "v6.2~3");
	set("config." DIGITS ".file", "config");
	set("config." DIGITS ".digest", DIGITS);
	set("config." DIGITS ".cc", "gcc-12 (Debian 12.2.0-14) 12.2.0");
	tried(10, VERDICT_GOOD, DIGITS, NULL, 10);
	tried(20, VERDICT_GOOD, DIGITS, "my fix.patch\n0123456789ab", 20);
	tried(30, VERDICT_GOOD, DIGITS, "my fix.patch", 20);
}

static const struct json *candidate(const struct json *j, int node)
{
	char id[COMMIT_ID_SIZE];

	fixture_id(node, id);
	for (size_t i = 0; i < json_len(json_get(j, "candidates")); i++) {
		const struct json *c = json_at(json_get(j, "candidates"), i);

		if (strcmp(json_get_str(c, "commit"), id) == 0)
			return c;
	}
	fail_msg("no candidate %d", node);
	return NULL;
}

static void text_says_why_with_what_and_what_was_spared(void **state)
{
	char id[COMMIT_ID_SIZE];
	_cleanup_free_ char *note = NULL;

	(void)state;
	facts();
	fixture_id(20, id);
	note = str_printf("                 same as %.12s; patched by my fix.patch\n", id);
	expect_text("  scope       kernel: mm/hmm.c changes in 3 of 64 candidates\n");
	expect_text("  compiler    gcc: gcc-12 (Debian 12.2.0-14) 12.2.0, as the kernel's own\n");
	expect_text("  config      kept with the run: config (SHA-256 " DIGITS "...)\n");
	expect_text("7 built while guests ran, 5 of them used, which spared 31.2 s; 4 stopped\n");
	expect_text("2 of 3 commits tried got one of: my fix.patch if-has v6.1; v6.2~3\n");
	expect_text("1 of 3 commits tried was not booted: its artifact is another's\n");
	expect_text("                 patched by my fix.patch, 0123456789ab\n");
	expect_text(note);
	assert_null(strstr(out.data, "blind for"));
	all_forms_are_sound();
}

static void several_compilers_and_a_blind_scope_are_said(void **state)
{
	(void)state;
	facts();
	set("build.scope.warning", "scope module does not see it: mm/hmm.c changes in 3 of 64");
	set("config." OTHER ".file", "config-" OTHER);
	set("config." OTHER ".digest", OTHER);
	set("config." OTHER ".cc", "gcc-8 8.3.0");
	expect_text("blind for");
	expect_text("config-" OTHER);
	expect_text("gcc-8 8.3.0; the kernel's own: gcc-12");
	all_forms_are_sound();
}

static void json_has_it_by_commit_and_by_trial(void **state)
{
	const struct json *build, *c, *t;
	char id[COMMIT_ID_SIZE], want[65];
	struct json *j;
	int64_t n;

	(void)state;
	facts();
	j = json();
	build = json_get(j, "build");
	assert_true(json_get_int(build, "not_booted", &n));
	assert_int_equal(n, 1);
	assert_true(json_get_int(build, "tried", &n));
	assert_int_equal(n, 3);
	assert_int_equal(json_len(json_get(build, "apply")), 2);
	assert_string_equal(json_get_str(json_at(json_get(build, "configs"), 0), "file"), "config");
	assert_string_equal(json_get_str(json_get(j, "run"), "scope_why"),
			    "mm/hmm.c changes in 3 of 64 candidates");
	c = candidate(j, 30);
	t = json_at(json_get(c, "trials"), 0);
	fixture_id(20, id);
	snprintf(want, sizeof(want), "%064x", 1030);
	for (int i = 0; i < 2; i++, c = t) {
		assert_string_equal(json_get_str(c, "same_as"), id);
		assert_string_equal(json_get_str(c, "key"), want);
		assert_string_equal(json_get_str(c, "config"), DIGITS);
		assert_int_equal(json_len(json_get(c, "patches")), 1);
	}
	assert_null(json_get_str(candidate(j, 10), "same_as"));
	assert_null(json_get_str(candidate(j, 11), "key"));
	json_destroy(j);
}

static void page_says_it_at_the_commit_and_at_the_run(void **state)
{
	(void)state;
	facts();
	assert_non_null(strstr(html(), "<dt>scope</dt><dd>kernel: mm/hmm.c changes"));
	assert_non_null(strstr(out.data, "patched by my fix.patch, 0123456789ab"));
	/* The reason says so, and nothing else does. */
	assert_null(strstr(out.data, "</small><small>same as"));
	assert_non_null(strstr(out.data, "was not booted: its artifact is another&#39;s"));
	all_forms_are_sound();
}

static void hostile_names_stay_text(void **state)
{
	(void)state;
	facts();
	set("build.apply.2", HOSTILE);
	set("build.scope.why", HOSTILE);
	set("config." DIGITS ".cc", HOSTILE);
	set("config." DIGITS "x.file", HOSTILE);
	tried(40, VERDICT_GOOD, "no digits <b>", HOSTILE, 40);
	for (const char *p = text(); *p; p++)
		assert_true(*p == '\n' || (unsigned char)*p >= ' ');
	assert_null(strstr(html(), "<script"));
	all_forms_are_sound();
}

/* A run of before such things were stored. */
static void old_run_says_nothing_of_it(void **state)
{
	(void)state;
	fixture_proven(s);
	assert_null(strstr(text(), "not booted"));
	assert_null(strstr(out.data, "patch"));
	expect_text("  scope       unit\n");
	expect_text("  compiler    gcc\n");
	all_forms_are_sound();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(text_says_why_with_what_and_what_was_spared),
		TEST(several_compilers_and_a_blind_scope_are_said),
		TEST(json_has_it_by_commit_and_by_trial),
		TEST(page_says_it_at_the_commit_and_at_the_run),
		TEST(hostile_names_stay_text),
		TEST(old_run_says_nothing_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
