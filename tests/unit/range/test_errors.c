// SPDX-License-Identifier: GPL-2.0-or-later
/* Every way a range can be wrong is one line that says what to do. */
#include "unit/range/kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "range/range.h"

/* A line of three commits and a side branch; "drv/a.c" changes in each, "other" only in the first. */
struct history {
	char *repo;
	char *c[3];
	char *side;
};

static struct history make_history(const char *name)
{
	struct history h = { .repo = kit_path("%s", name) };

	free(kit_sh("git init -q -b main '%s'", h.repo));
	kit_write(h.repo, "other/x", "x\n");
	h.c[0] = kit_commit(h.repo, "drv/a.c", "0\n", "zero");
	h.c[1] = kit_commit(h.repo, "drv/a.c", "1\n", "one");
	free(kit_git(h.repo, "checkout -q -b side"));
	h.side = kit_commit(h.repo, "drv/a.c", "side\n", "side");
	free(kit_git(h.repo, "checkout -q main"));
	h.c[2] = kit_commit(h.repo, "drv/a.c", "2\n", "two");
	return h;
}

static void history_deinit(struct history *h)
{
	free(kit_sh("chmod -R u+rwX '%s'; rm -rf '%s'", h->repo, h->repo));
	for (size_t i = 0; i < 3; i++)
		free(h->c[i]);
	free(h->side);
	free(h->repo);
}

#define _cleanup_history_ __attribute__((cleanup(history_deinit)))

static int try_open(const char *repo, const char *good, const char *bad, const char *path,
		    struct err *err)
{
	struct range_spec spec = { .repo = repo, .good = &good, .n_good = 1, .bad = bad };
	struct range *r = NULL;
	int rc;

	spec.paths = &path;
	spec.n_paths = path != NULL;
	*err = (struct err){ 0 };
	rc = range_open(&spec, &r, err);
	range_destroy(r);
	return rc;
}

static void expect(const char *repo, const char *good, const char *bad, const char *path,
		   enum err_kind kind, const char *words, const char *remedy)
{
	struct err err;

	assert_int_equal(try_open(repo, good, bad, path, &err), -1);
	if (err.kind != kind || !strstr(err.msg, words) || !strstr(err.msg, remedy))
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
	assert_null(strchr(err.msg, '\n'));
}

static void ends_are_checked(void **state)
{
	_cleanup_history_ struct history h = make_history("ends");
	struct err err;

	(void)state;
	assert_int_equal(try_open(h.repo, h.c[0], h.c[2], "drv", &err), 0);
	expect(h.repo, "main", h.c[2], "drv", ERR_USAGE, "are the same commit", "name a good one");
	expect(h.repo, "main", "main~2", "drv", ERR_USAGE, "is a descendant of bad",
	       "swap the two");
	expect(h.repo, "nosuch", "main", "drv", ERR_USAGE, "'nosuch' names no commit",
	       "check the spelling");
	expect(h.repo, "main~1", "main~99", "drv", ERR_USAGE, "'main~99' names no commit",
	       "check the spelling");
	expect(h.repo, "main~1", "a..b", "drv", ERR_USAGE, "'a..b' names", "check the spelling");
	expect(h.repo, "main:drv/a.c", "main", "drv", ERR_USAGE, "names a blob, not a commit",
	       "name a commit");
	expect(h.repo, "0000000000000000000000000000000000000001", "main", "drv", ERR_USAGE,
	       "names no commit", "fetch it first");
}

static void unrelated_ends_are_told(void **state)
{
	_cleanup_history_ struct history h = make_history("unrelated");

	(void)state;
	free(kit_git(h.repo, "checkout -q --orphan island"));
	free(kit_commit(h.repo, "drv/a.c", "island\n", "island"));
	expect(h.repo, "island", "main", "drv", ERR_USAGE, "share no history", "of one history");
}

/* A graft makes a commit its own ancestor: in the range, below the good end, or beside. */
static void loops_in_grafts_are_told(void **state)
{
	static const unsigned int loops[][2] = { { 1, 2 }, { 1, 1 }, { 0, 2 }, { 2, 2 } };
	_cleanup_history_ struct history h = make_history("loop");

	(void)state;
	free(kit_git(h.repo, "config advice.graftFileDeprecated false"));
	for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
		_cleanup_free_ char *line =
			str_printf("%s %s\n", h.c[loops[i][0]], h.c[loops[i][1]]);

		kit_write(h.repo, ".git/info/grafts", line);
		expect(h.repo, h.c[0], h.c[2], "drv", ERR_USAGE, "has a loop at", "info/grafts");
		expect(h.repo, h.c[0], h.c[2], NULL, ERR_USAGE, "has a loop at", "info/grafts");
	}
}

