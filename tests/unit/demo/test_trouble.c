// SPDX-License-Identifier: GPL-2.0-or-later
/* A demo that cannot be made says why in one line; one that is there is taken, or left alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "demo/demo.h"

#include "unit/demo/toy.h"

static char top[] = "/tmp/test-trouble-XXXXXX";
static struct err err;

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(top) || chdir(top))
		return -1;
	toy_source("source", "amdgpu/amdgpu_mn.c", TOY_LABEL);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") || fs_remove_tree(top, &err);
}

static int make(const char *source, const char *dir, unsigned int commits, uint64_t seed,
		struct demo *ret)
{
	struct demo_spec spec = {
		.source = source,
		.dir = dir,
		.driver = TOY_DRIVER,
		.commits = commits,
		.seed = seed,
		.cache_dir = "cache",
	};

	err = (struct err){ 0 };
	return demo_make(&spec, ret, &err);
}

static void refuse(const char *source, const char *dir, unsigned int commits, const char *because)
{
	struct demo d = { 0 };

	assert_int_equal(make(source, dir, commits, 1, &d), -1);
	assert_null(d.repo);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.msg, because))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, because);
}

static void sources_of_no_use_are_named(void **state)
{
	(void)state;
	toy_put("empty", "README", "no kernel\n");
	toy_put(".", "text.tar", "no tarball\n");
	toy_source("old", "amdgpu/amdgpu_ttm.c", TOY_LABEL);
	toy_source("new", "amdgpu/amdgpu_hmm.c", TOY_DEFECT);
	free(toy_run("tar -cf none.tar empty && head -c 3000 /dev/zero > zero.tar"));
	free(toy_run("tar -czf whole.tgz source && head -c 600 whole.tgz > half.tgz"));
	refuse("nowhere", "d-use", DEMO_COMMITS_MIN, "nowhere");
	refuse("empty", "d-use", DEMO_COMMITS_MIN, TOY_DRIVER);
	refuse("text.tar", "d-use", DEMO_COMMITS_MIN, "text.tar");
	refuse("none.tar", "d-use", DEMO_COMMITS_MIN, TOY_DRIVER);
	refuse("zero.tar", "d-use", DEMO_COMMITS_MIN, TOY_DRIVER);
	refuse("old", "d-use", DEMO_COMMITS_MIN, "amdgpu_hmm_range_get_pages()");
	refuse("new", "d-use", DEMO_COMMITS_MIN, "c08972f55594");
	refuse("source", "d-use", DEMO_COMMITS_MIN - 1, "32");
	refuse("source", "d-use", DEMO_COMMITS_MAX + 1, "5000");
}

static void half_a_tarball_is_not_kept(void **state)
{
	struct demo d;

	(void)state;
	free(toy_run("tar -czf cut.tgz source && head -c 600 cut.tgz > half.tgz"));
	assert_int_equal(make("half.tgz", "d-half", DEMO_COMMITS_MIN, 1, &d), -1);
	assert_non_null(strstr(err.msg, "half.tgz"));
	assert_int_equal(toy_number("find cache -name 'draft-*' | wc -l"), 0);
	assert_int_equal(make("half.tgz", "d-half", DEMO_COMMITS_MIN, 1, &d), -1);
}

static void the_same_demo_is_taken_as_it_is(void **state)
{
	struct demo a, b, c;

	(void)state;
	assert_int_equal(make("source", "d-same", DEMO_COMMITS_MIN, 9, &a), 0);
	assert_false(a.reused);
	toy_put("d-same", "run/run.db", "state\n");
	assert_int_equal(make("source", "d-same", DEMO_COMMITS_MIN, 9, &b), 0);
	assert_true(b.reused);
	assert_int_equal(demo_open("d-same", &c, &err), 0);
	assert_string_equal(a.culprit_id, b.culprit_id);
	assert_string_equal(a.culprit_id, c.culprit_id);
	assert_string_equal(a.repo, c.repo);
	assert_string_equal(a.driver, c.driver);
	assert_string_equal(a.source, c.source);
	assert_memory_equal(a.planted, c.planted, sizeof(a.planted));
	assert_int_equal(c.commits, DEMO_COMMITS_MIN);
	assert_int_equal(c.seed, 9);
	refuse("source", "d-same", DEMO_COMMITS_MIN, "another demo");
	demo_deinit(&a);
	demo_deinit(&b);
	demo_deinit(&c);
}

static void a_folder_of_something_else_is_left_alone(void **state)
{
	(void)state;
	toy_put("d-full", "thesis.tex", "mine\n");
	toy_put("d-tree", "linux/Makefile", "mine\n");
	refuse("source", "d-full", DEMO_COMMITS_MIN, "thesis.tex");
	refuse("source", "d-tree", DEMO_COMMITS_MIN, "linux");
	assert_true(fs_exists("d-full/thesis.tex") && fs_exists("d-tree/linux/Makefile"));
}

static void what_was_half_made_is_made_again(void **state)
{
	struct demo d;

	(void)state;
	toy_put("d-again", "linux.tmp/.git/objects/junk", "half\n");
	toy_put("d-again", "answer", "half\n");
	assert_int_equal(demo_open("d-again", &d, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(make("source", "d-again", DEMO_COMMITS_MIN, 1, &d), 0);
	assert_int_equal(toy_number("git -C %s fsck --strict 2>&1 | wc -l", d.repo), 0);
	assert_false(fs_exists("d-again/linux.tmp"));
	demo_deinit(&d);
}

static void a_cache_half_made_is_made_again(void **state)
{
	struct demo a, b;

	(void)state;
	assert_int_equal(make("source", "d-cache-a", DEMO_COMMITS_MIN, 1, &a), 0);
	free(toy_run("for l in cache/demo-base/*/list; do echo half > $l; done"));
	assert_int_equal(make("source", "d-cache-b", DEMO_COMMITS_MIN, 1, &b), 0);
	assert_string_equal(a.bad_id, b.bad_id);
	demo_deinit(&a);
	demo_deinit(&b);
}

