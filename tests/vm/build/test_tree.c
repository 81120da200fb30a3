// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tree's config, made by the kernel's own Kconfig: trimmed or the distribution's, of an overlay and of
 * a whole candidate. The source here is a part of this machine's.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fs.h"
#include "build/kernel/config.h"
#include "build/kernel/kernel.h"
#include "build/tree.h"

#define LOG	BENCH_CACHE "/configure.log"
#define KCONFIG "drivers/gpu/drm/amd/amdgpu/Kconfig"

static struct build_kernel kernel;
static struct part part;

/* What a candidate may lose, laid over the config of the trees that more than one test uses. */
static const char *const si[] = { BENCH_CACHE "/si.config" };
static char *untouched; /* the config of the source as it is, at scope kernel with that fragment */

/* One tree with what it takes to use it. */
struct use {
	struct build_spec spec;
	struct tree tree;
	struct maker maker;
	int lock;
};

static void use_deinit(struct use *u)
{
	tree_deinit(&u->tree);
	if (u->lock >= 0)
		close(u->lock);
}

#define _cleanup_use_ __attribute__((cleanup(use_deinit)))

static const char *cc = "gcc";

static int use_init(struct use *u, enum build_scope scope, bool whole, const char *const *fragments,
		    size_t n, struct err *err)
{
	static const char *const paths[] = { "drivers/gpu/drm/amd" };

	*u = (struct use){ .lock = -1,
			   .spec = { .scope = scope,
				     .kernel = &kernel,
				     .repo = part.repo,
				     .paths = paths,
				     .n_paths = 1,
				     .driver = paths[0],
				     .cache_dir = BENCH_CACHE,
				     .kconfigs = BENCH_KCONFIGS,
				     .whole = whole,
				     .fragments = fragments,
				     .n_fragments = n } };
	if (tree_init(&u->tree, &u->spec, cc, "gcc of this machine", err) < 0)
		return -1;
	u->maker = (struct maker){
		.tree = u->tree.linux_dir, .release = kernel.release, .cc = cc, .jobs = 2
	};
	return tree_lock(&u->tree, NULL, &u->lock, err);
}

static int use_open(struct use *u, enum build_scope scope, bool whole, const char *const *fragments,
		    size_t n, struct err *err)
{
	if (use_init(u, scope, whole, fragments, n, err) < 0)
		return -1;
	return tree_prepare(&u->tree, &u->spec, &u->maker, err);
}

