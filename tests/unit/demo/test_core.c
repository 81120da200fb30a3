// SPDX-License-Identifier: GPL-2.0-or-later
/* Demos that touch the kernel's core, looked at with the git program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <unistd.h>

#include "base/fs.h"
#include "base/str.h"
#include "demo/demo.h"

#include "unit/demo/toy.h"

#define SOURCE "mm/hmm.c"
#define HEADER "include/linux/hmm.h"

static char top[] = "/tmp/test-core-XXXXXX";
static struct err err;

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(top) || chdir(top))
		return -1;
	toy_source("plain", "amdgpu/amdgpu_hmm.c", TOY_LABEL);
	toy_source("source", "amdgpu/amdgpu_hmm.c", TOY_LABEL);
	toy_put("source", SOURCE, TOY_HEAD TOY_TAIL);
	toy_put("source", "mm/memory.c", "int other;\n");
	toy_put("source", HEADER,
		"#ifndef LINUX_HMM_H\n#define LINUX_HMM_H\n\nenum a {\n\tA,\n};\n\n#ifdef B\n"
		"struct b {\n};\n\n#endif\nint last;\n\n#endif\n");
	free(toy_run("tar --exclude=*.o --exclude=*.cmd -czf source.tgz source"));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return chdir("/") || fs_remove_tree(top, &err);
}

static int make(const char *source, const char *dir, uint64_t seed, bool core, struct demo *ret)
{
	struct demo_spec spec = {
		.source = source,
		.dir = dir,
		.driver = TOY_DRIVER,
		.commits = DEMO_COMMITS_MIN,
		.seed = seed,
		.touch_core = core,
		.cache_dir = "cache",
	};

	err = (struct err){ 0 };
	return demo_make(&spec, ret, &err);
}

static void must(const char *source, const char *dir, uint64_t seed, bool core, struct demo *ret)
{
	if (make(source, dir, seed, core, ret))
		fail_msg("%s", err.msg);
}

static void the_first_commit_holds_the_core_untouched(void **state)
{
	struct demo d;

	(void)state;
	must("source", "first", 1, true, &d);
	assert_true(d.touch_core);
	free(toy_run("mkdir plain-first && git -C %s archive %s | tar -C plain-first -x", d.repo,
		     d.good_id));
	free(toy_run("cmp plain-first/" SOURCE " source/" SOURCE));
	free(toy_run("cmp plain-first/" HEADER " source/" HEADER));
	assert_int_equal(toy_number("ls plain-first/mm | wc -l"), 1);
	/* The tree of the driver alone is in the cache, and comes with the rest. */
	assert_int_equal(
		toy_number("git -C %s fsck --strict --full 2>&1 | grep -vc '^dangling tree' "
			   "|| :",
			   d.repo),
		0);
	assert_int_equal(toy_number("git -C %s status --porcelain | wc -l", d.repo), 0);
	demo_deinit(&d);
}

static long touching(const struct demo *d, const char *path)
{
	return toy_number("git -C %s log --full-history --no-merges --format=%%h %s..%s -- %s "
			  "| wc -l",
			  d->repo, d->good_id, d->bad_id, path);
}

/* Commits whose tree is that of their parent's parent: what the parent did is undone. */
static long restoring(const struct demo *d, const char *path)
{
	return toy_number(
		"cd %s && for c in $(git rev-list --full-history --no-merges %s..%s -- %s); do "
		"git rev-parse -q --verify $c~2 >&2 || continue; "
		"git diff --quiet $c~2 $c && echo $c; done | wc -l",
		d->repo, d->good_id, d->bad_id, path);
}