static void absurd_trees_are_named(void **state)
{
	static const char *const heads[] = {
		"40000",    "40000 ",	"40000 drv", "zzz drv\\0", "7777777777 drv\\0",
		"0 drv\\0", "40000 \\0"
	};
	_cleanup_history_ struct history h = make_history("absurd");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		_cleanup_free_ char *tree =
			kit_sh("cd '%s'; printf '%s12345678901234567890' | git hash-object "
			       "-t tree -w --literally --stdin",
			       h.repo, heads[i]);
		_cleanup_free_ char *commit =
			kit_git(h.repo, "commit-tree -p %s -m absurd %s", h.c[2], tree);

		expect(h.repo, h.c[0], commit, "drv", ERR_HOST, tree, "malformed");
	}
}

static void ends_are_called_by_their_words(void **state)
{
	_cleanup_history_ struct history h = make_history("words");
	const char *good = h.c[2];
	struct range_spec spec = { .repo = h.repo,
				   .good = &good,
				   .n_good = 1,
				   .bad = h.c[0],
				   .old_word = "slow",
				   .new_word = "fast" };
	struct err err = { 0 };
	struct range *r = NULL;

	(void)state;
	assert_int_equal(range_open(&spec, &r, &err), -1);
	assert_non_null(strstr(err.msg, "is a descendant of fast"));
	assert_int_equal(strncmp(err.msg, "slow ", 5), 0);
}

static void paths_are_checked(void **state)
{
	_cleanup_history_ struct history h = make_history("paths");

	(void)state;
	expect(h.repo, h.c[0], "main", "other", ERR_USAGE, "both ends hold the same", "more paths");
	expect(h.repo, h.c[0], "main", "drv/nosuch", ERR_USAGE, "there is no such path",
	       "check its spelling");
	expect(h.repo, h.c[0], "main", "../drv", ERR_USAGE, "not inside",
	       "relative to the repository's root");
	expect(h.repo, h.c[0], "main", "/drv", ERR_USAGE, "not inside",
	       "relative to the repository's root");
}

static void odd_spellings_of_a_path_mean_the_same(void **state)
{
	_cleanup_history_ struct history h = make_history("spelling");
	static const char *const same[] = { "drv",	   "drv/", "./drv", "drv//a.c",
					    "./drv/./a.c", ".",	   "" };
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		if (try_open(h.repo, h.c[0], "main", same[i], &err) < 0)
			fail_msg("%s: %s", same[i], err.msg);
}