static void must_open(struct use *u, enum build_scope scope, bool whole,
		      const char *const *fragments, size_t n)
{
	struct err err = { 0 };

	if (use_open(u, scope, whole, fragments, n, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
}

static int use_candidate(struct use *u, const char *id, struct err *err)
{
	bool known;
	int rc;

	if (tree_begin(&u->tree, &u->spec, NULL, id, &known, err) < 0)
		return -1;
	rc = tree_configure(&u->tree, &u->spec, NULL, id, &u->maker, LOG, err);
	if (rc == 0 || err->kind == ERR_BUILD) {
		struct err ignored = { 0 };

		assert_int_equal(tree_end(&u->tree, &u->spec, NULL, id, &ignored), 0);
	}
	return rc;
}

static void must_use(struct use *u, const char *id)
{
	struct err err = { 0 };

	if (use_candidate(u, id, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
}

static void expect(const struct err *err, enum err_kind kind, const char *words)
{
	if (err->kind != kind || !strstr(err->msg, words))
		fail_msg("%s: '%s' does not say '%s'", err_kind_name(err->kind), err->msg, words);
}

static char *config_of(const struct use *u)
{
	struct err err = { 0 };
	char *text;

	if (fs_read(u->tree.config, CONFIG_MAX_BYTES, &text, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	return text;
}

static void fragment(const char *path, const char *text)
{
	struct err err = { 0 };

	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
}

/* A commit on top of the source as it is, made by a command run in the work tree. */
static void candidate(const char *command, char ret[COMMIT_ID_SIZE])
{
	_cleanup_free_ char *id = NULL;

	id = bench_sh(
		"cd '%s' && git reset -q --hard base && { %s; } && git add -A && git -c "
		"user.name=t -c user.email=t@t commit -q -m 'a candidate' && git rev-parse HEAD",
		part.repo, command);
	assert_true(str_copy(ret, COMMIT_ID_SIZE, id));
}

static const char new_option[] = "printf 'config DRM_AMDGPU_NOVEL\\n\\tbool\\n\\tdepends on "
				 "DRM_AMDGPU\\n\\tdefault y\\n' >> " KCONFIG;

/* After a power cut: the tree says that it is ready, and a file that it cannot do without is empty. */
static void preparation_that_was_lost_is_done_again(void **state)
{
	_cleanup_use_ struct use u;
	_cleanup_free_ char *made = NULL;
	struct err err = { 0 };

	(void)state;
	fragment(si[0], "CONFIG_DRM_AMDGPU_SI=y\n");
	assert_int_equal(use_init(&u, BUILD_SCOPE_KERNEL, false, si, 1, &err), 0);
	free(bench_sh("mkdir -p '%s/linux/include/generated' && cd '%s' && printf %%s %s >ready && "
		      ": >linux/include/generated/autoconf.h",
		      u.tree.dir, u.tree.dir, u.tree.key));
	if (tree_prepare(&u.tree, &u.spec, &u.maker, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
	made = bench_sh("cd '%s' && grep -c 'define CONFIG_' linux/include/generated/autoconf.h && "
			"ls linux/scripts/mod/modpost",
			u.tree.dir);
	untouched = config_of(&u);
}

static void trimmed_config_is_the_guests_and_the_distributions(void **state)
{
	_cleanup_use_ struct use u;
	_cleanup_free_ char *theirs = NULL;
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ char *symvers = NULL;
	static const char *const same[] = { "CONFIG_HZ", "CONFIG_PREEMPT_DYNAMIC",
					    "CONFIG_TRANSPARENT_HUGEPAGE_ALWAYS", "CONFIG_KSM",
					    "CONFIG_UNWINDER_ORC" };
	struct err err = { 0 };
	size_t on = 0;

	(void)state;
	must_open(&u, BUILD_SCOPE_KERNEL, false, si, 1);
	text = config_of(&u);
	assert_string_equal(text, untouched);
	assert_true(config_is(text, "CONFIG_DRM_AMDGPU", "m"));
	assert_true(config_is(text, "CONFIG_HMM_MIRROR", "y"));
	assert_true(config_is(text, "CONFIG_VIRTIO_CONSOLE", "y"));
	assert_null(config_value(text, "CONFIG_NET"));
	assert_null(config_value(text, "CONFIG_MODVERSIONS"));
	assert_int_equal(fs_read(kernel.config, CONFIG_MAX_BYTES, &theirs, NULL, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		_cleanup_free_ char *a = config_value(theirs, same[i]);
		_cleanup_free_ char *b = config_value(text, same[i]);

		assert_int_equal(a == NULL, b == NULL);
		if (a)
			assert_string_equal(a, b);
	}
	for (const char *p = text; (p = strstr(p, "=y\n")); p++)
		on++;
	print_message("%zu options are on\n", on);
	assert_in_range(on, 300, 700);
	symvers = str_printf("%s/Module.symvers", u.tree.linux_dir);
	assert_false(fs_exists(symvers));
}

static void same_kconfig_is_not_configured_again(void **state)
{
	_cleanup_use_ struct use u;
	struct stat before, after;
	char id[COMMIT_ID_SIZE];

	(void)state;
	must_open(&u, BUILD_SCOPE_KERNEL, false, si, 1);
	candidate("mkdir -p drivers/gpu/drm/amd/amdgpu && echo 'int novel;' > "
		  "drivers/gpu/drm/amd/amdgpu/novel.c",
		  id);
	must_use(&u, part.base);
	assert_int_equal(stat(u.tree.config, &before), 0);
	must_use(&u, id);
	assert_int_equal(stat(u.tree.config, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
}

static void options_of_the_candidates_own_kconfig_are_seen(void **state)
{
	_cleanup_use_ struct use u;
	_cleanup_free_ char *before = NULL;
	_cleanup_free_ char *with = NULL;
	char id[COMMIT_ID_SIZE];

	(void)state;
	must_open(&u, BUILD_SCOPE_KERNEL, false, si, 1);
	candidate(new_option, id);
	must_use(&u, part.base);
	before = config_of(&u);
	assert_null(config_value(before, "CONFIG_DRM_AMDGPU_NOVEL"));
	must_use(&u, id);
	with = config_of(&u);
	assert_true(config_is(with, "CONFIG_DRM_AMDGPU_NOVEL", "y"));
}

/* Nor is an option that the one before had something the next one is to suffer from. */
static void option_that_a_candidate_loses_is_its_own_failure(void **state)
{
	_cleanup_use_ struct use u;
	_cleanup_free_ char *text = NULL;
	struct err err = { 0 };
	char id[COMMIT_ID_SIZE];

	(void)state;
	must_open(&u, BUILD_SCOPE_KERNEL, false, si, 1);
	candidate("sed -i 's/^config DRM_AMDGPU_SI$/config DRM_AMDGPU_ISLANDS/' " KCONFIG, id);
	assert_int_equal(use_candidate(&u, id, &err), -1);
	expect(&err, ERR_BUILD,
	       "CONFIG_DRM_AMDGPU_SI of " BENCH_CACHE
	       "/si.config, line 1, is no option of this kernel");
	must_use(&u, part.base);
	text = config_of(&u);
	assert_true(config_is(text, "CONFIG_DRM_AMDGPU_SI", "y"));
	assert_string_equal(text, untouched);
	candidate("echo '<<<<<<< HEAD' >> " KCONFIG, id);
	assert_int_equal(use_candidate(&u, id, &err), -1);
	expect(&err, ERR_BUILD, "Kconfig");
}

static void fragment_comes_last_and_must_survive(void **state)
{
	static const char *const fragments[] = { BENCH_CACHE "/one.config",
						 BENCH_CACHE "/two.config" };
	_cleanup_use_ struct use kept = { .lock = -1 };
	_cleanup_use_ struct use lost = { .lock = -1 };
	_cleanup_use_ struct use unknown = { .lock = -1 };
	_cleanup_free_ char *text = NULL;
	struct err err = { 0 };

	(void)state;
	fragment(fragments[0], "CONFIG_HZ_100=y\n# CONFIG_KSM is not set\n");
	fragment(fragments[1], "# CONFIG_HZ_100 is not set\nCONFIG_HZ_1000=y\n");
	must_open(&kept, BUILD_SCOPE_MODULE, false, fragments, 2);
	text = config_of(&kept);
	assert_true(config_is(text, "CONFIG_HZ", "1000"));
	assert_null(config_value(text, "CONFIG_KSM"));
	assert_true(config_is(text, "CONFIG_NET", "y"));

	fragment(fragments[0], "CONFIG_DRM_AMDGPU=y\n");
	assert_int_equal(use_open(&lost, BUILD_SCOPE_MODULE, false, fragments, 1, &err), -1);
	expect(&err, ERR_USAGE,
	       "CONFIG_DRM_AMDGPU=y of " BENCH_CACHE
	       "/one.config, line 1, is lost: with this kernel and config it is m");
	fragment(fragments[0], "CONFIG_HZ_100=y\nCONFIG_NO_SUCH=y\n");
	assert_int_equal(use_open(&unknown, BUILD_SCOPE_KERNEL, false, fragments, 1, &err), -1);
	expect(&err, ERR_USAGE,
	       "CONFIG_NO_SUCH of " BENCH_CACHE "/one.config, line 2, is no option");
}

static void a_compiler_that_does_not_work_is_told_before_anything_is_unpacked(void **state)
{
	_cleanup_use_ struct use u = { .lock = -1 };
	_cleanup_free_ char *makefile = NULL;
	struct err err = { 0 };

	(void)state;
	cc = "gcc --no-such-option";
	assert_int_equal(use_open(&u, BUILD_SCOPE_MODULE, false, NULL, 0, &err), -1);
	cc = "gcc";
	expect(&err, ERR_HOST, "no-such-option");
	makefile = str_printf("%s/Makefile", u.tree.linux_dir);
	assert_false(fs_exists(makefile));
}

static void without_modules_nothing_is_unpacked(void **state)
{
	static const char *const fragments[] = { BENCH_CACHE "/off.config" };
	static const char *const texts[] = { "CONFIG_MODULES=n\n",
					     "# CONFIG_MODULES is not set\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_use_ struct use u = { .lock = -1 };
		struct err err = { 0 };

		fragment(fragments[0], texts[i]);
		assert_int_equal(use_open(&u, BUILD_SCOPE_MODULE, false, fragments, 1, &err), -1);
		expect(&err, ERR_USAGE,
		       BENCH_CACHE "/off.config, line 1, turns CONFIG_MODULES off");
	}
}

static void whole_candidate_is_configured_by_its_own_files(void **state)
{
	_cleanup_use_ struct use u;
	_cleanup_free_ char *with = NULL;
	_cleanup_free_ char *after = NULL;
	char id[COMMIT_ID_SIZE];
	struct err err = { 0 };
	struct kversion v;

	(void)state;
	must_open(&u, BUILD_SCOPE_KERNEL, true, si, 1);
	candidate("sed -i 's/^PATCHLEVEL = .*/PATCHLEVEL = 99/' Makefile && printf 'config "
		  "WHOLLY_NOVEL\\n\\tdef_bool y\\n' >> mm/Kconfig",
		  id);
	must_use(&u, id);
	with = config_of(&u);
	assert_true(config_is(with, "CONFIG_WHOLLY_NOVEL", "y"));
	assert_int_equal(tree_version(&u.spec, id, &v, &err), 0);
	assert_int_equal(v.patchlevel, 99);
	/* the source as it is has one config, overlay or whole, whatever was there before */
	must_use(&u, part.base);
	after = config_of(&u);
	assert_string_equal(after, untouched);
}

static void modules_of_another_series_are_refused(void **state)
{
	_cleanup_use_ struct use u;
	char id[COMMIT_ID_SIZE];
	struct err err = { 0 };

	(void)state;
	must_open(&u, BUILD_SCOPE_MODULE, true, NULL, 0);
	candidate("sed -i 's/^PATCHLEVEL = .*/PATCHLEVEL = 99/' Makefile", id);
	assert_int_equal(use_candidate(&u, id, &err), -1);
	expect(&err, ERR_USAGE, "99, and its modules do not fit");
	candidate("git rm -q Makefile", id);
	assert_int_equal(tree_version(&u.spec, id, &(struct kversion){ 0 }, &err), -1);
	expect(&err, ERR_BUILD, "is no whole kernel: it has no Makefile with a VERSION");
	/* a skip, as it is with several compilers */
	err = (struct err){ 0 };
	assert_int_equal(use_candidate(&u, id, &err), -1);
	expect(&err, ERR_BUILD, "it has no Makefile with a VERSION; use --tree overlay");
}

static bool open_all(void)
{
	struct err err = { 0 };

	kernel.release = xstrdup(getenv("TEST_RELEASE"));
	if (build_find(&kernel, &err) < 0) {
		print_message("skipped: %s\n", err.msg);
		return false;
	}
	free(bench_sh("mkdir -p '" BENCH_CACHE "' && rm -rf '" BENCH_CACHE "/trees'"));
	part_open(kernel.source, &part);
	free(kernel.source);
	kernel.source = xstrdup(part.dir);
	return true;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preparation_that_was_lost_is_done_again),
		cmocka_unit_test(trimmed_config_is_the_guests_and_the_distributions),
		cmocka_unit_test(same_kconfig_is_not_configured_again),
		cmocka_unit_test(options_of_the_candidates_own_kconfig_are_seen),
		cmocka_unit_test(option_that_a_candidate_loses_is_its_own_failure),
		cmocka_unit_test(fragment_comes_last_and_must_survive),
		cmocka_unit_test(a_compiler_that_does_not_work_is_told_before_anything_is_unpacked),
		cmocka_unit_test(without_modules_nothing_is_unpacked),
		cmocka_unit_test(whole_candidate_is_configured_by_its_own_files),
		cmocka_unit_test(modules_of_another_series_are_refused),
	};
	int failed;

	if (!open_all())
		return 77;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	build_kernel_deinit(&kernel);
	part_close(&part);
	free(untouched);
	return failed;
}
