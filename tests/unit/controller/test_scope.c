// SPDX-License-Identifier: GPL-2.0-or-later
/* --scope auto: what counts outside of the driver, on real repositories. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../range/kit.h"
#include "base/clock.h"
#include "base/fs.h"
#include "controller/depends.h"
#include "controller/kernel_part.h"
#include "controller/scope.h"
#include "halving.h"

#define DRIVER "drivers/gpu/drm/amd"

static char *repo;
static unsigned int n_repos;

static void commit(const char *name, const char *text)
{
	free(kit_commit(repo, name, text, name));
}

/* A first commit, tagged good. */
static int make_repo(void **state)
{
	(void)state;
	repo = kit_path("repo-%u", n_repos++);
	free(kit_sh("git init -q -b main '%s'", repo));
	commit(DRIVER "/amdgpu/a.c", "0");
	free(kit_git(repo, "tag good"));
	return 0;
}

static int remove_repo(void **state)
{
	(void)state;
	free(repo);
	return 0;
}

/* @flags: NULL-terminated, besides the ends */
static struct scope_choice choose(const char *const *flags, char *settled, size_t size)
{
	const char *argv[32] = { "--good", "good", "--bad", "main" };
	_cleanup_(options_deinit) struct options o = { 0 };
	_cleanup_(range_destroy_p) struct range *range = NULL;
	struct scope_choice ret = { 0 };
	struct err err;
	int argc = 4;

	while (*flags)
		argv[argc++] = *flags++;
	if (options_parse(CMD_RUN, argc, (char **)argv, &o, &err) < 0 ||
	    halving_range(&o, repo, &range, &err) < 0 ||
	    scope_settle(&o, repo, range, &ret, &err) < 0)
		fail_msg("%s", err.msg);
	if (settled)
		str_copy(settled, size, options_str(&o, OPT_SCOPE));
	return ret;
}

#define CHOOSE(...) choose((const char *const[]){ __VA_ARGS__, NULL }, NULL, 0)

static void expect(struct scope_choice c, enum build_scope scope, const char *why)
{
	if (c.scope != scope || !strstr(c.why, why))
		fail_msg("scope %s, since '%s'; want %s, '%s'", build_scope_name(c.scope), c.why,
			 build_scope_name(scope), why);
	assert_true(c.chosen);
	assert_string_equal(c.warning, "");
}

static void range_of_driver_files_is_a_module(void **state)
{
	char settled[16];
	const char *const flags[] = { "--scope", "auto", NULL };

	(void)state;
	commit(DRIVER "/amdgpu/a.c", "1");
	/* Not the candidate's with an overlay: the paths are the driver. */
	commit("include/linux/hmm.h", "1");
	expect(choose(flags, settled, sizeof(settled)), BUILD_SCOPE_MODULE, DRIVER);
	assert_string_equal(settled, "module");
}

static void change_of_mm_in_the_paths_is_a_kernel(void **state)
{
	char settled[16];
	const char *const flags[] = {
		"--scope", "auto", "--path", DRIVER, "--path", "./mm/", NULL
	};

	(void)state;
	commit(DRIVER "/amdgpu/a.c", "1");
	commit("mm/hmm.c", "1");
	commit("mm/hmm.c", "2");
	expect(choose(flags, settled, sizeof(settled)), BUILD_SCOPE_KERNEL,
	       "mm/hmm.c changes in 2 of 3 candidates");
	assert_string_equal(settled, "kernel");
}

static void header_of_the_paths_is_a_kernel_and_a_text_is_not(void **state)
{
	(void)state;
	commit(DRIVER "/amdgpu/a.c", "1");
	commit("include/linux/README", "1");
	expect(CHOOSE("--scope", "auto", "--path", DRIVER, "--path", "include"), BUILD_SCOPE_MODULE,
	       "no candidate of 2");
	commit("include/linux/hmm.h", "1");
	expect(CHOOSE("--scope", "auto", "--path", DRIVER, "--path", "include"), BUILD_SCOPE_KERNEL,
	       "include/linux/hmm.h changes in 1 of 3");
	expect(CHOOSE("--scope", "auto", "--path", "."), BUILD_SCOPE_KERNEL, "include/linux/hmm.h");
}

