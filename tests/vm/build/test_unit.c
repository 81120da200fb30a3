// SPDX-License-Identifier: GPL-2.0-or-later
/* Scope unit, for real: this machine's kernel source, its compiler, its make. */
#include "bench.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fs.h"
#include "build/make/object.h"

/* Where "#include <linux/hmm.h>" looks before it comes to the kernel's own. */
#define HIDING "arch/x86/include/linux/hmm.h"

static struct bench bench;

static void module_fits_the_kernel_and_names_itself(void **state)
{
	_cleanup_(object_identity_deinit) struct object_identity id = { 0 };
	_cleanup_free_ char *release = str_printf("%s ", bench.kernel.release);
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	struct err err = { 0 };

	(void)state;
	bench_make(&bench, bench.base, &a);
	assert_false(a.cached);
	assert_int_equal(a.n_modules, 1);
	assert_string_equal(a.modules[0].name, "mirror");
	assert_int_equal(strlen(a.modules[0].build_id), 40);
	assert_in_range(a.modules[0].bytes, 4096, 200000);
	assert_int_equal(a.depends.n, 1);
	assert_string_equal(a.depends.items[0], "drm");
	assert_int_equal(object_identity(a.modules[0].path, &id, &err), 0);
	assert_true(str_starts(id.vermagic, release));
}

static void same_content_is_built_once(void **state)
{
	_cleanup_(artifact_deinit) struct artifact first = { 0 }, again = { 0 }, other = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	bench_make(&bench, bench.base, &first);
	bench_make(&bench, bench.base, &again);
	assert_true(again.cached);
	assert_string_equal(first.key, again.key);
	bench_commit(&bench, NULL, NULL, id); /* another commit, the same files */
	bench_make(&bench, id, &other);
	assert_true(other.cached);
	assert_string_equal(first.key, other.key);
	assert_string_equal(first.modules[0].build_id, other.modules[0].build_id);
}

static bool made_from(const struct strv *files, const char *path)
{
	for (size_t i = 0; i < files->n; i++)
		if (strcmp(files->items[i], path) == 0)
			return true;
	return false;
}

static void what_it_was_made_from_is_kept_with_it(void **state)
{
	static const char *const built[] = { "just now", "of the cache" };
	_cleanup_free_ char *unit = str_printf("%s/amdgpu/%s", bench.spec.driver, bench.unit);
	_cleanup_free_ char *source = str_printf("%s.c", unit);
	_cleanup_free_ char *header = str_printf("%s.h", unit);
	_cleanup_free_ char *text = str_printf("%s\n/* made from */\n", bench.text_c);
	char id[COMMIT_ID_SIZE];
	struct err err = { 0 };

	(void)state;
	bench_commit(&bench, text, NULL, id);
	for (size_t i = 0; i < ARRAY_SIZE(built); i++) {
		_cleanup_(artifact_deinit) struct artifact a = { 0 };
		_cleanup_strv_ struct strv files = { 0 };

		bench_make(&bench, id, &a);
		assert_int_equal(a.cached, i);
		assert_int_equal(builder_depends(bench.builder, a.key, &files, &err), 0);
		assert_in_range(files.n, 300, 5000);
		assert_true(a.config && fs_exists(a.config));
		assert_true(made_from(&files, source) && made_from(&files, header));
		assert_true(made_from(&files, "include/linux/hmm.h"));
		for (size_t f = 0; f < files.n; f++)
			if (files.items[f][0] == '/' || strstr(files.items[f], "../"))
				fail_msg("%s: %s", built[i], files.items[f]);
	}
}

static void other_code_is_another_module(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 }, b = { 0 };
	_cleanup_free_ char *text = NULL;
	char id[COMMIT_ID_SIZE];

	(void)state;
	text = bench_replace(bench.text_c, "HMM_PFN_REQ_WRITE", "HMM_PFN_REQ_FAULT");
	bench_commit(&bench, text, NULL, id);
	bench_make(&bench, bench.base, &a);
	bench_make(&bench, id, &b);
	assert_false(b.cached);
	assert_string_not_equal(a.key, b.key);
	assert_string_not_equal(a.modules[0].build_id, b.modules[0].build_id);
}