static void places_without_history_are_told(void **state)
{
	_cleanup_free_ char *empty = kit_path("empty");
	_cleanup_free_ char *plain = kit_path("plain");
	_cleanup_free_ char *nothing = kit_path("nothing");
	_cleanup_free_ char *above = NULL;
	struct err err = { 0 };

	(void)state;
	free(kit_sh("git init -q -b trunk '%s'; mkdir '%s'", empty, plain));
	expect(empty, "HEAD", "HEAD", NULL, ERR_USAGE, "has no commits yet", "name the repository");
	expect(plain, "HEAD", "HEAD", NULL, ERR_USAGE, "is not a git repository",
	       "name the work tree");
	expect(nothing, "HEAD", "HEAD", NULL, ERR_USAGE, "is not a git repository",
	       "name the work tree");
	assert_int_equal(range_discover("/", &above, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
}

static void shallow_clone_is_told(void **state)
{
	_cleanup_history_ struct history h = make_history("deep");
	_cleanup_free_ char *clone = kit_path("shallow");

	(void)state;
	free(kit_sh("git clone -q --depth 2 'file://%s' '%s' 2>&1", h.repo, clone));
	expect(clone, "HEAD~1", "HEAD", "drv", ERR_USAGE, "is a shallow clone",
	       "fetch --unshallow");
}

static void sha256_repository_is_told(void **state)
{
	_cleanup_free_ char *repo = kit_path("sha256");

	(void)state;
	free(kit_sh("git init -q --object-format=sha256 '%s'", repo));
	free(kit_commit(repo, "a", "a\n", "a"));
	free(kit_commit(repo, "a", "b\n", "b"));
	expect(repo, "HEAD~1", "HEAD", NULL, ERR_USAGE, "names its objects by sha256",
	       "use a clone with SHA-1");
}

static void sparse_and_partial_clones_are_read(void **state)
{
	_cleanup_history_ struct history h = make_history("sparse");
	struct err err;

	(void)state;
	free(kit_git(h.repo, "config core.repositoryformatversion 1"));
	free(kit_git(h.repo, "config extensions.worktreeConfig true"));
	free(kit_git(h.repo, "config extensions.partialClone origin"));
	if (try_open(h.repo, h.c[0], "main", "drv", &err) < 0)
		fail_msg("%s", err.msg);
}

static char *loose_object(const char *repo, const char *id)
{
	return str_printf("%s/.git/objects/%.2s/%s", repo, id, id + 2);
}

static void missing_objects_are_named(void **state)
{
	_cleanup_history_ struct history h = make_history("missing");
	_cleanup_free_ char *tree = kit_git(h.repo, "rev-parse main~1^{tree}");
	_cleanup_free_ char *tree_file = loose_object(h.repo, tree);
	_cleanup_free_ char *commit_file = loose_object(h.repo, h.c[1]);

	(void)state;
	assert_int_equal(unlink(tree_file), 0);
	expect(h.repo, h.c[0], "main", "drv", ERR_HOST, tree, "is missing");
	assert_int_equal(unlink(commit_file), 0);
	expect(h.repo, h.c[0], "main", "drv", ERR_HOST, h.c[1], "fetch");
}

static void damaged_objects_are_named(void **state)
{
	_cleanup_history_ struct history h = make_history("damaged");
	_cleanup_free_ char *tree = kit_git(h.repo, "rev-parse main~1^{tree}");
	_cleanup_free_ char *tree_file = loose_object(h.repo, tree);
	_cleanup_free_ char *commit_file = loose_object(h.repo, h.c[1]);
	_cleanup_free_ char *other = loose_object(h.repo, h.c[0]);

	(void)state;
	free(kit_sh("chmod u+w '%s'; printf garbage > '%s'", tree_file, tree_file));
	expect(h.repo, h.c[0], "main", "drv", ERR_HOST, tree, "git fsck");
	/* A sound object under a wrong name: only its hash tells. */
	free(kit_sh("rm -f '%s'; cp '%s' '%s'", commit_file, other, commit_file));
	expect(h.repo, h.c[0], "main", "drv", ERR_HOST, h.c[1], "git fsck");
}

static void somebody_elses_repository_is_told(void **state)
{
	_cleanup_history_ struct history h = make_history("owner");

	(void)state;
	if (geteuid() != 0)
		skip();
	free(kit_sh("chown -R 12345 '%s'", h.repo));
	expect(h.repo, h.c[0], "main", "drv", ERR_USAGE, "belongs to another user",
	       "safe.directory");
}

/* Grafts are no way around: whose the work tree is counts, and .git, and a file that leads to it. */
static void somebody_elses_grafts_are_told(void **state)
{
	_cleanup_history_ struct history h = make_history("owner-of-grafts");
	_cleanup_free_ char *home = kit_path("."); /* HOME, which is where libgit2 looks */
	char id[COMMIT_ID_SIZE];
	struct err err = { 0 };

	(void)state;
	if (geteuid() != 0)
		skip();
	free(kit_git(h.repo, "worktree add -q -b other '%s.linked'", h.repo));
	kit_write(h.repo, ".git/info/grafts", h.c[1]);
	for (size_t i = 0; i < 4; i++) {
		_cleanup_free_ char *linked = str_printf("%s.linked", h.repo);
		const char *repo = i < 2 ? h.repo : linked;
		_cleanup_free_ char *place = str_printf("%s%s", repo, i % 2 ? "/.git" : "");
		_cleanup_free_ char *trusted = str_printf("[safe]\n\tdirectory = %s\n", repo);
		_cleanup_free_ char *withdrawn = str_printf("%s\tdirectory =\n", trusted);

		free(kit_sh("chown 12345 '%s'", place));
		expect(repo, h.c[0], "main", "drv", ERR_USAGE, "belongs to another user",
		       "safe.directory");
		kit_write(home, ".gitconfig", trusted);
		if (range_resolve(repo, "main", id, &err) < 0)
			fail_msg("%s", err.msg);
		kit_write(home, ".gitconfig", withdrawn);
		expect(repo, h.c[0], "main", "drv", ERR_USAGE, "belongs to another user",
		       "safe.directory");
		free(kit_sh("rm '%s/.gitconfig'; chown 0 '%s'", home, place));
		if (range_resolve(repo, "main", id, &err) < 0)
			fail_msg("%s", err.msg);
	}
}

static void unreadable_repository_is_told(void **state)
{
	_cleanup_history_ struct history h = make_history("locked");

	(void)state;
	free(kit_sh("chmod 0 '%s'", h.repo));
	if (geteuid() == 0)
		assert_int_equal(seteuid(12345), 0);
	expect(h.repo, h.c[0], "main", "drv", ERR_USAGE, "may not be read", "run as its owner");
	if (getuid() == 0) {
		assert_int_equal(seteuid(0), 0);
		prctl(PR_SET_DUMPABLE, 1); /* which seteuid() took away, and the leak check needs */
	}
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
		cmocka_unit_test(ends_are_checked),
		cmocka_unit_test(unrelated_ends_are_told),
		cmocka_unit_test(loops_in_grafts_are_told),
		cmocka_unit_test(absurd_trees_are_named),
		cmocka_unit_test(ends_are_called_by_their_words),
		cmocka_unit_test(paths_are_checked),
		cmocka_unit_test(odd_spellings_of_a_path_mean_the_same),
		cmocka_unit_test(places_without_history_are_told),
		cmocka_unit_test(shallow_clone_is_told),
		cmocka_unit_test(sha256_repository_is_told),
		cmocka_unit_test(sparse_and_partial_clones_are_read),
		cmocka_unit_test(missing_objects_are_named),
		cmocka_unit_test(damaged_objects_are_named),
		cmocka_unit_test(somebody_elses_repository_is_told),
		cmocka_unit_test(somebody_elses_grafts_are_told),
		cmocka_unit_test(unreadable_repository_is_told),
	};

	return cmocka_run_group_tests(tests, start, end);
}
