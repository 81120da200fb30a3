// SPDX-License-Identifier: GPL-2.0-or-later
/* Reverts and picks in memory, held against what git revert and git cherry-pick leave in an index. */
#include "unit/range/kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "range/pick/followup.h"
#include "range/pick/pick.h"
#include "range/range.h"

#define FILES	 4
#define LINES	 14
#define COMMITS	 16
#define REPOS	 3
#define PER_REPO 24

static struct pick_store *open_store(const char *repo, char **dir)
{
	struct pick_store *s;
	struct err err = { 0 };

	*dir = str_printf("%s.objects", repo);
	if (pick_open(repo, *dir, &s, &err) < 0)
		fail_msg("%s", err.msg);
	return s;
}

/* One line of a file is changed, or one comes or goes: neighbours collide, others do not. */
static void change_some(const char *repo, uint64_t *seed, unsigned int k)
{
	unsigned int file = kit_rand(seed, FILES), line = 1 + kit_rand(seed, LINES);

	switch (kit_rand(seed, 8)) {
	case 0:
		free(kit_sh("cd '%s' && rm -f dir/f%u", repo, file));
		break;
	case 1:
		free(kit_sh("cd '%s' && mkdir -p dir && for i in $(seq %d); do echo file %u line "
			    "$i; done "
			    ">dir/f%u",
			    repo, LINES, file, file));
		break;
	case 2:
		free(kit_sh("cd '%s' && test ! -e dir/f%u || sed -i '%ud' dir/f%u", repo, file,
			    line, file));
		break;
	default:
		free(kit_sh("cd '%s' && test ! -e dir/f%u || sed -i '%us/.*/file %u changed %u/' "
			    "dir/f%u",
			    repo, file, line, file, k, file));
	}
	free(kit_git(repo, "add -A"));
	free(kit_git(repo, "commit -q --allow-empty -m 'commit %u'", k));
}

/* Branches of their own that are merged, with whatever a merge leaves where they collide. */
static char *random_history(uint64_t *seed, unsigned int no)
{
	char *repo = kit_path("pick-%u", no);

	free(kit_sh("git init -q -b main '%s' && cd '%s' && mkdir dir && for f in $(seq 0 %d); do "
		    "for i in "
		    "$(seq %d); do echo file $f line $i; done >dir/f$f; done && git add -A && git "
		    "commit -q -m "
		    "root && git tag c0",
		    repo, repo, FILES - 1, LINES));
	for (unsigned int k = 1; k <= COMMITS; k++) {
		if (k > 4 && kit_rand(seed, 4) == 0)
			free(kit_git(repo,
				     "merge -q --no-ff -X ours -m 'merge %u' c%u || (cd '%s' && "
				     "git add -A "
				     "&& git commit -q -m 'merge %u')",
				     k, kit_rand(seed, k), repo, k));
		else
			change_some(repo, seed, k);
		free(kit_git(repo, "tag c%u", k));
		if (kit_rand(seed, 5) == 0)
			free(kit_git(repo, "checkout -q --detach c%u", kit_rand(seed, k)));
	}
	return repo;
}

/* What git comes to: a tree's id, or the files that collide, a line each, sorted. */
static char *ask_git(const char *repo, const char *onto, const char *what, enum pick_way way,
		     unsigned int mainline, bool merge)
{
	_cleanup_free_ char *parent = merge ? str_printf("-m %u", mainline) : xstrdup("");

	return kit_sh("cd '%s' && git checkout -q -f --detach %s && git clean -fdq && "
		      "{ git %s -n %s %s >/dev/null 2>&1 || true; }; "
		      "git ls-files -u | cut -f 2 | sort -u | grep . || git write-tree; git reset "
		      "-q --hard",
		      repo, onto, way == PICK_ON ? "cherry-pick" : "revert", parent, what);
}

static char *tree_of(const char *repo, const char *dir, const char *id)
{
	return kit_sh("GIT_ALTERNATE_OBJECT_DIRECTORIES='%s' git -C '%s' rev-parse '%s^{tree}'",
		      dir, repo, id);
}

/* The same in ours; a change that is there already leaves the tree as it is. */
static char *ask_ours(struct pick_store *s, const char *repo, const char *dir, const char *onto,
		      const char *what, enum pick_way way, unsigned int mainline,
		      enum pick_end *end)
{
	_cleanup_(pick_deinit) struct pick p = { 0 };
	struct buf b = { 0 };
	struct err err = { 0 };