static void what_a_build_read_counts_wherever_it_lies(void **state)
{
	_cleanup_strv_ struct strv read = { 0 };

	(void)state;
	commit(DRIVER "/amdgpu/a.c", "1");
	commit("sound/odd.h", "1");
	expect(CHOOSE("--scope", "auto", "--tree", "whole"), BUILD_SCOPE_MODULE, "no candidate");
	strv_add(&read, "sound/odd.h");
	depends_keep(repo, "module", &read);
	expect(CHOOSE("--scope", "auto", "--tree", "whole"), BUILD_SCOPE_KERNEL,
	       "sound/odd.h differs between the ends");
}

/* Only commits of the driver are candidates, and the others' changes come with the tree. */
static void whole_tree_counts_what_lies_between_the_candidates(void **state)
{
	(void)state;
	commit(DRIVER "/amdgpu/a.c", "1");
	commit("tools/mm/x.c", "1");
	commit("Documentation/mm/hmm.rst", "1");
	commit("drivers/net/phy/x.c", "1");
	commit("arch/arm64/mm/fault.c", "1");
	commit("MAINTAINERS", "1");
	expect(CHOOSE("--scope", "auto", "--tree", "whole"), BUILD_SCOPE_MODULE, "no candidate");
	commit("mm/hmm.c", "1");
	commit(DRIVER "/amdgpu/a.c", "2");
	expect(CHOOSE("--scope", "auto", "--tree", "whole"), BUILD_SCOPE_KERNEL,
	       "mm/hmm.c differs between the ends");
	expect(CHOOSE("--scope", "auto"), BUILD_SCOPE_MODULE, DRIVER);
}

static void scope_by_hand_that_is_blind_is_warned_of(void **state)
{
	struct scope_choice c;

	(void)state;
	commit("mm/hmm.c", "1");
	commit("mm/memory.c", "1");
	c = CHOOSE("--scope", "module", "--path", DRIVER, "--path", "mm");
	assert_int_equal(c.scope, BUILD_SCOPE_MODULE);
	assert_false(c.chosen);
	assert_non_null(strstr(c.warning, "mm/hmm.c and others change in 2 of 2 candidates"));
	assert_non_null(strstr(c.warning, "--scope kernel"));
	c = CHOOSE("--path", DRIVER, "--path", "mm");
	assert_int_equal(c.scope, BUILD_SCOPE_UNIT);
	assert_string_equal(c.why, "the default");
	assert_non_null(strstr(c.warning, "scope unit does not see"));
	c = CHOOSE("--scope", "kernel", "--path", DRIVER, "--path", "mm");
	assert_string_equal(c.warning, "");
}

static void single_commits_are_told_by_what_they_change_and_where_they_differ(void **state)
{
	const char *argv[] = { "--scope", "auto", "--path", ".", "--tree", "whole" };
	_cleanup_(options_deinit) struct options o = { 0 };
	_cleanup_free_ char *good = kit_git(repo, "rev-parse good");
	_cleanup_free_ char *last = NULL;
	struct scope_choice c;
	struct err err;

	(void)state;
	commit("mm/hmm.c", "1");
	commit(DRIVER "/amdgpu/a.c", "1");
	last = kit_git(repo, "rev-parse main");
	assert_int_equal(options_parse(CMD_TEST, 6, (char **)argv, &o, &err), 0);
	assert_int_equal(scope_settle_commits(&o, repo, (const char *[]){ last }, 1, &c, &err), 0);
	expect(c, BUILD_SCOPE_MODULE, "no candidate of 1");
	options_deinit(&o);
	assert_int_equal(options_parse(CMD_TEST, 6, (char **)argv, &o, &err), 0);
	assert_int_equal(
		scope_settle_commits(&o, repo, (const char *[]){ last, good }, 2, &c, &err), 0);
	expect(c, BUILD_SCOPE_KERNEL, "mm/hmm.c differs");
}