static void candidate_that_does_not_compile(void **state)
{
	_cleanup_free_ char *text =
		str_printf("%s\nint broken(void)\n{\n\treturn no_such_thing;\n}\n", bench.text_c);
	_cleanup_free_ char *want =
		str_printf("%s.c: broken(): 'no_such_thing' undeclared", bench.unit);
	char id[COMMIT_ID_SIZE];

	(void)state;
	bench_commit(&bench, text, NULL, id);
	bench_fails(&bench, id, ERR_BUILD, want);
	/* it is not built again, which would now be the machine's fault */
	bench_kill_compiler(&bench, true);
	bench_fails(&bench, id, ERR_BUILD, want);
	bench_kill_compiler(&bench, false);
}

static void header_alone_is_seen(void **state)
{
	_cleanup_free_ char *text = str_printf("%s\n#error \"from the header\"\n", bench.text_h);
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	_cleanup_free_ char *comment = str_printf("%s\n/* harmless */\n", bench.text_h);
	char id[COMMIT_ID_SIZE], fine[COMMIT_ID_SIZE];

	(void)state;
	bench_commit(&bench, NULL, text, id);
	bench_fails(&bench, id, ERR_BUILD, "#error \"from the header\"");
	bench_commit(&bench, NULL, comment, fine);
	bench_make(&bench, fine, &a);
	assert_false(a.cached);
}

static void commit_beside_the_unit_needs_no_compiler(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 }, b = { 0 }, c = { 0 }, d = { 0 };
	_cleanup_free_ char *text = str_printf("%s\n/* before others */\n", bench.text_c);
	char id[COMMIT_ID_SIZE];

	(void)state;
	bench_commit(&bench, text, NULL, id);
	bench_make(&bench, id, &a);
	assert_int_equal(a.objects > 0, 1);
	bench_kill_compiler(&bench, true);
	bench_commit_other(&bench, "other.c", "int other;\n", id);
	bench_make(&bench, id, &b);
	bench_kill_compiler(&bench, false);
	/* it counts as built, of nothing */
	assert_false(b.cached);
	assert_int_equal(b.objects, 0);
	assert_string_not_equal(a.key, b.key);
	assert_string_equal(a.signature, b.signature);
	assert_string_equal(a.modules[0].build_id, b.modules[0].build_id);
	assert_int_equal(b.depends.n, 1);
	/* a header that nobody reads a namesake of is looked at by make, and a Makefile too */
	bench_commit_other(&bench, "other.h", "", id);
	bench_make(&bench, id, &c);
	assert_string_equal(c.signature, a.signature);
	bench_commit_other(&bench, "Makefile", "# nothing\n", id);
	bench_make(&bench, id, &d);
	assert_string_equal(d.signature, a.signature);
}

static void comment_is_no_other_module(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 }, b = { 0 };
	_cleanup_free_ char *text = str_printf("/* moves every line */\n\n%s", bench.text_c);
	char id[COMMIT_ID_SIZE];

	(void)state;
	bench_make(&bench, bench.base, &a);
	bench_commit(&bench, text, NULL, id);
	bench_make(&bench, id, &b);
	assert_false(b.cached);
	assert_string_not_equal(a.key, b.key);
	assert_string_equal(a.signature, b.signature);
}

static void header_that_is_edited_and_restored(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 }, edited = { 0 }, restored = { 0 };
	_cleanup_free_ char *h =
		str_printf("#include <linux/hmm.h>\n#undef HMM_RANGE_DEFAULT_TIMEOUT\n"
			   "#define HMM_RANGE_DEFAULT_TIMEOUT 7\n%s",
			   bench.text_h);
	_cleanup_free_ char *again = str_printf("%s\n/* as it was */\n", bench.text_h);
	char id[COMMIT_ID_SIZE];

	(void)state;
	bench_make(&bench, bench.base, &a);
	bench_commit(&bench, NULL, h, id);
	bench_make(&bench, id, &edited);
	assert_string_not_equal(edited.signature, a.signature);
	bench_commit(&bench, NULL, again, id);
	bench_make(&bench, id, &restored);
	assert_false(restored.cached);
	assert_string_equal(restored.signature, a.signature);
}

