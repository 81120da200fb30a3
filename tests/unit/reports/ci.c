// SPDX-License-Identifier: GPL-2.0-or-later
/* What CI reads of a run: JUnit XML held against xmllint, KTAP against a reader of its format. */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/fs.h"
#include "fixture.h"
#include "reports/report.h"

static int checked(const char *command, const char *text)
{
	char path[] = "/tmp/test-reports-ci-XXXXXX";
	_cleanup_free_ char *line = NULL;
	int fd = mkstemp(path), status;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	line = str_printf("%s %s", command, path);
	status = system(line);
	unlink(path);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static const char *junit(void)
{
	int r;

	buf_deinit(&out);
	assert_int_equal(report_junit(s, &out, &err), 0);
	r = checked("xmllint --noout", out.data);
	if (r == 127)
		print_message("xmllint is not installed: the XML was not checked\n");
	else
		assert_int_equal(r, 0);
	return out.data;
}

static const char *ktap(void)
{
	buf_deinit(&out);
	assert_int_equal(report_ktap(s, &out, &err), 0);
	assert_int_equal(checked("python3 " HERE "/check_ktap.py", out.data), 0);
	return out.data;
}

static void is_as_stored(const char *got, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", HERE, name);
	_cleanup_free_ char *want = NULL;

	assert_int_equal(fs_read(path, 1 << 20, &want, NULL, &err), 0);
	if (strcmp(got, want) != 0)
		print_error("%s", got);
	assert_string_equal(got, want);
}

static void a_proven_run_is_the_stored_junit_and_ktap(void **state)
{
	(void)state;
	fixture_proven(s);
	is_as_stored(junit(), "proven.junit.xml");
	is_as_stored(ktap(), "proven.ktap");
}

static void a_run_that_has_not_ended_is_never_green(void **state)
{
	static const char *const outcomes[] = { NULL, "running", "stopped", "host" };

	(void)state;
	fixture_facts(s);
	fixture_trial(s, -1, ROLE_GOOD_END, VERDICT_GOOD);
	for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
		assert_int_equal(store_set(s, "run.outcome", outcomes[i], &err), 0);
		assert_non_null(strstr(junit(), "failures=\"0\" errors=\"1\""));
		assert_non_null(strstr(ktap(), "not ok 1 run\n"));
	}
	store_set(s, "run.outcome", "set", &err);
	assert_null(strstr(ktap(), "not ok"));
}

static void a_test_by_itself_is_over_with_its_trial(void **state)
{
	char id[COMMIT_ID_SIZE];
	int64_t trial;

	(void)state;
	fixture_id(3, id);
	store_set(s, "test.commit", id, &err);
	store_begin(s, id, ROLE_TEST, &trial, &err);
	assert_non_null(strstr(ktap(), "not ok 1 run\n"));
	assert_non_null(strstr(out.data, "# ERROR its trial has not ended"));
	fixture_trial(s, 3, ROLE_TEST, VERDICT_GOOD);
	assert_null(strstr(ktap(), "not ok"));
	fixture_trial(s, 3, ROLE_TEST, VERDICT_SKIP);
	assert_non_null(strstr(ktap(), "ok 2 commits # SKIP\n"));
	assert_non_null(strstr(junit(), "<skipped message=\""));
}

/* What ends an attribute, a section or a description, and what XML 1.0 has no character for. */
static void hostile_text_stays_within_its_test(void **state)
{
	static const char words[] = HOSTILE " ]]> <![CDATA[ # SKIP \n# Subtest: x\nok 1 y\n"
					    "\x01\x0b\xef\xbf\xbe\xef\xbf\xbf &#1; \t";
	struct store_verdict v = { .verdict = VERDICT_BAD, .rule = "x\" # y" };
	struct store_candidate c = { .subject = xstrdup(words) };
	int64_t trial;

	(void)state;
	str_copy(v.reason, sizeof(v.reason), words);
	fixture_id(1, c.id);
	assert_int_equal(store_add_candidates(s, &c, 1, &err), 0);
	store_begin(s, c.id, ROLE_SEARCH, &trial, &err);
	store_end(s, trial, &v, &err);
	store_begin(s, c.id, ROLE_SEARCH, &trial, &err);
	v.verdict = VERDICT_SKIP;
	store_end(s, trial, &v, &err);
	store_set(s, "repo", words, &err);
	store_set(s, "kernel.release", words, &err);
	store_set(s, "run.started", words, &err);
	store_set(s, "run.outcome", words, &err);
	assert_null(strstr(junit(), "]]>"));
	assert_null(strstr(out.data, "<script"));
	assert_non_null(strstr(ktap(), "%23 SKIP"));
	free(c.subject);
}

/* Within a commit, within a suite, and over all: each is added by itself. */
static void times_of_a_damaged_store_are_summed_to_the_largest(void **state)
{
	(void)state;
	fixture_facts(s);
	fixture_ends(s);
	fixture_trial(s, 3, ROLE_TEST, VERDICT_GOOD);
	for (int64_t trial = 1; trial <= 3; trial++)
		for (unsigned int i = 0; i < 2; i++)
			assert_int_equal(store_stage(s, trial, "boot", INT64_MAX, NULL, &err), 0);
	assert_non_null(strstr(junit(), "time=\"9223372036.8"));
	assert_non_null(strstr(ktap(), "ok "));
	assert_non_null(strstr(text(), "9223372036.9 s"));
}

static void the_reader_of_ktap_can_say_no(void **state)
{
	static const char *const wrong[] = {
		"1..1\nok 1 a\n",
		"KTAP version 1\n1..2\nok 1 a\n",
		"KTAP version 1\n1..1\nok 2 a\n",
		"KTAP version 1\n1..1\nok 1 a\nok 2 b\n",
		"KTAP version 1\n1..1\nok 1 a # b # SKIP\n",
		("KTAP version 1\n1..1\n  KTAP version 1\n  # Subtest: s\n  1..1\n  not ok 1 x\nok "
		 "1 s\n"),
		"KTAP version 1\n1..1\n  KTAP version 1\n  1..1\n  ok 1 x\nok 1 s\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_int_equal(checked("python3 " HERE "/check_ktap.py 2>/dev/null", wrong[i]),
				 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_proven_run_is_the_stored_junit_and_ktap),
		TEST(a_run_that_has_not_ended_is_never_green),
		TEST(a_test_by_itself_is_over_with_its_trial),
		TEST(hostile_text_stays_within_its_test),
		TEST(times_of_a_damaged_store_are_summed_to_the_largest),
		TEST(the_reader_of_ktap_can_say_no),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
