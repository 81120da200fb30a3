// SPDX-License-Identifier: GPL-2.0-or-later
/* Sets of patches as rows of the table, out of a repository made by git. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "controller/validate/sets.h"
#include "unit/range/kit.h"

struct world {
	char *repo, *base, *one, *two, *objects, *dir;
	struct pick_store *picks;
};

static void world_deinit(struct world *w)
{
	pick_close(w->picks);
	free(w->repo);
	free(w->base);
	free(w->one);
	free(w->two);
	free(w->objects);
	free(w->dir);
}

/* A base, and two commits behind it, as patches in a directory too. */
static struct world world_of(const char *name)
{
	struct world w = { .repo = kit_path("%s", name) };
	struct err err;

	free(kit_sh("git init -q -b main '%s'", w.repo));
	w.base = kit_commit(w.repo, "a", "1\n2\n3\n4\n5\n6\n7\n8\n", "base");
	w.one = kit_commit(w.repo, "a", "one\n2\n3\n4\n5\n6\n7\n8\n", "one");
	w.two = kit_commit(w.repo, "a", "one\n2\n3\n4\n5\n6\n7\ntwo\n", "two");
	w.dir = kit_path("%s.patches", name);
	free(kit_git(w.repo, "format-patch -q -o '%s' %s..main", w.dir, w.base));
	w.objects = kit_path("%s.objects", name);
	if (pick_open(w.repo, w.objects, &w.picks, &err) < 0)
		fail_msg("%s", err.msg);
	return w;
}

static int lay(const struct world *w, const char *set, bool each, struct build_rows *ret,
	       struct err *err)
{
	return sets_lay(w->picks, w->repo, w->base, &set, 1, each, ret, err);
}

static char *tree_of(const struct world *w, const char *id)
{
	return kit_sh("GIT_ALTERNATE_OBJECT_DIRECTORIES='%s' git -C '%s' rev-parse '%s^{tree}'",
		      w->objects, w->repo, id);
}

static void a_directory_is_its_patches_in_order(void **state)
{
	_cleanup_(world_deinit) struct world w = world_of("order");
	_cleanup_(build_rows_deinit) struct build_rows all = { 0 }, each = { 0 };
	_cleanup_free_ char *have = NULL, *want = tree_of(&w, w.two);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(lay(&w, w.dir, false, &all, &err), 0);
	assert_int_equal(all.n, 2);
	assert_string_equal(all.items[0].id, w.base);
	have = tree_of(&w, all.items[1].id);
	assert_string_equal(have, want);
	/* One by one: the last row is the whole set. */
	assert_int_equal(lay(&w, w.dir, true, &each, &err), 0);
	assert_int_equal(each.n, 3);
	assert_string_equal(each.items[2].id, all.items[1].id);
	assert_memory_equal(each.items[1].name, "1 of 2, ", strlen("1 of 2, "));
}

static void commits_and_files_go_together(void **state)
{
	_cleanup_(world_deinit) struct world w = world_of("mixed");
	_cleanup_(build_rows_deinit) struct build_rows r = { 0 };
	_cleanup_free_ char *set = str_printf("%s,%s/0002-two.patch", w.one, w.dir);
	_cleanup_free_ char *have = NULL, *want = tree_of(&w, w.two);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(lay(&w, set, false, &r, &err), 0);
	have = tree_of(&w, r.items[1].id);
	assert_string_equal(have, want);
	assert_int_equal(r.items[1].v.state, BUILD_MEASURED);
}

static void what_does_not_apply_ends_its_set_with_the_file(void **state)
{
	_cleanup_(world_deinit) struct world w = world_of("misfit");
	_cleanup_(build_rows_deinit) struct build_rows r = { 0 }, same = { 0 };
	_cleanup_free_ char *other = kit_commit(w.repo, "a", "x\ny\nz\n", "other");
	_cleanup_free_ char *last = kit_commit(w.repo, "a", "x\nQ\nz\n", "last");
	_cleanup_free_ char *set = str_printf("%s,%s", last, w.one);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(lay(&w, set, true, &r, &err), 0);
	assert_int_equal(r.n, 2);
	assert_int_equal(r.items[1].v.state, BUILD_COLLIDES);
	assert_non_null(strstr(r.items[1].why, "does not apply: a"));
	assert_int_equal(lay(&w, w.base, false, &same, &err), 0);
	assert_int_equal(same.items[1].v.state, BUILD_UNCHANGED);
	(void)other;
}

static void what_names_no_patch_is_refused(void **state)
{
	_cleanup_(world_deinit) struct world w = world_of("refused");
	_cleanup_(build_rows_deinit) struct build_rows r = { 0 };
	_cleanup_free_ char *merge = NULL;
	struct err err = { 0 };

	(void)state;
	free(kit_git(w.repo, "checkout -q -b side %s", w.base));
	free(kit_commit(w.repo, "b", "1\n", "side"));
	free(kit_git(w.repo, "merge -q -m merge main"));
	merge = kit_git(w.repo, "rev-parse HEAD");
	assert_int_equal(lay(&w, merge, false, &r, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(lay(&w, "nowhere", false, &r, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(lay(&w, ",", false, &r, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(lay(&w, w.objects, false, &r, &err), -1); /* no patches in it */
	assert_int_equal(err.kind, ERR_USAGE);
}

static int setup(void **state)
{
	(void)state;
	kit_start();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	kit_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_directory_is_its_patches_in_order),
		cmocka_unit_test(commits_and_files_go_together),
		cmocka_unit_test(what_does_not_apply_ends_its_set_with_the_file),
		cmocka_unit_test(what_names_no_patch_is_refused),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
