// SPDX-License-Identifier: GPL-2.0-or-later
/* What commits change, and which are the same change: held against the git program. */
#include "unit/range/kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "range/change/change.h"
#include "range/change/extent.h"
#include "range/change/trailers.h"
#include "range/range.h"

#define ID  "0123456789abcdef0123456789abcdef01234567"
#define ID2 "fedcba9876543210fedcba9876543210fedcba98"

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

/* @n lines that no other file has: "NAME 1", "NAME 2"... */
static char *lines_of(const char *name, unsigned int n)
{
	struct buf b = { 0 };

	for (unsigned int i = 1; i <= n; i++)
		buf_printf(&b, "%s %u\n", name, i);
	return buf_take(&b);
}

static void messages_name_other_commits(void **state)
{
	static const struct {
		const char *message;
		enum same_how how;
		const char *id;
	} table[] = {
		/* the stable trees */
		{ "s\n\ncommit " ID " upstream.\n\nbody\n", SAME_UPSTREAM, ID },
		{ "s\n\n[ Upstream commit " ID " ]\n\nbody\n", SAME_UPSTREAM, ID },
		{ "s\n\n[Upstream commit " ID "]\n", SAME_UPSTREAM, ID },
		{ "s\n\nUpstream commit " ID ".\n", SAME_UPSTREAM, ID },
		{ "s\n\nupstream commit 0123456789ab upstream.\n", SAME_NOT, "" },
		{ "s\n\n(commit " ID " upstream)\n", SAME_UPSTREAM, ID },
		{ "s\n\n[ commit " ID " upstream ]\n", SAME_UPSTREAM, ID },
		{ "s\n\ncommit 0123456789AB (\"drm: x\") upstream\n", SAME_UPSTREAM,
		  "0123456789ab" },
		/* SUSE, CentOS, openEuler */
		{ "s\n\nPatch-mainline: v5.9\nGit-commit: " ID "\n", SAME_UPSTREAM, ID },
		{ "s\n\nJIRA: https://x/RHEL-1\n\ncommit " ID "\nAuthor: A <a@x>\n", SAME_UPSTREAM,
		  ID },
		{ "s\n\nmainline inclusion\nfrom mainline-v5.9\ncommit " ID "\ncategory: bugfix\n",
		  SAME_UPSTREAM, ID },
		/* picks: the last one counts, and an upstream before all of them */
		{ "s\n\n(cherry picked from commit " ID ")\n", SAME_PICK, ID },
		{ "s\n\n(cherry picked from commit " ID2 ")\n(cherry picked from commit " ID ")\n",
		  SAME_PICK, ID },
		{ "s\n\ncommit " ID " upstream.\n\n(cherry picked from commit " ID2 ")\n",
		  SAME_UPSTREAM, ID },
		{ "s\n\n    (cherry-picked from commit " ID ")\n", SAME_PICK, ID },
		{ "s\n\n(cherry picked from commit " ID " linux-next)\n", SAME_PICK, ID },
		{ "s\n\n(cherry picked from " ID " git://x/y.git)\n", SAME_PICK, ID },
		{ "s\n\n(backported from commit " ID ")\n[x: context]\n", SAME_PICK, ID },
		{ "s\n\n(backported from upstream commit " ID ")\r\n", SAME_PICK, ID },
		/* words about another commit */
		{ "s\n\nThis reverts commit " ID ".\n", SAME_NOT, "" },
		{ "s\n\nThis reverts commit " ID2 " which is\ncommit " ID " upstream.\n", SAME_NOT,
		  "" },
		{ "s\n\nThis reverts commit " ID2 " which is commit " ID " upstream.\n", SAME_NOT,
		  "" },
		{ "s\n\nThis was mended by\nupstream commit " ID ".\n", SAME_NOT, "" },
		{ "s\n\nIn commit:\n\ncommit " ID "\nAuthor: A <a@x>\n", SAME_NOT, "" },
		{ "s\n\nFixes: " ID " (\"x\")\n", SAME_NOT, "" },
		{ "s\n\ncherry picked from commit " ID " but different\n", SAME_NOT, "" },
		/* ids that are none */
		{ "s\n\n(cherry picked from commit 0123456789a)\n", SAME_NOT, "" },
		{ "s\n\n(cherry picked from commit " ID "0)\n", SAME_NOT, "" },
		{ "s\n\n(cherry picked from commit " ID "g)\n", SAME_NOT, "" },
		{ "s\n\n(cherry picked from commit ", SAME_NOT, "" },
		{ "", SAME_NOT, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		char id[COMMIT_ID_SIZE] = "unset";
		enum same_how how = trailers_parse(table[i].message, strlen(table[i].message), id);

		if (how != table[i].how || strcmp(id, table[i].id) != 0)
			fail_msg("%s: %s '%s'", table[i].message, same_how_name(how), id);
	}
}

static void compare_patch_ids(const char *repo, struct strv *commits, unsigned int *named)
{
	for (size_t i = 0; i < commits->n; i++) {
		const char *id = commits->items[i];
		_cleanup_free_ char *want = kit_git(repo,
						    "diff-tree -p %s | git patch-id --stable | "
						    "cut -d' ' -f1",
						    id);
		_cleanup_free_ char *parents = kit_git(repo, "show -s --format=%%P %s", id);
		struct identity is = { 0 };
		struct err err = { 0 };

		must(identity_of(repo, id, &is, &err), &err);
		if (strlen(parents) != 40) /* a root or a merge */
			*want = '\0';
		if (strcmp(is.patch_id, want) != 0)
			fail_msg("%s: '%s', git says '%s'", id, is.patch_id, want);
		*named += *want != '\0';
		identity_deinit(&is);
	}
}

static void patch_ids_equal_gits_on_random_histories(void **state)
{
	_cleanup_free_ char *repo = kit_random_repo(7, 60, DATES_FORWARD);
	_cleanup_free_ char *all = kit_git(repo, "rev-list c59");
	_cleanup_strv_ struct strv commits = { 0 };
	unsigned int named = 0;

	(void)state;
	kit_lines(all, &commits);
	compare_patch_ids(repo, &commits, &named);
	assert_true(named > 10);
}

/* All that a diff's header can hold, and hunks that begin where git's heuristic puts them. */
static void patch_ids_equal_gits_whatever_changes(void **state)
{
	_cleanup_free_ char *repo = init_repo("patch-id");
	_cleanup_free_ char *more = lines_of("long", 60);
	_cleanup_free_ char *all = NULL;
	_cleanup_strv_ struct strv commits = { 0 };
	unsigned int named = 0;

	(void)state;
	free(kit_commit(repo, "a", "int f(void)\n{\n\treturn 1;\n}\n", "root"));
	free(kit_commit(repo, "a",
			"int f(void)\n{\n\treturn 1;\n}\n\nint g(void)\n{\n\treturn 1;\n}\n",
			"two bodies alike"));
	free(kit_commit(repo, "sub dir/c", "/*\n * a\n */\nint a;\n", "a comment"));
	free(kit_commit(repo, "sub dir/c", "/*\n * b\n */\nint b;\n/*\n * a\n */\nint a;\n",
			"one more, which could as well begin a line further down"));
	free(kit_commit(repo, "sub dir/na\"me", "x\n", "a name to be quoted"));
	free(kit_commit(repo, "long", more, "long"));
	free(kit_sh("cd '%s' && chmod +x a && git commit -qam mode", repo));
	free(kit_sh("cd '%s' && sed -i 's/long 3$/changed/; s/long 50/changed\\r/' long && git "
		    "commit -qam hunks",
		    repo));
	free(kit_sh("cd '%s' && git mv long moved && sed -i 's/long 9/x/' moved && git commit -qam "
		    "rename",
		    repo));
	free(kit_sh("cd '%s' && printf no-newline >eof && git add eof && git commit -qm eof",
		    repo));
	free(kit_sh("cd '%s' && printf still-none >eof && git commit -qam eof2", repo));
	free(kit_sh("cd '%s' && ln -s a link && git add link && git commit -qm link", repo));
	free(kit_sh("cd '%s' && git rm -q a && git commit -qm gone", repo));
	free(kit_sh("cd '%s' && git commit -q --allow-empty -m nothing", repo));
	all = kit_git(repo, "rev-list HEAD");
	kit_lines(all, &commits);
	compare_patch_ids(repo, &commits, &named);
	assert_int_equal(named, 12);
}

/* Here libgit2 hashes other lines of the header than git does; it still tells changes apart. */
static void empty_files_give_a_patch_id_of_their_own(void **state)
{
	_cleanup_free_ char *repo = init_repo("empty");
	_cleanup_free_ char *root = kit_commit(repo, "a", "1\n", "root");
	_cleanup_free_ char *one = kit_commit(repo, "empty", "", "one");
	_cleanup_free_ char *other = kit_commit(repo, "other", "", "other");
	_cleanup_free_ char *again = NULL;
	struct identity i[3] = { 0 };
	struct err err = { 0 };

	(void)state;
	free(kit_git(repo, "checkout -q -b side %s", root));
	again = kit_commit(repo, "empty", "", "again");
	must(identity_of(repo, one, &i[0], &err), &err);
	must(identity_of(repo, other, &i[1], &err), &err);
	must(identity_of(repo, again, &i[2], &err), &err);
	assert_int_equal(identity_same(&i[0], &i[2]), SAME_PATCH);
	assert_int_equal(identity_same(&i[0], &i[1]), SAME_NOT);
	for (size_t k = 0; k < ARRAY_SIZE(i); k++)
		identity_deinit(&i[k]);
}

static void binary_changes_have_no_patch_id(void **state)
{
	_cleanup_free_ char *repo = init_repo("binary");
	_cleanup_free_ char *id = NULL;
	struct identity is = { 0 };
	struct err err = { 0 };

	(void)state;
	free(kit_commit(repo, "a", "1\n", "root"));
	free(kit_sh("cd '%s' && printf 'a\\0b' >fw.bin && git add fw.bin && git commit -qm fw",
		    repo));
	id = kit_git(repo, "rev-parse HEAD");
	must(identity_of(repo, id, &is, &err), &err);
	assert_string_equal(is.patch_id, "");
	assert_string_equal(is.subject, "fw");
	identity_deinit(&is);
	assert_int_equal(identity_of(repo, "HEAD", &is, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(identity_of(repo, ID, &is, &err), -1);
	assert_non_null(strstr(err.msg, ID));
}

static void identities_meet_by_name_or_by_patch(void **state)
{
	struct identity a = { .id = ID, .patch_id = ID2 };
	struct identity b = { .id = "aa", .upstream = "0123456789ab", .how = SAME_UPSTREAM };
	struct identity c = { .id = "cc", .upstream = ID, .how = SAME_PICK };
	struct identity d = { .id = "dd", .patch_id = ID2 };
	struct identity e = { .id = "ee" };

	(void)state;
	assert_int_equal(identity_same(&a, &a), SAME_COMMIT);
	assert_int_equal(identity_same(&a, &b), SAME_UPSTREAM);
	assert_int_equal(identity_same(&b, &a), SAME_UPSTREAM);
	assert_int_equal(identity_same(&c, &a), SAME_PICK);
	assert_int_equal(identity_same(&b, &c), SAME_PICK);
	assert_int_equal(identity_same(&c, &b), SAME_PICK);
	assert_int_equal(identity_same(&a, &d), SAME_PATCH);
	assert_int_equal(identity_same(&b, &d), SAME_NOT);
	assert_int_equal(identity_same(&e, &d), SAME_NOT);
	assert_string_equal(same_how_name(SAME_UPSTREAM), "upstream");
	assert_string_equal(same_how_name((enum same_how)99), "unknown");
}

static void expect_found(const char *repo, const char *what, const char *old, const char *new,
			 const char *want, enum same_how want_how)
{
	struct identity is = { 0 };
	char found[COMMIT_ID_SIZE];
	enum same_how how;
	struct err err = { 0 };

	must(identity_of(repo, what, &is, &err), &err);
	must(identity_find(repo, old, new, &is, found, &how, &err), &err);
	identity_deinit(&is);
	if (strcmp(found, want) != 0 || how != want_how)
		fail_msg("'%s' by %s, want '%s' by %s", found, same_how_name(how), want,
			 same_how_name(want_how));
}

/* main: root, other, fix, fix2, late; stable, from root on: what each test adds. */
static char *two_branches(const char *name, char **fix, char **fix2)
{
	_cleanup_free_ char *text = lines_of("a", 40);
	_cleanup_free_ char *fixed = lines_of("a", 41);
	_cleanup_free_ char *fixed2 = lines_of("a", 42);
	char *repo = init_repo(name);

	free(kit_commit(repo, "drv/a.c", text, "root"));
	free(kit_git(repo, "branch stable"));
	free(kit_commit(repo, "drv/b.c", "other\n", "other"));
	*fix = kit_commit(repo, "drv/a.c", fixed, "drv: fix");
	*fix2 = kit_commit(repo, "drv/a.c", fixed2, "drv: fix more");
	free(kit_commit(repo, "late", "late\n", "late"));
	free(kit_git(repo, "checkout -q stable"));
	return repo;
}

static void picked_changes_are_found_in_both_directions(void **state)
{
	_cleanup_free_ char *fix = NULL;
	_cleanup_free_ char *fix2 = NULL;
	_cleanup_free_ char *repo = two_branches("picked", &fix, &fix2);
	_cleanup_free_ char *pick = NULL;
	_cleanup_free_ char *stable = NULL;

	(void)state;
	free(kit_git(repo, "cherry-pick -x %s", fix));
	pick = kit_git(repo, "rev-parse HEAD");
	/* another content and another subject, but it says what it is */
	kit_write(repo, "drv/a.c", "backported\n");
	free(kit_git(repo, "commit -qam 'mine\n\ncommit %.13s upstream.\n'", fix2));
	stable = kit_git(repo, "rev-parse HEAD");
	expect_found(repo, pick, "main~4", "main", fix, SAME_PICK);
	expect_found(repo, fix, "main~4", "stable", pick, SAME_PICK);
	expect_found(repo, stable, "main~4", "main", fix2, SAME_UPSTREAM);
	expect_found(repo, fix2, "main~4", "stable", stable, SAME_UPSTREAM);
	expect_found(repo, fix, "main~4", "main", fix, SAME_COMMIT);
	expect_found(repo, fix, fix, "main", "", SAME_NOT);
}

/* A pick is older, two with a stable tree's words are surer; of these the older one counts. */
static void of_several_the_surest_and_oldest_is_found(void **state)
{
	static const char *const words[] = { "(cherry picked from commit %s)",
					     "commit %s upstream.", "commit %s upstream." };
	_cleanup_free_ char *fix = NULL;
	_cleanup_free_ char *fix2 = NULL;
	_cleanup_free_ char *repo = two_branches("several", &fix, &fix2);
	_cleanup_free_ char *want = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		_cleanup_free_ char *named = kit_sh("printf '%s' %s", words[i], fix);
		_cleanup_free_ char *text = str_printf("%zu\n", i);

		kit_write(repo, "drv/a.c", text);
		free(kit_git(repo, "commit -qam 'number %zu\n\n%s\n'", i, named));
	}
	want = kit_git(repo, "rev-parse HEAD~1");
	expect_found(repo, fix, "main~4", "stable", want, SAME_UPSTREAM);
}

static void unnamed_changes_are_found_by_their_patch(void **state)
{
	_cleanup_free_ char *fix = NULL;
	_cleanup_free_ char *fix2 = NULL;
	_cleanup_free_ char *repo = two_branches("patch", &fix, &fix2);
	_cleanup_free_ char *same_subject = NULL;
	_cleanup_free_ char *renamed = NULL;

	(void)state;
	free(kit_commit(repo, "drv/a.c", "a 0\n", "drv: fix more")); /* the subject only */
	free(kit_git(repo, "revert --no-edit HEAD"));
	free(kit_git(repo, "cherry-pick %s", fix));
	same_subject = kit_git(repo, "rev-parse HEAD");
	free(kit_git(repo, "cherry-pick %s", fix2));
	free(kit_git(repo, "commit -q --amend -m 'another subject'"));
	renamed = kit_git(repo, "rev-parse HEAD");
	expect_found(repo, fix, "main~4", "stable", same_subject, SAME_PATCH);
	expect_found(repo, fix2, "main~4", "stable", renamed, SAME_PATCH);
	expect_found(repo, renamed, "main~4", "main", fix2, SAME_PATCH);
}

/* No commit of the range touches the files: an answer, not an error. */
static void change_that_the_other_tree_lacks_is_not_found(void **state)
{
	_cleanup_free_ char *fix = NULL;
	_cleanup_free_ char *fix2 = NULL;
	_cleanup_free_ char *repo = two_branches("lacks", &fix, &fix2);

	(void)state;
	free(kit_commit(repo, "unrelated", "1\n", "unrelated"));
	expect_found(repo, fix, "main~4", "stable", "", SAME_NOT);
	free(kit_commit(repo, "drv/a.c", "1\n", "drv: fix"));
	expect_found(repo, fix, "main~4", "stable", "", SAME_NOT);
}

static void change_is_found_under_another_name_of_its_file(void **state)
{
	_cleanup_free_ char *fix = NULL;
	_cleanup_free_ char *fix2 = NULL;
	_cleanup_free_ char *repo = two_branches("renamed", &fix, &fix2);
	_cleanup_free_ char *pick = NULL;

	(void)state;
	free(kit_git(repo, "mv drv/a.c drv/z.c"));
	free(kit_git(repo, "commit -qm move"));
	free(kit_git(repo, "tag moved"));
	free(kit_git(repo, "cherry-pick -x %s", fix));
	pick = kit_git(repo, "rev-parse HEAD");
	expect_found(repo, fix, "moved", "stable", pick, SAME_PICK);
}

static void expect_followed(const char *repo, const char *old, const char *new,
			    const char *const *paths, const char *want)
{
	struct range_spec spec = {
		.repo = repo, .good = &old, .n_good = 1, .bad = new, .paths = paths
	};
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_buf_ struct buf is = { 0 };
	struct err err = { 0 };

	while (paths[spec.n_paths])
		spec.n_paths++;
	must(change_follow(&spec, &names, &err), &err);
	for (size_t i = 0; i < names.n; i++)
		buf_printf(&is, "%s%s", i ? " " : "", names.items[i]);
	assert_string_equal(is.data, want);
}

/* mn.c becomes hmm.c becomes gpu/hmm.c, each with a change. */
static char *moving_repo(const char *name)
{
	_cleanup_free_ char *text = lines_of("hmm", 50);
	_cleanup_free_ char *other = lines_of("other", 50);
	char *repo = init_repo(name);

	kit_write(repo, "other.c", other);
	kit_write(repo, "drv/x.c", other);
	free(kit_commit(repo, "mn.c", text, "root"));
	free(kit_commit(repo, "late", "1\n", "late"));
	free(kit_sh("cd '%s' && git mv mn.c hmm.c && sed -i 's/hmm 7/x/' hmm.c && git rm -q "
		    "other.c && git commit -qam 'first move'",
		    repo));
	free(kit_sh("cd '%s' && echo more >>hmm.c && git commit -qam between", repo));
	free(kit_sh("cd '%s' && mkdir gpu && git mv hmm.c gpu && echo fresh >fresh.c && git add . "
		    "&& git commit -qam 'second move'",
		    repo));
	free(kit_sh("cd '%s' && echo last >>gpu/hmm.c && git commit -qam last", repo));
	return repo;
}

static void files_are_followed_both_ways_to_the_end(void **state)
{
	_cleanup_free_ char *repo = moving_repo("moving");

	(void)state;
	expect_followed(repo, "main~5", "main", (const char *[]){ "gpu/hmm.c", NULL },
			"gpu/hmm.c hmm.c mn.c");
	expect_followed(repo, "main~5", "main", (const char *[]){ "mn.c", NULL },
			"mn.c hmm.c gpu/hmm.c");
	expect_followed(repo, "main~5", "main", (const char *[]){ "./hmm.c", "drv/", NULL },
			"drv hmm.c mn.c gpu/hmm.c");
	/* outside of the range nothing is looked at, and a directory is no file */
	expect_followed(repo, "main~2", "main", (const char *[]){ "gpu/hmm.c", NULL },
			"gpu/hmm.c hmm.c");
	expect_followed(repo, "main~5", "main", (const char *[]){ "gpu", NULL }, "gpu");
	expect_followed(repo, "main~5", "main", (const char *[]){ "fresh.c", NULL }, "fresh.c");
	expect_followed(repo, "main~5", "main", (const char *[]){ "never", NULL }, "never");
}

static void followed_range_equals_gits(void **state)
{
	_cleanup_free_ char *repo = moving_repo("moving-range");
	const char *old = "main~5";
	const char *paths[] = { "gpu/hmm.c" };
	struct range_spec spec = {
		.repo = repo, .good = &old, .n_good = 1, .bad = "main", .paths = paths, .n_paths = 1
	};
	_cleanup_free_ char *want =
		kit_git(repo, "rev-list --reverse main~5..main -- gpu/hmm.c hmm.c mn.c");
	_cleanup_(range_destroy_p) struct range *range = NULL;
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_strv_ struct strv ids = { 0 };
	struct err err = { 0 };

	(void)state;
	must(change_follow(&spec, &names, &err), &err);
	spec.paths = (const char *const *)names.items;
	spec.n_paths = names.n;
	must(range_open(&spec, &range, &err), &err);
	kit_lines(want, &ids);
	assert_int_equal(range->n, 4);
	assert_int_equal(ids.n, 4);
	for (size_t i = 0; i < ids.n; i++)
		assert_string_equal(range->commits[i].id, ids.items[i]);
}

/* 1500 files vanish where one appears: the one with the same name is found, and in good time. */
static void crowded_commits_are_searched_near_by(void **state)
{
	_cleanup_free_ char *repo = init_repo("crowd");
	_cleanup_free_ char *text = lines_of("hmm", 50);

	(void)state;
	free(kit_sh("cd '%s' && mkdir old new && for i in $(seq 1500); do echo \"$i is a file of "
		    "its own $i\" >old/$i.c; done",
		    repo));
	kit_write(repo, "old/exact.c", "exact\n");
	free(kit_commit(repo, "old/hmm.c", text, "root"));
	free(kit_sh("cd '%s' && git mv old/hmm.c new && sed -i 's/hmm 7/x/' new/hmm.c && git mv "
		    "old/exact.c new/other.c && git rm -q 'old/*' && git add new && git commit -qm "
		    "crowd",
		    repo));
	expect_followed(repo, "main~1", "main", (const char *[]){ "new/hmm.c", NULL },
			"new/hmm.c old/hmm.c");
	expect_followed(repo, "main~1", "main", (const char *[]){ "new/other.c", NULL },
			"new/other.c old/exact.c");
}

static struct range *open_range(const char *repo, const char *old, const char *new)
{
	const struct range_spec spec = { .repo = repo, .good = &old, .n_good = 1, .bad = new };
	struct range *range;
	struct err err = { 0 };

	must(range_open(&spec, &range, &err), &err);
	return range;
}

/* Held against git's diff to each parent. */
static void touching_equals_gits_diff_to_any_parent(void **state)
{
	static const char *const files[] = { "c/z", "a/b/y", "none" };

	(void)state;
	for (unsigned int seed = 1; seed <= 4; seed++) {
		_cleanup_free_ char *repo = kit_random_repo(100 + seed, 80, DATES_ANY);
		_cleanup_(range_destroy_p) struct range *range = open_range(repo, "c0", "c79");
		_cleanup_free_ bool *is = xcalloc(range->n, sizeof(*is));
		_cleanup_free_ char *want = NULL;
		_cleanup_strv_ struct strv names = { 0 };
		struct err err = { 0 };
		size_t touching = 0;

		for (size_t i = 0; i < ARRAY_SIZE(files); i++)
			strv_add(&names, files[i]);
		must(change_touches(repo, range, &names, is, &err), &err);
		want = kit_git(repo,
			       "rev-list c79 | git -C '%s' diff-tree -m -r --root --stdin "
			       "--pretty=format:%%H --name-only -- c/z a/b/y | grep -E "
			       "'^[0-9a-f]{40}'",
			       repo);
		for (size_t i = 0; i < range->n; i++) {
			bool wanted = strstr(want, range->commits[i].id) != NULL;

			if (is[i] != wanted)
				fail_msg("seed %u: %s is %d", seed, range->commits[i].id, is[i]);
			touching += wanted;
		}
		assert_true(touching > 5 && touching < range->n);
	}
}

static void a_mode_alone_touches_a_file(void **state)
{
	_cleanup_free_ char *repo = init_repo("mode");
	_cleanup_(range_destroy_p) struct range *range = NULL;
	_cleanup_strv_ struct strv names = { 0 };
	struct err err = { 0 };
	bool is[2] = { false };

	(void)state;
	free(kit_commit(repo, "a", "1\n", "root"));
	free(kit_commit(repo, "b", "1\n", "another"));
	free(kit_sh("cd '%s' && chmod +x a && git commit -qam mode", repo));
	range = open_range(repo, "main~2", "main");
	strv_add(&names, "a");
	must(change_touches(repo, range, &names, is, &err), &err);
	assert_int_equal(range->n, 2);
	assert_true(!is[0] && is[1]);
}

static void what_builds_the_files_touches_them(void **state)
{
	static const struct {
		const char *file;
		bool touches;
	} table[] = {
		{ "drv/amd/amdgpu/unit.c", true },
		{ "drv/amd/amdgpu/other.c", false },
		{ "drv/amd/amdgpu/Makefile", true },
		{ "drv/amd/kfd/Kbuild", true },
		{ "drv/amd/kfd/deep/x.mk", true },
		{ "drv/amd/kfd/x.c", false },
		{ "drv/Kconfig", true },
		{ "drv/net/Makefile", false },
		{ "include/Kbuild", true },
		{ "include/linux/hmm.h", true },
		{ "include/linux/mm.h", false },
		{ "include/net/Makefile", false },
		{ "drv/amd/kfd/hmm.h", true },	/* may hide it */
		{ "drv/amd/kfd/hmm.h", false }, /* if it did, it would be among the files */
		{ "Makefile", true },
		{ "drv/amd/amdgpu/unit.c.orig", false },
	};
	_cleanup_free_ char *repo = init_repo("makefiles");
	_cleanup_(range_destroy_p) struct range *range = NULL;
	_cleanup_strv_ struct strv names = { 0 };
	bool is[ARRAY_SIZE(table)];
	struct err err = { 0 };

	(void)state;
	free(kit_commit(repo, "root", "1\n", "root"));
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		free(kit_commit(repo, table[i].file, i % 2 ? "1\n" : "2\n", "x"));
	range = open_range(repo, "main~16", "main");
	assert_int_equal(range->n, ARRAY_SIZE(table));
	strv_add(&names, "include/linux/hmm.h");
	strv_add(&names, "drv/amd/amdgpu/unit.c");
	must(change_touches(repo, range, &names, is, &err), &err);
	for (size_t i = 0; i < range->n; i++)
		if (is[i] != table[i].touches)
			fail_msg("%s: %d", table[i].file, is[i]);
	must(change_touches_only(repo, range, &names, is, &err), &err);
	for (size_t i = 0; i < range->n; i++)
		if (is[i] != (strcmp(table[i].file, names.items[0]) == 0 ||
			      strcmp(table[i].file, names.items[1]) == 0))
			fail_msg("%s alone: %d", table[i].file, is[i]);
}

static void definitions_are_found_in_text(void **state)
{
	static const char text[] = "int f(int a);\n"	  /* 1: a declaration */
				   "static int g(void)\n" /* 2 */
				   "{\n"
				   "\tif (f(1)) {\n"
				   "\t\treturn f(2);\n"
				   "\t}\n"
				   "out:\n"
				   "\treturn ff(3);\n"
				   "}\n" /* 9 */
				   "#ifdef X\n"
				   "static struct x *\n" /* 11 */
				   "f(int a,\n"
				   "  int b)\n"
				   "{\n"
				   "}\n" /* 15 */
				   "#else\n"
				   "static inline int f(int a) { return 0; }\n" /* 17 */
				   "#endif\n"
				   "int x = f(1);\n"
				   "int f";
	static const struct {
		const char *name;
		size_t n;
		struct extent at[2];
	} table[] = {
		{ "f", 2, { { 11, 15 }, { 17, 17 } } },
		{ "g", 1, { { 2, 9 } } },
		{ "ff", 0, { { 0, 0 } } },
		{ "", 0, { { 0, 0 } } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		struct extents e = { 0 };

		extents_add(&e, text, strlen(text), table[i].name);
		assert_int_equal(e.n, table[i].n);
		for (size_t k = 0; k < e.n; k++) {
			assert_int_equal(e.items[k].first, table[i].at[k].first);
			assert_int_equal(e.items[k].last, table[i].at[k].last);
		}
		extents_deinit(&e);
	}
}

static void functions_are_met_by_the_lines_inside(void **state)
{
	static const struct {
		const char *edit; /* of a.c, with sed */
		bool changes;
	} table[] = {
		{ "s/f 2/f two/", true },	  /* a line inside */
		{ "s/g 2/g two/", false },	  /* of the next function */
		{ "1i /* above */", false },	  /* pushes the function down */
		{ "/f two/d", true },		  /* takes a line away */
		{ "/f 3/a \\\\tadded();", true }, /* adds one at its end */
		{ "s/int f(/long f(/", true },	  /* the line with its name */
		{ "s/^#define M 1/#define M 2/", false },
	};
	_cleanup_free_ char *repo = init_repo("functions");
	_cleanup_(range_destroy_p) struct range *range = NULL;
	_cleanup_strv_ struct strv names = { 0 };
	const char *elsewhere[] = { "drv" };
	bool is[ARRAY_SIZE(table) + 2];
	struct err err = { 0 };

	(void)state;
	free(kit_commit(repo, "a.c",
			"#define M 1\nint f(int a)\n{\n\tf 1;\n\tf 2;\n\tf 3;\n}\n\nint g(int a)\n"
			"{\n\tg 1;\n\tg 2;\n}\n",
			"root"));
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		free(kit_sh("cd '%s' && sed -i '%s' a.c && git commit -qam x && git diff HEAD~1 "
			    "--quiet; test $? = 1",
			    repo, table[i].edit));
	free(kit_commit(repo, "f.txt", "int f(int a)\n{\n}\n", "no C"));
	free(kit_git(repo, "rm -q a.c"));
	free(kit_git(repo, "commit -qm gone"));
	range = open_range(repo, "main~9", "main");
	strv_add(&names, "f");
	must(change_functions(repo, range, &names, NULL, 0, is, &err), &err);
	for (size_t i = 0; i < ARRAY_SIZE(table); i++)
		if (is[i] != table[i].changes)
			fail_msg("%s: %d", table[i].edit, is[i]);
	assert_false(is[ARRAY_SIZE(table)]);
	assert_true(is[ARRAY_SIZE(table) + 1]);
	must(change_functions(repo, range, &names, elsewhere, 1, is, &err), &err);
	for (size_t i = 0; i < range->n; i++)
		assert_false(is[i]);
}

/* Trees are all there, and so is what they tell; what only contents tell is not known. */
static void partial_clones_are_told_what_can_be_told(void **state)
{
	_cleanup_free_ char *full = moving_repo("full");
	_cleanup_free_ char *repo = kit_path("partial");
	_cleanup_free_ char *between = kit_git(full, "rev-parse main~2");
	_cleanup_(range_destroy_p) struct range *range = NULL;
	_cleanup_strv_ struct strv names = { 0 };
	bool is[8] = { false };
	struct identity i = { 0 };
	struct err err = { 0 };

	(void)state;
	free(kit_git(full, "config uploadpack.allowFilter true"));
	free(kit_sh("git clone -q --bare --filter=blob:none 'file://%s' '%s' 2>&1", full, repo));
	range = open_range(repo, "main~5", "main");
	strv_add(&names, "gpu/hmm.c");
	must(change_touches(repo, range, &names, is, &err), &err);
	assert_false(is[range->n - 3]);
	assert_true(is[range->n - 2] && is[range->n - 1]);
	must(change_functions(repo, range, &names, NULL, 0, is, &err), &err);
	assert_false(is[range->n - 1]);
	must(identity_of(repo, between, &i, &err), &err);
	assert_string_equal(i.patch_id, "");
	assert_string_equal(i.subject, "between");
	identity_deinit(&i);
	expect_followed(repo, "main~5", "main", (const char *[]){ "gpu/hmm.c", NULL },
			"gpu/hmm.c hmm.c");
	expect_followed(repo, "main~5", "main", (const char *[]){ "mn.c", NULL }, "mn.c");
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
		cmocka_unit_test(messages_name_other_commits),
		cmocka_unit_test(patch_ids_equal_gits_on_random_histories),
		cmocka_unit_test(patch_ids_equal_gits_whatever_changes),
		cmocka_unit_test(empty_files_give_a_patch_id_of_their_own),
		cmocka_unit_test(binary_changes_have_no_patch_id),
		cmocka_unit_test(identities_meet_by_name_or_by_patch),
		cmocka_unit_test(picked_changes_are_found_in_both_directions),
		cmocka_unit_test(of_several_the_surest_and_oldest_is_found),
		cmocka_unit_test(unnamed_changes_are_found_by_their_patch),
		cmocka_unit_test(change_that_the_other_tree_lacks_is_not_found),
		cmocka_unit_test(change_is_found_under_another_name_of_its_file),
		cmocka_unit_test(files_are_followed_both_ways_to_the_end),
		cmocka_unit_test(followed_range_equals_gits),
		cmocka_unit_test(crowded_commits_are_searched_near_by),
		cmocka_unit_test(touching_equals_gits_diff_to_any_parent),
		cmocka_unit_test(a_mode_alone_touches_a_file),
		cmocka_unit_test(what_builds_the_files_touches_them),
		cmocka_unit_test(definitions_are_found_in_text),
		cmocka_unit_test(functions_are_met_by_the_lines_inside),
		cmocka_unit_test(partial_clones_are_told_what_can_be_told),
	};

	return cmocka_run_group_tests(tests, start, end);
}
