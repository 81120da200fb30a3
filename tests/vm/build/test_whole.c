// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whole candidates at scope unit, for real: every file comes from a commit, here of a repository that
 * holds what the unit is made with out of this machine's source.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"

#define AMD "drivers/gpu/drm/amd"

static const char *const paths[] = { AMD };
static const char *const rules[] = { "..1.0 no-such-compiler", "2.6.. gcc" };

static struct bench bench;

static void commit(char ret[COMMIT_ID_SIZE], const char *command)
{
	_cleanup_free_ char *id = bench_sh(
		"cd '%s' && git reset -q --hard base && { %s; } && git add -A && git -c "
		"user.name=t -c "
		"user.email=t@t commit -q --allow-empty -m 'a candidate' && git rev-parse HEAD",
		bench.part.repo, command);

	assert_true(str_copy(ret, COMMIT_ID_SIZE, id));
}

static void candidate_is_built_of_its_own_files(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 }, other = { 0 };
	_cleanup_strv_ struct strv files = { 0 };
	struct err err = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	assert_null(builder_tree(bench.builder)); /* which compiler is not known yet */
	bench_make(&bench, bench.base, &a);
	assert_int_equal(a.n_modules, 1);
	assert_true(str_starts(builder_tree(bench.builder), BENCH_CACHE "/trees/"));
	assert_int_equal(builder_depends(bench.builder, a.key, &files, &err), 0);
	assert_true(files.n > 300);
	/* a header of the kernel's, far from the driver */
	commit(id, "sed -i 's/HMM_RANGE_DEFAULT_TIMEOUT 1000/HMM_RANGE_DEFAULT_TIMEOUT 900/' "
		   "include/linux/hmm.h");
	bench_make(&bench, id, &other);
	assert_true(other.objects > 0);
	assert_string_not_equal(other.signature, a.signature);
}

static void what_the_unit_does_not_read_needs_no_make(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 }, b = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	commit(id, "echo '/* again */' >> include/linux/hmm.h");
	bench_make(&bench, id, &a);
	assert_true(a.objects > 0);
	commit(id, "echo '/* again */' >> include/linux/hmm.h && echo 'int x;' > fs/new.c");
	bench_make(&bench, id, &b);
	assert_false(b.cached);
	assert_int_equal(b.objects, 0);
	assert_string_equal(a.signature, b.signature);
}

static void commit_that_is_no_kernel_has_no_compiler(void **state)
{
	char id[COMMIT_ID_SIZE];

	(void)state;
	commit(id, "git rm -q Makefile");
	bench_fails(&bench, id, ERR_BUILD, "no Makefile with a VERSION");
	/* nor has one that is older than any that is named */
	commit(id, "sed -i 's/^VERSION = .*/VERSION = 0/' Makefile");
	bench_fails(&bench, id, ERR_USAGE, "no-such-compiler");
}

static bool open_all(void)
{
	struct err err = { 0 };

	if (!bench_open_files(&bench))
		return false;
	bench.spec.repo = bench.part.repo;
	str_copy(bench.base, sizeof(bench.base), bench.part.base);
	bench.spec.paths = paths;
	bench.spec.n_paths = ARRAY_SIZE(paths);
	bench.spec.whole = true;
	bench.spec.compilers = rules;
	bench.spec.n_compilers = ARRAY_SIZE(rules);
	if (builder_open(&bench.spec, &bench.builder, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
	return true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(candidate_is_built_of_its_own_files),
		cmocka_unit_test(what_the_unit_does_not_read_needs_no_make),
		cmocka_unit_test(commit_that_is_no_kernel_has_no_compiler),
	};
	int failed;

	if (!open_all())
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	bench_close(&bench);
	return failed;
}