/* The driver's own directory comes first: nothing that was read changes, so make would do nothing. */
static void header_that_hides_another_is_seen(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 }, hidden = { 0 }, found = { 0 };
	_cleanup_free_ char *path = str_printf("%s/" HIDING, bench.repo);
	char id[COMMIT_ID_SIZE];

	(void)state;
	bench_make(&bench, bench.base, &a);
	bench_commit(&bench, NULL, NULL, id);
	free(bench_sh("mkdir -p $(dirname '%s') && printf '#include \"../../../../include/linux/"
		      "hmm.h\"\\n#undef HMM_RANGE_DEFAULT_TIMEOUT\\n#define "
		      "HMM_RANGE_DEFAULT_TIMEOUT 7\\n' > '%s'",
		      path, path));
	bench_commit(&bench, NULL, NULL, id);
	bench_make(&bench, id, &hidden);
	assert_true(hidden.objects > 0);
	assert_string_not_equal(hidden.signature, a.signature);
	/* and neither is one that vanishes, in whose place another is found */
	free(bench_sh("rm -r $(dirname '%s')", path));
	bench_commit_other(&bench, "beside.c", "", id);
	bench_make(&bench, id, &found);
	assert_false(found.cached);
	assert_string_equal(found.signature, a.signature);
}

static void unknown_prototype_is_printed(void **state)
{
	_cleanup_free_ char *c = bench_replace(bench.text_c, "int amdgpu_hmm_range_get_pages(",
					       "int amdgpu_hmm_range_get_pages(short newer, ");
	_cleanup_free_ char *h = bench_replace(bench.text_h, "int amdgpu_hmm_range_get_pages(",
					       "int amdgpu_hmm_range_get_pages(short newer, ");
	_cleanup_free_ char *own = NULL;
	char id[COMMIT_ID_SIZE];

	(void)state;
	/* calls in the same file pass one more */
	own = strstr(c, "r = amdgpu_hmm_range_get_pages(")
		      ? bench_replace(c, "r = amdgpu_hmm_range_get_pages(",
				      "r = amdgpu_hmm_range_get_pages(1, ")
		      : xstrdup(c);
	bench_commit(&bench, own, h, id);
	bench_fails(
		&bench, id, ERR_BUILD,
		"amdgpu_hmm_range_get_pages() has a prototype that the mirror does not know: int "
		"(*)(short int, ");
}

static void function_that_is_gone_is_nothing_to_test(void **state)
{
	char id[COMMIT_ID_SIZE];

	(void)state;
	bench_commit(&bench, "/* amdgpu_hmm_range_get_pages() went elsewhere */\n", NULL, id);
	bench_fails(&bench, id, ERR_BUILD, "defines amdgpu_hmm_range_get_pages()");
}

static void symbol_that_the_driver_keeps_to_itself_gets_a_stub(void **state)
{
	_cleanup_free_ char *text =
		str_printf("%s\nint brand_new(int);\nint caller(void);\nint caller(void)\n"
			   "{\n\treturn brand_new(1);\n}\n",
			   bench.text_c);
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	_cleanup_free_ char *found = NULL;
	char id[COMMIT_ID_SIZE];

	(void)state;
	bench_commit(&bench, text, NULL, id);
	bench_make(&bench, id, &a);
	found = bench_sh("nm '%s' | grep -c ' W brand_new$'", a.modules[0].path);
	assert_string_equal(found, "1");
}

static void flipped_byte_in_the_cache_is_noticed(void **state)
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 }, b = { 0 };
	_cleanup_close_ int fd = -1;
	char byte;

	(void)state;
	bench_make(&bench, bench.base, &a);
	fd = open(a.modules[0].path, O_RDWR | O_CLOEXEC);
	assert_int_equal(pread(fd, &byte, 1, 2000), 1);
	byte ^= 1;
	assert_int_equal(pwrite(fd, &byte, 1, 2000), 1);
	bench_make(&bench, bench.base, &b);
	assert_false(b.cached);
	/* and the same input gives the same bytes */
	assert_string_equal(a.modules[0].build_id, b.modules[0].build_id);
}

