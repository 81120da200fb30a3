// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of a tree after a build that ended, was stopped, or was killed. */
#include <string.h>

#include "base/fs.h"
#include "build/tree.h"
#include "unit/range/kit.h"

struct bench {
	char *repo, *first, *second;
	struct tree tree;
	struct build_spec spec;
};

static const char *const paths[] = { "drv" };

static void bench_start(struct bench *b, const char *name)
{
	struct err err;

	*b = (struct bench){ .repo = kit_path("%s", name) };
	free(kit_sh("git init -q '%s' && mkdir '%s/drv'", b->repo, b->repo));
	free(kit_sh("cd '%s' && echo 1 >drv/a.c && echo x >drv/b.c && git add -A && "
		    "git -c user.name=A -c user.email=a@example.org commit -qm 1 && "
		    "echo 2 >drv/a.c && "
		    "git -c user.name=A -c user.email=a@example.org commit -qam 2",
		    b->repo));
	b->first = kit_git(b->repo, "rev-parse HEAD~1");
	b->second = kit_git(b->repo, "rev-parse HEAD");
	b->tree.dir = kit_path("%s.tree", name);
	b->tree.linux_dir = str_printf("%s/linux", b->tree.dir);
	b->spec = (struct build_spec){ .repo = b->repo, .paths = paths, .n_paths = 1 };
	assert_int_equal(fs_mkdirs(b->tree.linux_dir, &err), 0);
}

static void bench_end(struct bench *b)
{
	free(b->repo);
	free(b->first);
	free(b->second);
	free(b->tree.dir);
	free(b->tree.linux_dir);
}
#define _cleanup_bench_ __attribute__((cleanup(bench_end)))

static bool begin(struct bench *b, const char *id)
{
	struct err err;
	bool known;

	if (tree_begin(&b->tree, &b->spec, NULL, id, &known, &err) < 0)
		fail_msg("%s", err.msg);
	return known;
}

static void put(const struct bench *b, const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/drv/%s", b->tree.linux_dir, name);
	struct err err;

	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
}

static void expect(const struct bench *b, const char *name, const char *want)
{
	_cleanup_free_ char *path = str_printf("%s/drv/%s", b->tree.linux_dir, name);
	_cleanup_free_ char *text = NULL;
	struct err err;

	assert_int_equal(fs_read(path, 64, &text, NULL, &err), 0);
	assert_string_equal(text, want);
}

static void whole_after_an_end(void **state)
{
	_cleanup_bench_ struct bench b;
	struct err err;

	(void)state;
	bench_start(&b, "whole");
	assert_false(begin(&b, b.first));
	assert_int_equal(tree_end(&b.tree, &b.spec, NULL, b.first, &err), 0);
	assert_true(begin(&b, b.second));
	expect(&b, "a.c", "2\n");
}

/* The files are known, so what does not differ is not even looked at; the objects are not. */
static void half_after_a_stop(void **state)
{
	_cleanup_bench_ struct bench b;
	struct err err;

	(void)state;
	bench_start(&b, "stopped");
	assert_false(begin(&b, b.first));
	assert_int_equal(tree_stopped(&b.tree, &b.spec, NULL, b.first, &err), 0);
	put(&b, "b.c", "not looked at\n");
	assert_false(begin(&b, b.second));
	expect(&b, "a.c", "2\n");
	expect(&b, "b.c", "not looked at\n");
	assert_int_equal(tree_end(&b.tree, &b.spec, NULL, b.second, &err), 0);
	assert_true(begin(&b, b.first));
}

static void unknown_after_a_kill(void **state)
{
	_cleanup_bench_ struct bench b;

	(void)state;
	bench_start(&b, "killed");
	assert_false(begin(&b, b.first));
	put(&b, "b.c", "garbage\n");
	assert_false(begin(&b, b.second));
	expect(&b, "a.c", "2\n");
	expect(&b, "b.c", "x\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_after_an_end),
		cmocka_unit_test(half_after_a_stop),
		cmocka_unit_test(unknown_after_a_kill),
	};
	int failed;

	kit_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kit_end();
	return failed;
}