	if (pick_commit(s, onto, what, way, mainline, &p, &err) < 0)
		fail_msg("%s on %s: %s", what, onto, err.msg);
	*end = p.end;
	if (p.end != PICK_CONFLICT)
		return tree_of(repo, dir, p.end == PICK_MADE ? p.id : onto);
	for (size_t i = 0; i < p.files.n; i++)
		buf_printf(&b, "%s%s", i ? "\n" : "", p.files.items[i]);
	return buf_take(&b);
}

static void the_tree_or_the_collisions_are_those_of_git(void **state)
{
	unsigned int met[3] = { 0 }, merges = 0;
	uint64_t seed = 7;

	(void)state;
	for (unsigned int r = 0; r < REPOS; r++) {
		_cleanup_free_ char *repo = random_history(&seed, r);
		_cleanup_free_ char *dir = NULL;
		_cleanup_(pick_close_p) struct pick_store *s = open_store(repo, &dir);

		for (unsigned int i = 0; i < PER_REPO; i++) {
			unsigned int a = kit_rand(&seed, COMMITS + 1),
				     b = 1 + kit_rand(&seed, COMMITS);
			_cleanup_free_ char *onto = kit_git(repo, "rev-parse c%u", a);
			_cleanup_free_ char *what = kit_git(repo, "rev-parse c%u", b);
			_cleanup_free_ char *parents =
				kit_git(repo, "rev-list --no-walk --parents %s | wc -w", what);
			bool merge = atoi(parents) > 2;
			unsigned int mainline = merge ? 1 + kit_rand(&seed, 2) : 1;
			enum pick_way way = kit_rand(&seed, 2) ? PICK_ON : PICK_OFF;
			_cleanup_free_ char *want = ask_git(repo, onto, what, way, mainline, merge);
			enum pick_end end;
			_cleanup_free_ char *have =
				ask_ours(s, repo, dir, onto, what, way, mainline, &end);

			met[end]++;
			merges += merge;
			if (strcmp(have, want) != 0)
				fail_msg("%s: %s c%u on c%u, parent %u: git %s, ours %s", repo,
					 way == PICK_ON ? "pick" : "revert", b, a, mainline, want,
					 have);
		}
	}
	print_message("%u made, %u change nothing, %u collide; %u of merges\n", met[PICK_MADE],
		      met[PICK_NOTHING], met[PICK_CONFLICT], merges);
	assert_true(met[PICK_MADE] > 5 && met[PICK_NOTHING] > 5 && met[PICK_CONFLICT] > 5 &&
		    merges > 1);
}

static char *init_repo(const char *name)
{
	char *repo = kit_path("%s", name);

	free(kit_sh("git init -q -b main '%s'", repo));
	return repo;
}

static char *everything_of(const char *repo)
{
	return kit_sh("cd '%s' && find . -type f -not -name index | sort | xargs sha256sum && git "
		      "ls-files -s && "
		      "git for-each-ref",
		      repo);
}