static void parts_of_a_kernel(void **state)
{
	static const char *const parts[] = {
		"Makefile",
		"Kconfig",
		"mm/hmm.c",
		"mm/internal.h",
		"kernel/fork.c",
		"lib/xarray.c",
		"arch/x86/mm/fault.c",
		"arch/x86/include/asm/pgtable.h",
		"arch/Kconfig",
		"include/linux/hmm.h",
		"include/drm/drm_device.h",
		"include/uapi/drm/amdgpu_drm.h",
		"drivers/gpu/drm/drm_gem.c",
		"drivers/gpu/drm/Makefile",
		"drivers/gpu/drm/ttm/ttm_bo.c",
		"drivers/gpu/drm/scheduler/sched_main.c",
		"drivers/Makefile",
		"scripts/gcc-goto.sh",
		"fs/exec.c",
		"fs/proc/task_mmu.c",
		"drivers/pci/pci.c",
		"virt/lib/irqbypass.c",
		"arch/x86/entry/syscalls/syscall_64.tbl",
	};
	static const char *const others[] = {
		"MAINTAINERS",
		"COPYING",
		".mailmap",
		"Documentation/mm/hmm.rst",
		"Documentation/conf.c",
		"tools/testing/selftests/mm/hmm-tests.c",
		"samples/bpf/x.c",
		"LICENSES/preferred/GPL-2.0",
		"drivers/gpu/drm/i915/i915_drv.c",
		"drivers/gpu/drm/i915/Kconfig",
		"drivers/net/phy/phy.c",
		"arch/arm64/mm/fault.c",
		"arch/x86/configs/x86_64_defconfig",
		"sound/core/pcm.c",
		"net/ipv4/tcp.c",
		"fs/btrfs/inode.c",
		"mm/README",
		"include/sound/pcm.h",
		"drivers/i2c/busses/i2c-x.c",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		_cleanup_free_ char *dir = xstrdup(parts[i]);

		if (!kernel_part(parts[i]))
			fail_msg("%s does not count", parts[i]);
		/* No directory on the way to it is left out. */
		for (char *slash; (slash = strrchr(dir, '/'));) {
			*slash = '\0';
			if (!kernel_part_below(dir))
				fail_msg("%s is not entered for %s", dir, parts[i]);
		}
	}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (kernel_part(others[i]))
			fail_msg("%s counts", others[i]);
	assert_false(kernel_part_below("drivers/net/phy"));
	assert_false(kernel_part_below("Documentation"));
	assert_false(kernel_part_below("arch/arm64/mm"));
}

/* Made by git itself; a look at each costs what it changes. */
static void many_commits_are_asked_in_seconds(void **state)
{
	int commits = (int)kit_rounds(2000);
	_cleanup_free_ char *stream = kit_path("stream");
	FILE *f = fopen(stream, "we");
	int64_t start;

	(void)state;
	assert_non_null(f);
	for (int i = 0; i < commits; i++) {
		fprintf(f, "commit refs/heads/main\ncommitter C <c@example.org> %d +0000\n",
			1700000000 + i);
		fprintf(f, "data <<E\nc%d\nE\n%s", i, i ? "" : "from good^0\n");
		fprintf(f, "M 100644 inline %s/amdgpu/f%d.c\ndata <<E\n%d\nE\n", DRIVER, i % 300,
			i);
		fprintf(f, "M 100644 inline %s\ndata <<E\n%d\nE\n\n",
			i % 7 ? "drivers/net/phy/x.c" : "Documentation/x.rst", i);
	}
	fclose(f);
	free(kit_git(repo, "fast-import --quiet --force < '%s'", stream));
	free(kit_git(repo, "gc -q"));
	start = clock_now_ns();
	expect(CHOOSE("--scope", "auto", "--tree", "whole"), BUILD_SCOPE_MODULE, "no candidate");
	print_message("walk and scope of %d commits: %.2f s\n", commits,
		      (double)(clock_now_ns() - start) / NS_PER_S);
	start = clock_now_ns();
	expect(CHOOSE("--scope", "auto", "--tree", "whole"), BUILD_SCOPE_MODULE, "no candidate");
	print_message("again, the walk being kept: %.2f s\n",
		      (double)(clock_now_ns() - start) / NS_PER_S);
	assert_true(clock_now_ns() - start < 60 * NS_PER_S);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_repo, remove_repo)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(range_of_driver_files_is_a_module),
		TEST(change_of_mm_in_the_paths_is_a_kernel),
		TEST(header_of_the_paths_is_a_kernel_and_a_text_is_not),
		TEST(what_a_build_read_counts_wherever_it_lies),
		TEST(whole_tree_counts_what_lies_between_the_candidates),
		TEST(scope_by_hand_that_is_blind_is_warned_of),
		TEST(single_commits_are_told_by_what_they_change_and_where_they_differ),
		TEST(many_commits_are_asked_in_seconds),
		cmocka_unit_test(parts_of_a_kernel),
	};
	_cleanup_free_ char *cache = NULL;
	int failed;

	kit_start();
	cache = kit_path("cache");
	setenv("XDG_CACHE_HOME", cache, 1);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kit_end();
	return failed;
}
