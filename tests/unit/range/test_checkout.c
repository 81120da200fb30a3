// SPDX-License-Identifier: GPL-2.0-or-later
/* What a checkout writes, removes, leaves alone and refuses, compared with git's own work tree. */
#include "unit/range/kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "range/checkout/checkout.h"
#include "range/checkout/names.h"

static const char *const drv[] = { "drv" };

static struct checkout_stats sync_paths(const char *repo, const char *from, const char *to,
					const char *dest, const char *const *paths, size_t n)
{
	struct checkout_stats stats = { 0 };
	struct err err = { 0 };

	if (checkout_sync(repo, NULL, from, to, paths, n, dest, &stats, &err) < 0)
		fail_msg("%s", err.msg);
	return stats;
}

static char *init_repo(const char *name)
{
	char *repo = kit_path("%s", name);

	free(kit_sh("git init -q -b main '%s'", repo));
	return repo;
}

static void expect_same(const char *repo, const char *id, const char *dest, const char *path)
{
	_cleanup_free_ char *want = kit_path("want");

	free(kit_sh("rm -rf '%s'; mkdir '%s'; git -C '%s' archive %s | tar -x -C '%s'", want, want,
		    repo, id, want));
	free(kit_sh("diff -r --no-dereference '%s/%s' '%s/%s'", want, path, dest, path));
	free(kit_sh(
		"cd '%s' && find %s -type f -perm -100 | sort > ../x1; cd '%s' && find %s -type f "
		"-perm -100 | sort > ../x2; cd .. && diff x1 x2",
		want, path, dest, path));
}