static void some_commits_edit_it_and_a_pair_edits_and_restores_the_header(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 12; seed++) {
		_cleanup_free_ char *dir = str_printf("some-%d", (int)seed);
		struct demo d;

		must("source", dir, seed, true, &d);
		assert_in_range(touching(&d, SOURCE), 2, 8);
		assert_in_range(touching(&d, HEADER), 3, 6);
		assert_int_equal(restoring(&d, HEADER), 1);
		assert_int_equal(toy_number("git -C %s show --format= --name-only %s | "
					    "grep -vc ^" TOY_DRIVER " || :",
					    d.repo, d.culprit_id),
				 0);
		/* One edit is in the object file, and nothing that is compiled is in the header. */
		assert_true(toy_number("git -C %s show %s:" SOURCE " | grep -c __used", d.repo,
				       d.bad_id) > 0);
		assert_int_equal(toy_number("git -C %s show %s:" HEADER " | grep -c static || :",
					    d.repo, d.bad_id),
				 0);
		demo_deinit(&d);
	}
}

static void edits_of_a_header_stand_inside_its_guard(void **state)
{
	struct demo d;

	(void)state;
	must("source", "guard", 2, true, &d);
	assert_int_equal(toy_number("cd %s && for c in $(git rev-list HEAD); do "
				    "git show $c:" HEADER " | head -n 1; done | sort -u | "
				    "grep -vc '^#ifndef LINUX_HMM_H$' || :",
				    d.repo),
			 0);
	assert_int_equal(toy_number("cd %s && for c in $(git rev-list HEAD); do "
				    "git show $c:" HEADER " | cc -x c -fsyntax-only - || "
				    "echo $c; done | wc -l",
				    d.repo),
			 0);
	demo_deinit(&d);
}

static void tree_and_tarball_give_the_same(void **state)
{
	struct demo a, b;

	(void)state;
	must("source", "from-tree", 3, true, &a);
	must("source.tgz", "from-tar", 3, true, &b);
	assert_string_equal(a.good_id, b.good_id);
	assert_string_equal(a.bad_id, b.bad_id);
	demo_deinit(&a);
	demo_deinit(&b);
}

static void without_it_ids_are_what_they_always_were(void **state)
{
	struct demo a, b, c;

	(void)state;
	must("plain", "ids-plain", 3, false, &a);
	must("source", "ids-source", 3, false, &b);
	must("source", "ids-core", 3, true, &c);
	assert_string_equal(a.good_id, "c573b22eff26a1cf083896b1a24da80f1709060b");
	assert_string_equal(a.bad_id, "e5ffb892199a7a2fa3819924d6f1e3d3f22f1fbe");
	assert_string_equal(a.culprit_id, "588d4e53551cda4b1261e24742a952df9e8b3900");
	assert_string_equal(a.bad_id, b.bad_id);
	assert_string_not_equal(a.good_id, c.good_id);
	assert_int_equal(toy_number("git -C %s fsck --strict --full 2>&1 | wc -l", b.repo), 0);
	demo_deinit(&a);
	demo_deinit(&b);
	demo_deinit(&c);
}

static void with_and_without_it_are_two_demos(void **state)
{
	struct demo a, b = { 0 }, c;

	(void)state;
	must("source.tgz", "two", 4, true, &a);
	assert_int_equal(make("source.tgz", "two", 4, false, &b), -1);
	assert_non_null(strstr(err.msg, "another demo"));
	assert_non_null(strstr(err.msg, "--touch-core"));
	assert_int_equal(demo_open("two", &c, &err), 0);
	assert_true(c.touch_core);
	demo_deinit(&a);
	demo_deinit(&c);
}

static void a_source_without_the_core_is_told(void **state)
{
	struct demo d = { 0 };

	(void)state;
	assert_int_equal(make("plain", "none", 5, true, &d), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, SOURCE));
	assert_non_null(strstr(err.msg, "--touch-core"));
	toy_put("plain", SOURCE, "int no_place;\n");
	toy_put("plain", HEADER, "int no_place;\n");
	assert_int_equal(make("plain", "none", 5, true, &d), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, SOURCE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_commit_holds_the_core_untouched),
		cmocka_unit_test(some_commits_edit_it_and_a_pair_edits_and_restores_the_header),
		cmocka_unit_test(edits_of_a_header_stand_inside_its_guard),
		cmocka_unit_test(tree_and_tarball_give_the_same),
		cmocka_unit_test(without_it_ids_are_what_they_always_were),
		cmocka_unit_test(with_and_without_it_are_two_demos),
		cmocka_unit_test(a_source_without_the_core_is_told),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