static void killed_compiler_says_nothing_about_the_candidate(void **state)
{
	_cleanup_free_ char *text = str_printf("%s\n/* while memory is short */\n", bench.text_c);
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	bench_commit(&bench, text, NULL, id);
	bench_kill_compiler(&bench, true);
	bench_fails(&bench, id, ERR_HOST, "Killed");
	bench_kill_compiler(&bench, false);
	bench_make(&bench, id, &a);
	assert_false(a.cached);
}

static void half_an_object_after_a_crash_is_not_used(void **state)
{
	_cleanup_free_ char *dir = xstrdup(builder_tree(bench.builder));
	_cleanup_(artifact_deinit) struct artifact a = { 0 }, b = { 0 };

	(void)state;
	bench_make(&bench, bench.base, &a);
	free(bench_sh("cd '%s' && : > ../state && echo half > drivers/gpu/drm/amd/amdgpu/%s.o && "
		      "echo x >> "
		      "drivers/gpu/drm/amd/amdgpu/%s.c && for m in ../mirror-*/; do echo half > "
		      "$m/main.o; done "
		      "&& rm -rf '%s/artifacts'",
		      dir, bench.unit, bench.unit, bench.spec.cache_dir));
	bench_make(&bench, bench.base, &b);
	assert_false(b.cached);
	assert_string_equal(a.modules[0].build_id, b.modules[0].build_id);
}

static void repository_made_anew_at_the_same_place(void **state)
{
	_cleanup_free_ char *text =
		str_printf("%s\n/* first of another history */\n", bench.text_c);
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	/* the commit that the tree was left at is gone, so nothing is known of its files */
	free(bench_sh("mv '%s' '%s.old' && git init -q '%s'", bench.repo, bench.repo, bench.repo));
	bench_commit(&bench, text, NULL, id);
	bench_make(&bench, id, &a);
	assert_false(a.cached);
	free(bench_sh("rm -rf '%s' && mv '%s.old' '%s'", bench.repo, bench.repo, bench.repo));
}

static void tree_in_use_is_waited_for(void **state)
{
	_cleanup_free_ char *text = str_printf("%s\n/* in a queue */\n", bench.text_c);
	_cleanup_free_ char *lock = str_printf("%s", builder_tree(bench.builder));
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	_cleanup_free_ char *path = NULL;
	char id[COMMIT_ID_SIZE];
	struct err err = { 0 };
	int ready[2], fd, status;
	pid_t other;
	char c;

	(void)state;
	*strrchr(lock, '/') = '\0';
	path = str_printf("%s.lock", lock);
	assert_int_equal(pipe(ready), 0);
	other = fork();
	if (other == 0) {
		if (fs_lock(path, false, &fd, &err) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		sleep(2);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	bench_commit(&bench, text, NULL, id);
	bench_make(&bench, id, &a);
	assert_int_equal(waitpid(other, &status, WNOHANG), other);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(ready[0]);
	close(ready[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(module_fits_the_kernel_and_names_itself),
		cmocka_unit_test(same_content_is_built_once),
		cmocka_unit_test(what_it_was_made_from_is_kept_with_it),
		cmocka_unit_test(other_code_is_another_module),
		cmocka_unit_test(candidate_that_does_not_compile),
		cmocka_unit_test(header_alone_is_seen),
		cmocka_unit_test(commit_beside_the_unit_needs_no_compiler),
		cmocka_unit_test(comment_is_no_other_module),
		cmocka_unit_test(header_that_is_edited_and_restored),
		cmocka_unit_test(header_that_hides_another_is_seen),
		cmocka_unit_test(unknown_prototype_is_printed),
		cmocka_unit_test(function_that_is_gone_is_nothing_to_test),
		cmocka_unit_test(symbol_that_the_driver_keeps_to_itself_gets_a_stub),
		cmocka_unit_test(flipped_byte_in_the_cache_is_noticed),
		cmocka_unit_test(killed_compiler_says_nothing_about_the_candidate),
		cmocka_unit_test(half_an_object_after_a_crash_is_not_used),
		cmocka_unit_test(repository_made_anew_at_the_same_place),
		cmocka_unit_test(tree_in_use_is_waited_for),
	};
	int failed;

	if (!bench_open(&bench))
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	bench_close(&bench);
	return failed;
}