static int64_t mtime_ns(const char *dir, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static bool is_there(const char *dir, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s%s", dir, name);

	return fs_exists(path);
}

static void only_what_differs_is_written(void **state)
{
	_cleanup_free_ char *repo = init_repo("differs");
	_cleanup_free_ char *dest = kit_path("differs-dest");
	_cleanup_free_ char *one = NULL, *two = NULL;
	struct checkout_stats s;
	int64_t a, b;

	(void)state;
	kit_write(repo, "drv/b.c", "b\n");
	kit_write(repo, "drv/sub/gone.c", "g\n");
	kit_write(repo, "drv/run.sh", "#!/bin/sh\n");
	kit_write(repo, "other/o.c", "o\n");
	one = kit_commit(repo, "drv/a.c", "a\n", "one");
	free(kit_sh("rm '%s/drv/sub/gone.c'; chmod +x '%s/drv/run.sh'; ln -s a.c '%s/drv/l.c'",
		    repo, repo, repo));
	two = kit_commit(repo, "drv/a.c", "changed\n", "two");

	s = sync_paths(repo, NULL, one, dest, drv, 1);
	assert_int_equal(s.written, 4);
	assert_int_equal(s.bytes, 2 + 2 + 2 + 10);
	expect_same(repo, one, dest, "drv");
	assert_false(is_there(dest, "/other"));
	a = mtime_ns(dest, "drv/a.c");
	b = mtime_ns(dest, "drv/b.c");
	usleep(20000);
	s = sync_paths(repo, one, two, dest, drv, 1);
	assert_int_equal(s.written, 3); /* a.c, run.sh, l.c */
	assert_int_equal(s.removed, 1);
	expect_same(repo, two, dest, "drv");
	assert_true(mtime_ns(dest, "drv/a.c") > a);
	assert_true(mtime_ns(dest, "drv/b.c") == b);
	s = sync_paths(repo, two, one, dest, drv, 1);
	expect_same(repo, one, dest, "drv");
	s = sync_paths(repo, NULL, one, dest, drv, 1);
	assert_int_equal(s.written + s.removed, 0);
}

static void unknown_directory_is_mended_and_build_outputs_stay(void **state)
{
	_cleanup_free_ char *repo = init_repo("unknown");
	_cleanup_free_ char *dest = kit_path("unknown-dest");
	_cleanup_free_ char *one = NULL;
	struct checkout_stats s;

	(void)state;
	kit_write(repo, "drv/Makefile", "obj-m := a.o\n");
	one = kit_commit(repo, "drv/a.c", "a\n", "one");
	kit_write(dest, "drv/a.c", "local edit\n");
	kit_write(dest, "drv/stale.c", "s\n");
	kit_write(dest, "drv/old/Kconfig.debug", "s\n");
	kit_write(dest, "drv/a.o", "object\n");
	kit_write(dest, "drv/.a.o.cmd", "cmd\n");
	kit_write(dest, "drv/a.mod.c", "modpost\n");
	kit_write(dest, "drv/generated/g.h", "made\n");
	kit_write(dest, "elsewhere/e.c", "not ours\n");
	s = sync_paths(repo, NULL, one, dest, drv, 1);
	assert_int_equal(s.written, 2);
	assert_int_equal(s.removed, 2);
	free(kit_sh("cd '%s' && find . -type f | sort > ../have && printf '%%s\\n' ./drv/.a.o.cmd "
		    "./drv/Makefile "
		    "./drv/a.c ./drv/a.mod.c ./drv/a.o ./drv/generated/g.h ./elsewhere/e.c | sort "
		    "| diff - ../have",
		    dest));
	assert_false(is_there(dest, "/drv/old"));
}

static void files_and_directories_change_places(void **state)
{
	_cleanup_free_ char *repo = init_repo("places");
	_cleanup_free_ char *dest = kit_path("places-dest");
	_cleanup_free_ char *one = NULL, *two = NULL;

	(void)state;
	kit_write(repo, "drv/was_dir/x.c", "x\n");
	one = kit_commit(repo, "drv/was_file", "f\n", "one");
	free(kit_sh("rm -r '%s/drv/was_dir' '%s/drv/was_file'", repo, repo));
	kit_write(repo, "drv/was_file/y.c", "y\n");
	two = kit_commit(repo, "drv/was_dir", "d\n", "two");
	sync_paths(repo, NULL, one, dest, drv, 1);
	kit_write(dest, "drv/was_dir/x.o", "object\n");
	sync_paths(repo, one, two, dest, drv, 1);
	expect_same(repo, two, dest, "drv");
	sync_paths(repo, two, one, dest, drv, 1);
	expect_same(repo, one, dest, "drv");
	sync_paths(repo, NULL, two, dest, drv, 1);
	expect_same(repo, two, dest, "drv");
}

/* Else the files of the commit that was there before are built, and judged in its name. */
static void a_submodule_leaves_nothing_of_the_commit_before(void **state)
{
	_cleanup_free_ char *repo = init_repo("submodule");
	_cleanup_free_ char *dest = kit_path("submodule-dest");
	_cleanup_free_ char *one = kit_commit(repo, "drv/sub/a.c", "a\n", "one");
	_cleanup_free_ char *whole = NULL, *part = NULL;

	(void)state;
	free(kit_git(repo, "rm -rqf drv"));
	free(kit_git(repo, "update-index --add --cacheinfo 160000,%s,drv", one));
	free(kit_git(repo, "commit -qm whole"));
	whole = kit_git(repo, "rev-parse HEAD");
	free(kit_git(repo, "update-index --force-remove drv"));
	free(kit_git(repo, "update-index --add --cacheinfo 160000,%s,drv/sub", one));
	free(kit_git(repo, "commit -qm part"));
	part = kit_git(repo, "rev-parse HEAD");
	for (unsigned int known = 0; known < 2; known++) {
		sync_paths(repo, NULL, one, dest, drv, 1);
		assert_true(is_there(dest, "/drv/sub/a.c"));
		sync_paths(repo, known ? one : NULL, whole, dest, drv, 1);
		assert_false(is_there(dest, "/drv/sub/a.c"));
		sync_paths(repo, known ? whole : NULL, one, dest, drv, 1);
		expect_same(repo, one, dest, "drv");
		sync_paths(repo, known ? one : NULL, part, dest, drv, 1);
		assert_false(is_there(dest, "/drv/sub/a.c"));
	}
}

static void path_that_comes_and_goes(void **state)
{
	static const char *const both[] = { "drv/old.c", "drv/deep/new.c" };
	_cleanup_free_ char *repo = init_repo("comes");
	_cleanup_free_ char *dest = kit_path("comes-dest");
	_cleanup_free_ char *one = NULL, *two = NULL;

	(void)state;
	one = kit_commit(repo, "drv/old.c", "o\n", "one");
	free(kit_git(repo, "rm -q drv/old.c"));
	two = kit_commit(repo, "drv/deep/new.c", "n\n", "two");
	assert_int_equal(sync_paths(repo, NULL, one, dest, both, 2).written, 1);
	assert_false(is_there(dest, "/drv/deep"));
	assert_int_equal(sync_paths(repo, one, two, dest, both, 2).removed, 1);
	expect_same(repo, two, dest, "drv");
	assert_int_equal(sync_paths(repo, NULL, one, dest, both, 2).removed, 1);
}

static void random_histories_end_as_git_has_them(void **state)
{
	static const char *const all[] = { "." };

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		_cleanup_free_ char *repo = kit_random_repo(seed, 12, DATES_FORWARD);
		_cleanup_free_ char *dest = kit_path("walked");
		_cleanup_free_ char *from = NULL;

		free(kit_sh("rm -rf '%s'", dest));
		for (unsigned int k = 0; k < 12; k++) {
			char *to = kit_git(repo, "rev-parse c%u", (k * 7) % 12);

			sync_paths(repo, k % 4 ? from : NULL, to, dest, all, 1);
			/* Without @from "a/x" and "d" would stay: no source is called so. */
			if (k % 4)
				expect_same(repo, to, dest, ".");
			else
				free(kit_sh("rm -rf '%s'", dest));
			if (k % 4 == 0)
				sync_paths(repo, NULL, to, dest, all, 1);
			free(from);
			from = to;
		}
		free(kit_sh("rm -rf '%s'", repo));
	}
}

