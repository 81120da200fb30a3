// SPDX-License-Identifier: GPL-2.0-or-later
/* Single questions to a repository, and bisect.conf. */
#include "unit/range/kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "range/conf.h"
#include "range/range.h"

static char *init_repo(const char *name)
{
	char *repo = kit_path("%s", name);

	free(kit_sh("git init -q -b main '%s'", repo));
	return repo;
}

static void must(int rc, const struct err *err)
{
	if (rc < 0)
		fail_msg("%s", err->msg);
}

static void revisions_resolve_to_full_ids(void **state)
{
	_cleanup_free_ char *repo = init_repo("resolve");
	_cleanup_free_ char *one = kit_commit(repo, "a", "1\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "a", "2\n", "two");
	char id[COMMIT_ID_SIZE];
	struct err err = { 0 };

	(void)state;
	free(kit_git(repo, "tag -a -m x v1 HEAD~1"));
	must(range_resolve(repo, "v1", id, &err), &err);
	assert_string_equal(id, one);
	must(range_resolve(repo, "HEAD", id, &err), &err);
	assert_string_equal(id, two);
	two[9] = '\0';
	must(range_resolve(repo, two, id, &err), &err);
	assert_int_equal(range_resolve(repo, "v2", id, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
}

/* As git reads it, with parents that grafts and replacements give. */
static void expect_as_git(const char *repo, const char *rev)
{
	_cleanup_free_ char *want =
		kit_git(repo, "rev-parse -q --verify '%s^{commit}' 2>/dev/null || echo none", rev);
	char id[COMMIT_ID_SIZE] = "none";
	struct err err = { 0 };

	if (range_resolve(repo, rev, id, &err) < 0 && err.kind != ERR_USAGE)
		fail_msg("%s: %s", rev, err.msg);
	if (strcmp(id, want) != 0)
		fail_msg("%s is %s, want %s", rev, id, want);
}

static void parents_of_a_revision_are_those_of_the_walk(void **state)
{
	static const char *const turns[] = {
		"",
		"~",
		"~1",
		"~2",
		"~3",
		"^",
		"^1",
		"^2",
		"^0",
		"~0",
		"^2~1",
		"~1^2",
		"^^",
		"^^2",
		"~~",
		"^3",
		"^{}~2",
		"^{}",
		"^{commit}^2",
		"^{commit}",
		"~1^{}",
		"^0~1^0",
		"^{}^{}",
		"^{/one}",
		"~x",
		"^x",
		"~1x",
		"~99999999999999999999",
		"^4294967297",
		"^{tree}~1",
		"~-1",
		"^-",
		"^@",
		"^!",
	};
	_cleanup_free_ char *repo = init_repo("turns");
	_cleanup_free_ char *root = kit_commit(repo, "a", "1\n", "one");
	_cleanup_free_ char *second = kit_commit(repo, "a", "2\n", "two");
	_cleanup_free_ char *third = kit_commit(repo, "a", "3\n", "three");
	_cleanup_free_ char *top = kit_commit(repo, "a", "4\n", "four");
	_cleanup_free_ char *plain = kit_git(repo, "rev-parse main~2");
	_cleanup_free_ char *graft = str_printf("%s %s\t%s\n", top, third, second);

	(void)state;
	free(kit_git(repo, "tag -a -m x v1"));
	free(kit_git(repo, "config advice.graftFileDeprecated false"));
	for (size_t laid = 0; laid < 3; laid++) {
		for (size_t i = 0; i < ARRAY_SIZE(turns); i++) {
			_cleanup_free_ char *branch = str_printf("main%s", turns[i]);
			_cleanup_free_ char *tag = str_printf("v1%s", turns[i]);
			_cleanup_free_ char *id = str_printf("%.20s%s", top, turns[i]);

			expect_as_git(repo, branch);
			expect_as_git(repo, tag);
			expect_as_git(repo, id);
		}
		kit_write(repo, ".git/info/grafts", graft);
		if (laid == 1)
			free(kit_git(repo, "replace --graft %s %s", third, root));
	}
	assert_string_equal(plain, second);
	free(plain);
	plain = kit_git(repo, "rev-parse main~2");
	assert_string_equal(plain, root);
}

/* How it is called, and whether something in it was changed. */
static char *look_of(const char *repo)
{
	_cleanup_free_ char *place = NULL;
	struct err err = { 0 };
	int dirty;

	must(range_discover(repo, &place, &err), &err);
	dirty = range_is_dirty(repo, NULL, 0, &err);
	must(dirty, &err);
	return str_printf("%s, %s", place, dirty ? "dirty" : "clean");
}

static void expect_parent(const char *repo, const char *want)
{
	char id[COMMIT_ID_SIZE] = "";
	struct err err = { 0 };

	must(range_resolve(repo, "HEAD~", id, &err), &err);
	if (strcmp(id, want) != 0)
		fail_msg("%s: HEAD~ is %s, want %s", repo, id, want);
}

/* Wherever .git and the work tree are: a graft gives a commit other parents, and changes nothing else. */
static void grafts_change_parents_and_no_places(void **state)
{
	static const char *const makes[] = {
		"git clone -q $r $w && echo 9 >$w/a",
		"git clone -q $r $w",
		"git clone -q --bare $r $w",
		"git clone -q --bare $r $w && git -C $w config --unset core.bare",
		"git clone -q $r $w && git -C $w config core.bare true && echo 9 >$w/a",
		"git clone -q --separate-git-dir $w.git $r $w && echo 9 >$w/a",
		"git -C $r worktree add -q -b of $w && echo 9 >$w/a",
		"git clone -q $r $w && mkdir $w.tree && git -C $w config core.worktree $w.tree",
		"git clone -q $r $w && git -C $w config core.worktree ../../there",
	};
	_cleanup_free_ char *repo = init_repo("lain-over");
	_cleanup_free_ char *one = kit_commit(repo, "a", "1\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "a", "2\n", "two");
	_cleanup_free_ char *three = kit_commit(repo, "a", "3\n", "three");
	_cleanup_free_ char *graft = str_printf("%s %s\n", three, one);

	(void)state;
	free(kit_sh("mkdir '%s/../there'", repo));
	for (size_t i = 0; i < ARRAY_SIZE(makes); i++) {
		_cleanup_free_ char *path = kit_path("lain-%zu", i);
		_cleanup_free_ char *made = kit_sh("r='%s' w='%s'; %s", repo, path, makes[i]);
		_cleanup_free_ char *git = kit_git(path, "rev-parse --absolute-git-dir");
		_cleanup_free_ char *common =
			kit_sh("cd '%s' && cd \"$(git rev-parse --git-common-dir)\" && pwd", git);
		const char *const names[] = { path, git };

		assert_non_null(made);
		for (size_t k = 0; k < ARRAY_SIZE(names); k++) {
			_cleanup_free_ char *before = look_of(names[k]);
			_cleanup_free_ char *after = NULL;

			expect_parent(names[k], two);
			kit_write(common, "info/grafts", graft);
			after = look_of(names[k]);
			assert_string_equal(after, before);
			expect_parent(names[k], one);
			free(kit_sh("rm '%s/info/grafts'", common));
		}
	}
}

/* Where a walk to it ends; -1 if there is no such walk, or it ends outside of @range. */
static long place_of(const struct range_spec *spec, const struct range *range, const char *id)
{
	_cleanup_(range_destroy_p) struct range *to = NULL;
	struct range_spec asked = *spec;
	struct err err = { 0 };

	asked.bad = id;
	asked.may_be_empty = true;
	if (range_open(&asked, &to, &err) < 0) {
		assert_int_equal(err.kind, ERR_USAGE);
		return -1;
	}
	return to->n ? range_find(range, to->commits[to->bad_node].id) : -1;
}

static void places_are_where_walks_end(void **state)
{
	enum { COMMITS = 40 };
	static const char *const paths[] = { "a/b", "a", "c", "d" };
	size_t at_itself = 0, elsewhere = 0, nowhere = 0;

	(void)state;
	for (unsigned int seed = 1; seed <= 12; seed++) {
		_cleanup_free_ char *repo = kit_random_repo(seed, COMMITS, seed % 3);
		_cleanup_free_ char *list = kit_git(repo, "rev-list --all");
		_cleanup_(range_destroy_p) struct range *r = NULL;
		_cleanup_strv_ struct strv ids = { 0 };
		const char *good[] = { "c4", "c11" };
		struct range_spec spec = { .repo = repo,
					   .good = good,
					   .n_good = 1 + seed % 2,
					   .bad = seed % 4 ? "c33" : "c39",
					   .paths = &paths[seed % 4],
					   .n_paths = 1,
					   .first_parent = seed % 5 == 0 };
		_cleanup_free_ long *places = NULL;
		struct err err = { 0 };

		if (range_open(&spec, &r, &err) < 0)
			continue;
		kit_lines(list, &ids);
		places = xcalloc(ids.n, sizeof(*places));
		must(range_places(&spec, r, (const char *const *)ids.items, ids.n, places, &err),
		     &err);
		for (size_t i = 0; i < ids.n; i++) {
			assert_int_equal(places[i], place_of(&spec, r, ids.items[i]));
			nowhere += places[i] < 0;
			at_itself += places[i] >= 0 && places[i] == range_find(r, ids.items[i]);
			elsewhere += places[i] >= 0 && places[i] != range_find(r, ids.items[i]);
		}
	}
	assert_true(at_itself > 20 && elsewhere > 20 && nowhere > 20);
}

static void subjects_are_fit_for_a_terminal(void **state)
{
	static const struct {
		const char *raw;
		const char *want;
	} table[] = {
		{ "drm/amdgpu: plain\\n\\nbody", "drm/amdgpu: plain" },
		{ "Bj\\303\\266rn", "Bj\xc3\xb6rn" },
		{ "Bj\\366rn", "Bj\xef\xbf\xbdrn" },
		{ "red \\033[31m", "red  [31m" },
		{ "overlong \\300\\257", "overlong \xef\xbf\xbd\xef\xbf\xbd" },
		{ "c1 \\302\\233x", "c1  x" },
		{ "cut \\342\\202", "cut \xef\xbf\xbd\xef\xbf\xbd" },
		{ "turned \\342\\200\\256x", "turned  x" },
		{ "letter mark \\330\\234x", "letter mark  x" },
		{ "no width \\357\\273\\277x", "no width  x" },
		{ "5 \\342\\202\\254", "5 \xe2\x82\xac" },
	};
	_cleanup_free_ char *repo = init_repo("subjects");
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		_cleanup_free_ char *id = kit_sh("cd '%s' && t=$(git mktree </dev/null) && printf "
						 "'tree %%s\\nauthor A <a@x> 1 "
						 "+0000\\ncommitter A <a@x> 1 +0000\\n\\n%s\\n' $t "
						 "| git hash-object -w -t commit --stdin",
						 repo, table[i].raw);
		_cleanup_free_ char *subject = NULL;

		must(range_subject(repo, id, &subject, &err), &err);
		assert_string_equal(subject, table[i].want);
	}
}

static void real_parents_come_in_order(void **state)
{
	_cleanup_free_ char *repo = init_repo("parents");
	_cleanup_free_ char *root = kit_commit(repo, "a", "1\n", "root");
	_cleanup_free_ char *left = kit_commit(repo, "a", "2\n", "left");
	_cleanup_free_ char *merge = NULL;
	_cleanup_free_ char *right = NULL;
	_cleanup_strv_ struct strv parents = { 0 };
	_cleanup_strv_ struct strv none = { 0 };
	struct err err = { 0 };

	(void)state;
	free(kit_git(repo, "checkout -q -b right HEAD~1"));
	right = kit_commit(repo, "b", "1\n", "right");
	free(kit_git(repo, "checkout -q main"));
	free(kit_git(repo, "merge -q --no-edit right"));
	merge = kit_git(repo, "rev-parse HEAD");
	must(range_real_parents(repo, merge, &parents, &err), &err);
	assert_int_equal(parents.n, 2);
	assert_string_equal(parents.items[0], left);
	assert_string_equal(parents.items[1], right);
	must(range_real_parents(repo, root, &none, &err), &err);
	assert_int_equal(none.n, 0);
	assert_int_equal(range_real_parents(repo, "HEAD", &none, &err), -1);
	assert_int_equal(range_is_ancestor(repo, root, merge, &err), 1);
	assert_int_equal(range_is_ancestor(repo, right, merge, &err), 1);
	assert_int_equal(range_is_ancestor(repo, merge, merge, &err), 1);
	assert_int_equal(range_is_ancestor(repo, merge, right, &err), 0);
	assert_int_equal(range_is_ancestor(repo, left, right, &err), 0);
	assert_int_equal(range_is_ancestor(repo, left, "HEAD", &err), -1);
}

/* A root that a graft, then a replacement, puts on top of another history. */
static void what_is_laid_over_the_history_counts(void **state)
{
	_cleanup_free_ char *repo = init_repo("laid");
	_cleanup_free_ char *old = kit_commit(repo, "a", "1\n", "old");
	_cleanup_free_ char *root = NULL;
	_cleanup_free_ char *tip = NULL;
	_cleanup_free_ char *graft = NULL;
	struct err err = { 0 };

	(void)state;
	free(kit_git(repo, "checkout -q --orphan new"));
	root = kit_commit(repo, "a", "2\n", "root");
	tip = kit_commit(repo, "a", "3\n", "tip");
	graft = str_printf("%s %s\n", root, old);
	assert_int_equal(range_is_ancestor(repo, old, tip, &err), 0);
	for (int replaced = 0; replaced < 2; replaced++) {
		_cleanup_strv_ struct strv parents = { 0 };

		kit_write(repo, ".git/info/grafts", replaced ? "" : graft);
		if (replaced)
			free(kit_git(repo, "replace --graft %s %s", root, old));
		assert_int_equal(range_is_ancestor(repo, old, tip, &err), 1);
		assert_int_equal(range_is_ancestor(repo, tip, old, &err), 0);
		must(range_real_parents(repo, root, &parents, &err), &err);
		assert_int_equal(parents.n, 1);
		assert_string_equal(parents.items[0], old);
	}
}

static void content_keys_follow_the_content(void **state)
{
	static const char *const drv[] = { "drv" };
	static const char *const spelt[] = { "./drv/", "drv/a.c" };
	static const char *const swapped[][2] = { { "drv", "x" }, { "x", "drv" } };
	_cleanup_free_ char *repo = init_repo("keys");
	_cleanup_free_ char *a = kit_commit(repo, "drv/a.c", "1\n", "a");
	_cleanup_free_ char *b = kit_commit(repo, "other", "1\n", "b");
	_cleanup_free_ char *c = kit_commit(repo, "drv/a.c", "2\n", "c");
	_cleanup_free_ char *d = kit_commit(repo, "drv/a.c", "1\n", "d");
	char key[6][65];
	struct err err = { 0 };

	(void)state;
	must(range_content_key(repo, a, drv, 1, key[0], &err), &err);
	must(range_content_key(repo, b, drv, 1, key[1], &err), &err);
	must(range_content_key(repo, c, drv, 1, key[2], &err), &err);
	must(range_content_key(repo, d, spelt, 2, key[3], &err), &err);
	must(range_content_key(repo, d, swapped[0], 2, key[4], &err), &err);
	must(range_content_key(repo, d, swapped[1], 2, key[5], &err), &err);
	assert_string_equal(key[0], key[1]);
	assert_string_not_equal(key[0], key[2]);
	assert_string_equal(key[0], key[3]);
	assert_string_not_equal(key[0], key[4]);
	assert_string_equal(key[4], key[5]);
	must(range_content_key(repo, a, NULL, 0, key[0], &err), &err);
	must(range_content_key(repo, b, NULL, 0, key[1], &err), &err);
	assert_string_not_equal(key[0], key[1]);
}

static void refs_are_found_by_glob(void **state)
{
	_cleanup_free_ char *repo = init_repo("refs");
	_cleanup_free_ char *one = kit_commit(repo, "a", "1\n", "one");
	_cleanup_strv_ struct strv good = { 0 };
	_cleanup_strv_ struct strv none = { 0 };
	struct err err = { 0 };

	(void)state;
	free(kit_commit(repo, "a", "2\n", "two"));
	free(kit_git(repo, "bisect start HEAD HEAD~1"));
	free(kit_git(repo, "pack-refs --all"));
	free(kit_git(repo, "tag -f bisect-blob HEAD:a"));
	must(range_refs(repo, "refs/bisect/good-*", &good, &err), &err);
	assert_int_equal(good.n, 1);
	assert_string_equal(good.items[0], one);
	must(range_refs(repo, "refs/bisect/skip-*", &none, &err), &err);
	must(range_refs(repo, "refs/tags/*", &none, &err), &err);
	assert_int_equal(none.n, 0);
}

static void repository_is_found_from_below(void **state)
{
	_cleanup_free_ char *repo = init_repo("found");
	_cleanup_free_ char *below = str_printf("%s/drivers/gpu", repo);
	_cleanup_free_ char *top = NULL;
	char id[COMMIT_ID_SIZE];
	struct err err = { 0 };

	(void)state;
	free(kit_commit(repo, "drivers/gpu/x", "1\n", "one"));
	must(range_discover(below, &top, &err), &err);
	must(range_resolve(top, "HEAD", id, &err), &err);
}

static void dirt_counts_only_in_the_paths(void **state)
{
	static const char *const drv[] = { "drv" };
	static const char *const glob[] = { "d*" };
	_cleanup_free_ char *repo = init_repo("dirty");
	_cleanup_free_ char *bare = kit_path("dirty.git");
	struct err err = { 0 };

	(void)state;
	kit_write(repo, "other", "1\n");
	free(kit_commit(repo, "drv/a.c", "1\n", "one"));
	free(kit_sh("git clone -q --bare '%s' '%s'", repo, bare));
	kit_write(repo, "drv/untracked", "1\n");
	kit_write(repo, "other", "2\n");
	assert_int_equal(range_is_dirty(repo, drv, 1, &err), 0);
	assert_int_equal(range_is_dirty(repo, NULL, 0, &err), 1);
	kit_write(repo, "drv/a.c", "22\n");
	assert_int_equal(range_is_dirty(repo, drv, 1, &err), 1);
	assert_int_equal(range_is_dirty(repo, glob, 1, &err), 0);
	free(kit_git(repo, "add drv/a.c"));
	assert_int_equal(range_is_dirty(repo, drv, 1, &err), 1);
	assert_int_equal(range_is_dirty(bare, drv, 1, &err), 0);
}

static int collect(const char *key, const char *value, void *arg, struct err *err)
{
	struct buf *b = arg;

	if (strcmp(key, "run.refused") == 0)
		return err_set(err, ERR_USAGE, "no such key: %s", key);
	buf_printf(b, "%s=%s;", key, value);
	return 0;
}

static int read_conf(const char *text, struct buf *b, struct err *err)
{
	_cleanup_free_ char *dir = kit_path("conf");
	_cleanup_free_ char *file = kit_path("conf/bisect.conf");

	kit_write(dir, "bisect.conf", text);
	return conf_read(file, collect, b, err);
}

static void conf_gives_entries_in_order(void **state)
{
	_cleanup_free_ char *home = kit_path(".");
	_cleanup_buf_ struct buf b = { 0 };
	struct err err = { 0 };

	(void)state;
	kit_write(home, ".gitconfig", "[run]\n\tleaked = yes\n");
	must(read_conf("# comment\n[Run]\n\tGood = v6.1 ; tail\n\tgood = \"a b\"\n[guest \"Big "
		       "One\"]\n\tquiet\n",
		       &b, &err),
	     &err);
	assert_string_equal(b.data, "run.good=v6.1;run.good=a b;guest.Big One.quiet=true;");
}

static void conf_errors_name_file_and_line(void **state)
{
	_cleanup_buf_ struct buf b = { 0 };
	_cleanup_free_ char *nothing = kit_path("nosuch.conf");
	_cleanup_free_ char *dir = kit_path(".");
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read_conf("[run]\n\tgood = v1\n[broken\n", &b, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.msg, "bisect.conf") || !strstr(err.msg, "3"))
		fail_msg("%s", err.msg);
	assert_int_equal(conf_read(nothing, collect, &b, &err), -1);
	assert_non_null(strstr(err.msg, "--config"));
	assert_int_equal(conf_read(dir, collect, &b, &err), -1);
	assert_int_equal(read_conf("[run]\n\trefused = 1\n", &b, &err), -1);
	assert_string_equal(err.msg, "no such key: run.refused");
}

static void a_huge_conf_is_refused_at_once(void **state)
{
	_cleanup_buf_ struct buf text = { 0 };
	_cleanup_buf_ struct buf b = { 0 };
	struct err err = { 0 };

	(void)state;
	while (text.len <= 1 << 20)
		buf_puts(&text, "[run]\n\tgood = v1\n");
	assert_int_equal(read_conf(text.data, &b, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "1 MiB"));
	assert_int_equal(b.len, 0);
}

static void conf_takes_nothing_from_included_files(void **state)
{
	_cleanup_free_ char *dir = kit_path("conf");
	_cleanup_buf_ struct buf b = { 0 };
	struct err err = { 0 };

	(void)state;
	kit_write(dir, "more.conf", "[run]\n\tleaked = yes\n");
	assert_int_equal(read_conf("[include]\n\tpath = more.conf\n", &b, &err), -1);
	assert_non_null(strstr(err.msg, "includes another file"));
	assert_null(b.data);
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
		cmocka_unit_test(revisions_resolve_to_full_ids),
		cmocka_unit_test(parents_of_a_revision_are_those_of_the_walk),
		cmocka_unit_test(grafts_change_parents_and_no_places),
		cmocka_unit_test(places_are_where_walks_end),
		cmocka_unit_test(subjects_are_fit_for_a_terminal),
		cmocka_unit_test(real_parents_come_in_order),
		cmocka_unit_test(what_is_laid_over_the_history_counts),
		cmocka_unit_test(content_keys_follow_the_content),
		cmocka_unit_test(refs_are_found_by_glob),
		cmocka_unit_test(repository_is_found_from_below),
		cmocka_unit_test(dirt_counts_only_in_the_paths),
		cmocka_unit_test(conf_gives_entries_in_order),
		cmocka_unit_test(conf_errors_name_file_and_line),
		cmocka_unit_test(a_huge_conf_is_refused_at_once),
		cmocka_unit_test(conf_takes_nothing_from_included_files),
	};

	return cmocka_run_group_tests(tests, start, end);
}