static void nothing_of_the_repository_is_touched(void **state)
{
	_cleanup_free_ char *repo = init_repo("untouched");
	_cleanup_free_ char *one = kit_commit(repo, "a", "1\n2\n3\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "a", "1\n2\n3\n4\n", "two");
	_cleanup_free_ char *three = kit_commit(repo, "b", "x\n", "three");
	_cleanup_free_ char *before = NULL, *after = NULL, *dir = NULL, *shown = NULL;
	_cleanup_(pick_close_p) struct pick_store *s = NULL;
	_cleanup_(pick_deinit) struct pick p = { 0 }, again = { 0 };
	_cleanup_free_ char *text = NULL, *subject = NULL;
	struct err err = { 0 };

	(void)state;
	kit_write(repo, "a", "not committed\n");
	kit_write(repo, "new", "neither\n");
	before = everything_of(repo);
	s = open_store(repo, &dir);
	assert_int_equal(pick_commit(s, three, two, PICK_OFF, 1, &p, &err), 0);
	assert_int_equal(p.end, PICK_MADE);
	/* What was made reads like any other commit, here and by git. */
	assert_int_equal(range_file(repo, p.id, "a", &text, &err), 0);
	assert_string_equal(text, "1\n2\n3\n");
	assert_int_equal(range_subject(repo, p.id, &subject, &err), 0);
	assert_string_equal(subject, "Revert \"two\"");
	assert_int_equal(range_is_ancestor(repo, three, p.id, &err), 1);
	shown = kit_sh(
		"GIT_ALTERNATE_OBJECT_DIRECTORIES='%s' git -C '%s' log -1 --format='%%P %%s' %s",
		dir, repo, p.id);
	assert_true(str_starts(shown, three));
	assert_int_equal(pick_commit(s, three, two, PICK_OFF, 1, &again, &err), 0);
	assert_string_equal(again.id, p.id);
	after = everything_of(repo);
	assert_string_equal(after, before);
	(void)one;
}

static void what_was_lent_is_gone_when_the_store_is_closed(void **state)
{
	_cleanup_free_ char *repo = init_repo("lent");
	_cleanup_free_ char *one = kit_commit(repo, "a", "1\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "a", "2\n", "two");
	_cleanup_free_ char *dir = NULL, *subject = NULL;
	_cleanup_(pick_deinit) struct pick p = { 0 };
	struct pick_store *s = open_store(repo, &dir);
	struct err err = { 0 };

	(void)state;
	assert_int_equal(pick_commit(s, two, two, PICK_OFF, 1, &p, &err), 0);
	pick_close(s);
	assert_int_equal(range_subject(repo, p.id, &subject, &err), -1);
	free(take_ptr(dir));
	s = open_store(repo, &dir);
	assert_int_equal(range_subject(repo, p.id, &subject, &err), 0);
	pick_close(s);
	(void)one;
}

static void a_root_can_be_taken_away_and_a_lacking_parent_cannot(void **state)
{
	_cleanup_free_ char *repo = init_repo("roots");
	_cleanup_free_ char *one = kit_commit(repo, "a", "1\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "b", "2\n", "two");
	_cleanup_free_ char *dir = NULL, *files = NULL;
	_cleanup_(pick_close_p) struct pick_store *s = open_store(repo, &dir);
	_cleanup_(pick_deinit) struct pick p = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(pick_commit(s, two, one, PICK_OFF, 1, &p, &err), 0);
	assert_int_equal(p.end, PICK_MADE);
	files = kit_sh("GIT_ALTERNATE_OBJECT_DIRECTORIES='%s' git -C '%s' ls-tree --name-only %s",
		       dir, repo, p.id);
	assert_string_equal(files, "b");
	assert_int_equal(pick_commit(s, two, two, PICK_ON, 2, &p, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(pick_commit(s, two, two, PICK_ON, 0, &p, &err), -1);
}

static void a_patch_file_is_laid_on_and_its_misfit_named(void **state)
{
	_cleanup_free_ char *repo = init_repo("file");
	_cleanup_free_ char *one = kit_commit(repo, "dir/a", "1\n2\n3\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "dir/a", "1\nchanged\n3\n", "two");
	_cleanup_free_ char *other = kit_commit(repo, "dir/a", "quite\nanother\nthing\n", "other");
	_cleanup_free_ char *patch = kit_path("two.patch");
	_cleanup_free_ char *dir = NULL, *want = NULL, *have = NULL;
	_cleanup_(pick_close_p) struct pick_store *s = NULL;
	_cleanup_(pick_deinit) struct pick made = { 0 }, there = { 0 }, misfit = { 0 },
					   none = { 0 };
	struct err err = { 0 };

	(void)state;
	free(kit_sh("git -C '%s' format-patch -1 --stdout %s >'%s'", repo, two, patch));
	s = open_store(repo, &dir);
	assert_int_equal(pick_patch(s, one, patch, &made, &err), 0);
	assert_int_equal(made.end, PICK_MADE);
	want = kit_git(repo, "rev-parse %s^{tree}", two);
	have = tree_of(repo, dir, made.id);
	assert_string_equal(have, want);
	assert_int_equal(pick_patch(s, two, patch, &there, &err), 0);
	assert_int_equal(there.end, PICK_NOTHING);
	assert_int_equal(pick_patch(s, other, patch, &misfit, &err), 0);
	assert_int_equal(misfit.end, PICK_CONFLICT);
	assert_int_equal(misfit.files.n, 1);
	assert_string_equal(misfit.files.items[0], "dir/a");
	assert_int_equal(pick_patch(s, one, "/nowhere/at/all", &none, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
}

#define ID "c08972f55594a6b7c8d9e0f1a2b3c4d5e6f70819"

static void a_message_follows_up_what_it_names(void **state)
{
	static const struct {
		const char *message;
		enum followup_how how;
	} cases[] = {
		{ "drop the loop\n\nFixes: c08972f55594 (\"drm/amdgpu: fix it\")\n",
		  FOLLOWUP_FIXES },
		{ "drop\n\nfixes: C08972F55594A (\"x\")\n", FOLLOWUP_FIXES },
		{ "Revert \"x\"\n\nThis reverts commit " ID ".\n", FOLLOWUP_REVERTS },
		{ "Revert \"x\"\n\nThis reverts commit\n" ID ", which broke.\n", FOLLOWUP_REVERTS },
		{ "mend\n\nSince c08972f55594 (\"x\") this waits.\n", FOLLOWUP_NAMES },
		{ "mend\n\nSince commit c08972f5: this waits.\n", FOLLOWUP_NAMES },
		/* the first that says more counts */
		{ "mend\n\nSince c08972f55594 it waits.\n\nFixes: c08972f55594 (\"x\")\n",
		  FOLLOWUP_FIXES },
		/* the same change in another tree */
		{ "x\n\ncommit " ID " upstream.\n", FOLLOWUP_NOT },
		{ "x\n\n(cherry picked from commit " ID ")\n", FOLLOWUP_NOT },
		/* others, what is too short, and words that only contain it */
		{ "x\n\nFixes: c08972f55595 (\"y\")\n", FOLLOWUP_NOT },
		{ "x\n\nFixes: c08972f (\"y\")\n", FOLLOWUP_NOT },
		{ "x\n\nac08972f55594 and c08972f55594z and " ID "0\n", FOLLOWUP_NOT },
		{ "", FOLLOWUP_NOT },
	};
	static const char *const names[] = { ID };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (followup_in(cases[i].message, names, 1) != cases[i].how)
			fail_msg("%s: %d", cases[i].message,
				 (int)followup_in(cases[i].message, names, 1));
}

static void those_that_the_tip_has_follow_nothing_up(void **state)
{
	_cleanup_free_ char *repo = init_repo("followups");
	_cleanup_free_ char *culprit = kit_commit(repo, "a", "1\n", "culprit");
	_cleanup_free_ char *had = NULL, *named = NULL, *fixes = NULL, *other = NULL, *tip = NULL;
	_cleanup_free_ struct followup *f = NULL, *g = NULL;
	const char *const names[] = { culprit };
	struct err err = { 0 };
	size_t n, n_g;

	(void)state;
	free(kit_git(repo, "commit -q --allow-empty -m 'had' -m 'Fixes: %.12s (\"culprit\")'",
		     culprit));
	had = kit_git(repo, "rev-parse HEAD");
	tip = kit_commit(repo, "b", "1\n", "tip");
	free(kit_git(repo, "checkout -q -b side %s", culprit));
	free(kit_git(repo, "commit -q --allow-empty -m 'named' -m 'Since %.12s it waits.'",
		     culprit));
	named = kit_git(repo, "rev-parse HEAD");
	free(kit_git(repo, "commit -q --allow-empty -m 'fixes' -m 'Fixes: %.12s (\"culprit\")'",
		     culprit));
	fixes = kit_git(repo, "rev-parse HEAD");
	other = kit_commit(repo, "c", "1\n", "another");
	assert_int_equal(followup_find(repo, names, 1, tip, NULL, &f, &n, &err), 0);
	assert_int_equal(n, 2);
	assert_string_equal(f[0].id, fixes);
	assert_string_equal(f[1].id, named);
	assert_int_equal(followup_find(repo, names, 1, tip, "main", &g, &n_g, &err), 0);
	assert_int_equal(n_g, 0);
	assert_int_equal(followup_find(repo, names, 1, tip, "nowhere", &g, &n_g, &err), -1);
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
		cmocka_unit_test(the_tree_or_the_collisions_are_those_of_git),
		cmocka_unit_test(nothing_of_the_repository_is_touched),
		cmocka_unit_test(what_was_lent_is_gone_when_the_store_is_closed),
		cmocka_unit_test(a_root_can_be_taken_away_and_a_lacking_parent_cannot),
		cmocka_unit_test(a_patch_file_is_laid_on_and_its_misfit_named),
		cmocka_unit_test(a_message_follows_up_what_it_names),
		cmocka_unit_test(those_that_the_tip_has_follow_nothing_up),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
