// SPDX-License-Identifier: GPL-2.0-or-later
/* What a run was given is kept with it: files as copies, revisions as ids. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../range/kit.h"
#include "base/cleanup.h"
#include "base/fs.h"
#include "controller/kept/inputs.h"

static char *repo, *dir, *here;
static char *ids[2];
static struct store *store;
static struct options o;
static struct err err;

static int make_repo(void **state)
{
	(void)state;
	repo = kit_path("repo");
	dir = kit_path("run");
	here = kit_path("here");
	free(kit_sh("git init -q -b main '%s'", repo));
	ids[0] = kit_commit(repo, "a", "0", "zero");
	ids[1] = kit_commit(repo, "a", "1", "one");
	assert_int_equal(fs_mkdirs(here, &err), 0);
	assert_int_equal(chdir(here), 0);
	return store_create(dir, &store, &err);
}

static int remove_repo(void **state)
{
	(void)state;
	assert_int_equal(chdir("/"), 0);
	options_deinit(&o);
	store_close(store);
	free(ids[0]);
	free(ids[1]);
	free(kit_sh("rm -rf '%s' '%s' '%s'", repo, dir, here));
	free(repo);
	free(dir);
	free(here);
	return 0;
}

static void parse(const char *const *flags)
{
	char *argv[16];
	int argc = 0;

	while (*flags)
		argv[argc++] = (char *)*flags++;
	if (options_parse(CMD_RUN, argc, argv, &o, &err) < 0)
		fail_msg("%s", err.msg);
}
#define PARSE(...) parse((const char *const[]){ __VA_ARGS__, NULL })

static void keep(void)
{
	if (inputs_keep(&o, store, dir, repo, &err) < 0)
		fail_msg("%s", err.msg);
}

static void expect_content(const char *path, const char *want)
{
	_cleanup_free_ char *text = NULL;

	assert_int_equal(fs_read(path, 1 << 20, &text, NULL, &err), 0);
	assert_string_equal(text, want);
}

static void files_are_copies_that_stay_when_the_file_is_edited(void **state)
{
	_cleanup_free_ char *apply = str_printf("%s/inputs/apply-0/my fix.patch", dir);
	_cleanup_free_ char *second = str_printf("%s/inputs/apply-1/my fix.patch if-has %s "
						 "unless-has %s",
						 dir, ids[1], ids[0]);
	_cleanup_free_ char *given = NULL;

	(void)state;
	kit_write(here, "my fix.patch", "first");
	kit_write(here, "sub/my fix.patch", "second");
	kit_write(here, "x.config", "CONFIG_X=y\n");
	kit_write(here, "kernel.config", "CONFIG_Y=m\n");
	PARSE("--apply", "my fix.patch", "--apply", "sub/my fix.patch if-has main unless-has HEAD^",
	      "--fragment", "x.config", "--kconfig", "kernel.config");
	keep();
	kit_write(here, "my fix.patch", "edited");
	kit_write(here, "x.config", "edited");
	kit_write(here, "kernel.config", "edited");
	assert_int_equal(options_list(&o, OPT_APPLY)->n, 2);
	assert_string_equal(options_list(&o, OPT_APPLY)->items[0], apply);
	assert_string_equal(options_list(&o, OPT_APPLY)->items[1], second);
	assert_int_equal(o.o[OPT_APPLY].origin, ORIGIN_FLAG);
	assert_int_equal(chdir("/"), 0);
	expect_content(apply, "first");
	expect_content(options_str(&o, OPT_FRAGMENT), "CONFIG_X=y\n");
	expect_content(options_str(&o, OPT_KCONFIG), "CONFIG_Y=m\n");
	assert_int_equal(store_get(store, "build.apply.1", &given, &err), 0);
	assert_string_equal(given, "sub/my fix.patch if-has main unless-has HEAD^");
}

static void revision_stays_the_commit_it_was(void **state)
{
	_cleanup_free_ char *want = str_printf("%s unless-has %s", ids[1], ids[0]);
	_cleanup_free_ char *moved = NULL;

	(void)state;
	PARSE("--apply", "main unless-has main^");
	keep();
	moved = kit_commit(repo, "a", "2", "two");
	assert_string_equal(options_str(&o, OPT_APPLY), want);
}

static void what_is_not_given_is_not_set(void **state)
{
	_cleanup_free_ char *inputs = str_printf("%s/inputs", dir);

	(void)state;
	PARSE("--source", "linux");
	keep();
	assert_null(options_str(&o, OPT_KCONFIG));
	assert_false(options_given(&o, OPT_FRAGMENT));
	assert_false(fs_exists(inputs));
	/* Too large to copy, but named from everywhere. */
	assert_int_equal(options_str(&o, OPT_SOURCE)[0], '/');
	assert_true(str_ends(options_str(&o, OPT_SOURCE), "/here/linux"));
}

static void nonsense_is_told_before_a_run_is_made(void **state)
{
	static const struct {
		const char *flag, *value, *says;
	} cases[] = {
		{ "--fragment", "none.config", "none.config" },
		{ "--fragment", ".", "no such file" },
		{ "--compiler", "gcc-10", "gcc-10" },
		{ "--apply", "none.patch", "none.patch" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		PARSE(cases[i].flag, cases[i].value);
		assert_int_equal(inputs_check(&o, repo, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		if (!strstr(err.msg, cases[i].says))
			fail_msg("%s does not say %s", err.msg, cases[i].says);
		options_deinit(&o);
	}
	PARSE("--apply", "main if-has no-such-tag");
	assert_int_equal(inputs_keep(&o, store, dir, repo, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "no-such-tag"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_repo, remove_repo)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(files_are_copies_that_stay_when_the_file_is_edited),
		TEST(revision_stays_the_commit_it_was),
		TEST(what_is_not_given_is_not_set),
		TEST(nonsense_is_told_before_a_run_is_made),
	};
	int failed;

	kit_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kit_end();
	return failed;
}