static void refuse(const char *repo, const char *id, const char *words)
{
	_cleanup_free_ char *dest = kit_path("refused");
	_cleanup_free_ char *outside = kit_path("escaped");
	struct err err = { 0 };

	assert_int_equal(checkout_sync(repo, NULL, NULL, id, drv, 1, dest, NULL, &err), -1);
	if (err.kind != ERR_BUILD || !strstr(err.msg, words))
		fail_msg("%s", err.msg);
	assert_false(fs_exists(outside));
	free(kit_sh("rm -rf '%s'", dest));
}

/* A tree of one entry, whatever its name. */
static char *raw_tree(const char *repo, const char *mode, const char *name, const char *id)
{
	_cleanup_free_ char *file = kit_path("raw-tree");
	_cleanup_buf_ struct buf b = { 0 };
	struct err err = { 0 };

	buf_printf(&b, "%s %s", mode, name);
	buf_add(&b, "", 1);
	for (size_t i = 0; i < 20; i++) {
		char digits[3] = { id[2 * i], id[2 * i + 1] };
		unsigned char byte = (unsigned char)strtoul(digits, NULL, 16);

		buf_add(&b, &byte, 1);
	}
	assert_int_equal(fs_write(file, b.data, b.len, &err), 0);
	return kit_git(repo, "hash-object -w -t tree --literally '%s'", file);
}

/* A commit with one hostile name in drv/, as only a program makes them. */
static char *hostile_commit(const char *repo, const char *name, const char *mode, const char *text)
{
	_cleanup_free_ char *blob =
		kit_sh("printf '%s' | git -C '%s' hash-object -w --stdin", text, repo);
	_cleanup_free_ char *inner = raw_tree(repo, mode, name, blob);
	_cleanup_free_ char *outer = raw_tree(repo, "40000", "drv", inner);

	return kit_git(repo, "commit-tree -m hostile %s", outer);
}

