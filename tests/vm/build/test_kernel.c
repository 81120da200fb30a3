// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scope kernel, for real: vmlinux by the trimmed config, once from clean; then edits of the kernel's own
 * code, each of which is to cost little. The order matters: each starts from where the last one ended.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fs.h"

#define AMDGPU "drivers/gpu/drm/amd/amdgpu"

static const char *const paths[] = {
	AMDGPU "/amdgpu_hmm.c",
	AMDGPU "/amdgpu_hmm.h",
	AMDGPU "/amdgpu_mn.c",
	AMDGPU "/amdgpu_mn.h",
	"mm/hmm.c",
	"include/linux/hmm.h",
	"drivers/bench",
	"arch/x86/include/linux",
};

static struct bench bench;
static char first[65]; /* signature of the source as it is */

/* A command in the repository, then all that is there as a commit. */
__attribute__((format(printf, 2, 3))) static void commit(char ret[COMMIT_ID_SIZE], const char *fmt,
							 ...)
{
	_cleanup_buf_ struct buf command = { 0 };
	_cleanup_free_ char *id = NULL;
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&command, fmt, ap);
	va_end(ap);
	id = bench_sh("cd '%s' && { %s; } && git add -A && git -c user.name=t -c user.email=t@t "
		      "commit -q --allow-empty -m 'a candidate' && git rev-parse HEAD",
		      bench.repo, command.data);
	assert_true(str_copy(ret, COMMIT_ID_SIZE, id));
}

static void from_clean_it_is_a_kernel_and_the_unit(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	_cleanup_free_ char *banners = NULL;

	(void)state;
	bench_make(&bench, bench.base, &a);
	assert_false(a.cached);
	assert_true(a.objects > 300);
	assert_int_equal(a.n_modules, 1);
	assert_string_equal(a.modules[0].name, "mirror");
	assert_int_equal(a.depends.n, 0);
	assert_non_null(a.image);
	/* whoever builds it and how often: the banner says one thing */
	banners =
		bench_sh("grep -a -c 'Linux version %s (amdgpu-bisect@amdgpu-bisect) .* #1 ' '%s'",
			 bench.kernel.release, a.image);
	assert_string_not_equal(banners, "0");
	free(bench_sh("test -z \"$(readelf -SW '%s' | grep -E ' [.](debug|symtab)')\"", a.image));
	str_copy(first, sizeof(first), a.signature);
	assert_int_equal(strlen(first), 64);
}

static void comment_is_no_other_kernel(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	commit(id, "echo '/* the end */' >> mm/hmm.c");
	bench_make(&bench, id, &a);
	assert_false(a.cached);
	assert_in_range(a.objects, 1, 8);
	assert_string_equal(a.signature, first);
}

static void edit_of_one_file_compiles_little(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	commit(id, "echo 'int bench_int = 3; EXPORT_SYMBOL(bench_int);' >> mm/hmm.c");
	bench_make(&bench, id, &a);
	assert_in_range(a.objects, 1, 8);
	assert_string_not_equal(a.signature, first);
}

static void header_that_is_edited_and_restored(void **state)
{
	_cleanup_(artifact_deinit) struct artifact edited = { 0 }, restored = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	commit(id,
	       "git checkout -q %s -- mm && sed -i 's/HMM_RANGE_DEFAULT_TIMEOUT 1000/"
	       "HMM_RANGE_DEFAULT_TIMEOUT 900/' include/linux/hmm.h",
	       bench.base);
	bench_make(&bench, id, &edited);
	assert_string_not_equal(edited.signature, first);
	commit(id, "git checkout -q %s -- include && echo '/* again */' >> include/linux/hmm.h",
	       bench.base);
	bench_make(&bench, id, &restored);
	assert_false(restored.cached);
	assert_string_equal(restored.signature, first);
}

/* Nothing that was read changes, so make alone would do nothing. */
static void header_that_hides_another_is_seen(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	commit(id,
	       "mkdir -p arch/x86/include/linux && printf '#include \"../../../../include/linux/"
	       "hmm.h\"\\n#undef HMM_RANGE_DEFAULT_TIMEOUT\\n#define HMM_RANGE_DEFAULT_TIMEOUT "
	       "900\\n' > arch/x86/include/linux/hmm.h");
	bench_make(&bench, id, &a);
	assert_true(a.objects > 0);
	assert_string_not_equal(a.signature, first);
	commit(id, "git rm -q arch/x86/include/linux/hmm.h && mkdir -p drivers/bench && "
		   "echo 'int other;' > drivers/bench/other.c");
	artifact_deinit(&a);
	bench_make(&bench, id, &a);
	assert_string_equal(a.signature, first);
}

static void what_is_no_part_of_it_needs_no_make(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	commit(id, "echo 'int another;' >> drivers/bench/other.c");
	bench_kill_compiler(&bench, true);
	bench_make(&bench, id, &a);
	bench_kill_compiler(&bench, false);
	assert_false(a.cached);
	assert_int_equal(a.objects, 0);
	assert_string_equal(a.signature, first);
	assert_non_null(a.image);
}

static bool open_all(void)
{
	struct err err = { 0 };

	if (!bench_open_files(&bench))
		return false;
	free(bench_sh("cd '%s' && tar -xf '%s' --strip-components=1 --wildcards '*/mm/hmm.c' "
		      "'*/include/linux/hmm.h'",
		      bench.repo, bench.kernel.source));
	bench_commit(&bench, NULL, NULL, bench.base);
	bench.spec.scope = BUILD_SCOPE_KERNEL;
	bench.spec.paths = paths;
	bench.spec.n_paths = ARRAY_SIZE(paths);
	bench.spec.kconfigs = BENCH_KCONFIGS;
	bench.spec.no_ccache = true; /* from clean means compiled */
	/* a tree of an earlier run would not be from clean */
	free(bench_sh("rm -rf '" BENCH_CACHE "/trees'"));
	if (builder_open(&bench.spec, &bench.builder, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
	return true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(from_clean_it_is_a_kernel_and_the_unit),
		cmocka_unit_test(comment_is_no_other_kernel),
		cmocka_unit_test(edit_of_one_file_compiles_little),
		cmocka_unit_test(header_that_is_edited_and_restored),
		cmocka_unit_test(header_that_hides_another_is_seen),
		cmocka_unit_test(what_is_no_part_of_it_needs_no_make),
	};
	int failed;

	if (!open_all())
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	bench_close(&bench);
	return failed;
}