static void two_at_once_import_a_source_whole(void **state)
{
	struct demo d;
	int status;
	pid_t pid;

	(void)state;
	toy_source("both", "amdgpu/amdgpu_hmm.c", TOY_LABEL);
	pid = fork();
	if (pid == 0)
		_exit(make("both", "d-both-a", DEMO_COMMITS_MIN, 1, &d) < 0);
	assert_int_equal(make("both", "d-both-b", DEMO_COMMITS_MIN, 1, &d), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(toy_number("find cache -name 'draft-*' | wc -l"), 0);
	assert_int_equal(toy_number("git -C d-both-a/linux fsck --strict 2>&1 | wc -l"), 0);
	demo_deinit(&d);
}

static void a_changed_source_is_imported_again(void **state)
{
	struct demo a, b;

	(void)state;
	toy_source("moving", "amdgpu/amdgpu_hmm.c", TOY_LABEL);
	assert_int_equal(make("moving", "d-move-a", DEMO_COMMITS_MIN, 1, &a), 0);
	toy_put("moving", TOY_DRIVER "/include/toy.h", "extern long toy;\n");
	assert_int_equal(make("moving", "d-move-b", DEMO_COMMITS_MIN, 1, &b), 0);
	assert_string_not_equal(a.good_id, b.good_id);
	refuse("moving", "d-move-a", DEMO_COMMITS_MIN, "another demo");
	demo_deinit(&a);
	demo_deinit(&b);
}

static void work_trees_share_no_file_with_the_cache(void **state)
{
	struct demo d;

	(void)state;
	assert_int_equal(make("source", "d-links", DEMO_COMMITS_MIN, 1, &d), 0);
	assert_int_equal(toy_number("find d-links/linux/drivers -type f -links +1 | wc -l"), 0);
	demo_deinit(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sources_of_no_use_are_named),
		cmocka_unit_test(half_a_tarball_is_not_kept),
		cmocka_unit_test(the_same_demo_is_taken_as_it_is),
		cmocka_unit_test(a_folder_of_something_else_is_left_alone),
		cmocka_unit_test(what_was_half_made_is_made_again),
		cmocka_unit_test(a_cache_half_made_is_made_again),
		cmocka_unit_test(two_at_once_import_a_source_whole),
		cmocka_unit_test(a_changed_source_is_imported_again),
		cmocka_unit_test(work_trees_share_no_file_with_the_cache),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