static void hostile_names_are_refused(void **state)
{
	static const char *const names[] = { "..", ".", ".git", ".GIT", "../../escaped", "a/b" };
	_cleanup_free_ char *repo = init_repo("hostile");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *id = hostile_commit(repo, names[i], "100644", "x");

		refuse(repo, id, "no honest commit");
	}
}

static void links_out_of_the_tree_are_refused(void **state)
{
	static const char *const targets[] = { "/etc/passwd", "../../x", "a/../../../x" };
	_cleanup_free_ char *repo = init_repo("links");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		_cleanup_free_ char *id = hostile_commit(repo, "link", "120000", targets[i]);

		refuse(repo, id, "outside the tree");
	}
	assert_true(name_link_stays("/drv/link", "../include/x.h"));
	assert_true(name_link_stays("/link", "drv/x.h"));
	assert_false(name_link_stays("/link", "../x"));
	assert_false(name_link_stays("/drv/link", "../up/../../x")); /* up may be a link itself */
}

static void a_link_on_disk_is_never_written_through(void **state)
{
	_cleanup_free_ char *repo = init_repo("through");
	_cleanup_free_ char *dest = kit_path("through-dest");
	_cleanup_free_ char *away = kit_path("away");
	_cleanup_free_ char *id = NULL;
	struct err err = { 0 };

	(void)state;
	id = kit_commit(repo, "drv/sub/a.c", "a\n", "one");
	free(kit_sh("mkdir -p '%s' '%s/drv'; ln -s '%s' '%s/drv/sub'", away, dest, away, dest));
	sync_paths(repo, NULL, id, dest, drv, 1);
	free(kit_sh("test -z \"$(ls '%s')\" && test -f '%s/drv/sub/a.c' && test ! -L '%s/drv/sub'",
		    away, dest, dest));
	/* Above the limited paths a link is the user's own: it is not replaced, it is told. */
	free(kit_sh("rm -rf '%s'; mkdir '%s'; ln -s '%s' '%s/drv'", dest, dest, away, dest));
	assert_int_equal(
		checkout_sync(repo, NULL, NULL, id, (const char *[]){ "drv/sub" }, 1, dest, NULL, &err),
		-1);
	assert_non_null(strstr(err.msg, "is a link or a file"));
	free(kit_sh("test -z \"$(ls '%s')\"", away));
}

static void missing_content_is_named(void **state)
{
	_cleanup_free_ char *repo = init_repo("lost");
	_cleanup_free_ char *dest = kit_path("lost-dest");
	_cleanup_free_ char *id = kit_commit(repo, "drv/a.c", "a\n", "one");
	_cleanup_free_ char *blob = kit_git(repo, "rev-parse HEAD:drv/a.c");
	struct err err = { 0 };

	(void)state;
	free(kit_sh("rm -f '%s/.git/objects/%.2s/%s'", repo, blob, blob + 2));
	assert_int_equal(checkout_sync(repo, NULL, NULL, id, drv, 1, dest, NULL, &err), -1);
	assert_non_null(strstr(err.msg, blob));
	assert_int_equal(err.kind, ERR_HOST);
}

static int start(void **state)
{
	(void)state;
	kit_start();
	return 0;
}

static int end(void **state)
{
	(void)state;
	kit_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_differs_is_written),
		cmocka_unit_test(unknown_directory_is_mended_and_build_outputs_stay),
		cmocka_unit_test(files_and_directories_change_places),
		cmocka_unit_test(a_submodule_leaves_nothing_of_the_commit_before),
		cmocka_unit_test(path_that_comes_and_goes),
		cmocka_unit_test(random_histories_end_as_git_has_them),
		cmocka_unit_test(hostile_names_are_refused),
		cmocka_unit_test(links_out_of_the_tree_are_refused),
		cmocka_unit_test(a_link_on_disk_is_never_written_through),
		cmocka_unit_test(missing_content_is_named),
	};

	return cmocka_run_group_tests(tests, start, end);
}
