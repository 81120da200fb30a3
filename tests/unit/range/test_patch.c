// SPDX-License-Identifier: GPL-2.0-or-later
/* What commits become with patches, compared with what git apply and git cherry-pick make of them. */
#include "unit/range/kit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "range/checkout/checkout.h"
#include "range/patch/diff.h"
#include "range/patch/patched.h"
#include "range/patch/spec.h"
#include "range/range.h"

static char *init_repo(const char *name)
{
	char *repo = kit_path("%s", name);

	free(kit_sh("git init -q -b main '%s'", repo));
	return repo;
}

/* Lines "1" to "n", one of them another. */
static char *numbers(unsigned int n, unsigned int line, const char *instead)
{
	struct buf b = { 0 };

	for (unsigned int i = 1; i <= n; i++)
		if (i == line)
			buf_puts(&b, instead);
		else
			buf_printf(&b, "%u\n", i);
	return buf_take(&b);
}

static struct patches *open_one(const char *repo, const char *text)
{
	struct patches *p = NULL;
	struct err err = { 0 };

	if (patches_open(repo, &text, 1, &p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

/* A root tree with patches, in hex; NULL with @err: it cannot have them. */
static char *tree_with(const char *repo, const struct patches *p, const char *id, struct err *err)
{
	_cleanup_(git_repository_free_p) git_repository *git = NULL;
	_cleanup_(git_tree_free_p) git_tree *tree = NULL;
	char hex[COMMIT_ID_SIZE];

	if (patched_open(repo, &git, err) < 0 || patched_tree(git, p, id, &tree, err) < 0)
		return NULL;
	gitlib_hex(git_tree_id(tree), hex);
	return xstrdup(hex);
}

static bool gets(const struct patches *p, const char *id)
{
	_cleanup_strv_ struct strv names = { 0 };
	struct err err = { 0 };

	if (patches_for(p, id, &names, &err) < 0)
		fail_msg("%s", err.msg);
	return names.n > 0;
}

static void expect_file(const char *repo, const char *text, const char *id, const char *path,
			const char *want)
{
	_cleanup_(patches_destroy_p) struct patches *p = open_one(repo, text);
	_cleanup_free_ char *dest = kit_path("patched");
	_cleanup_free_ char *file = str_printf("%s/%s", dest, path);
	_cleanup_free_ char *have = NULL;
	const char *const all[] = { "." };
	struct err err = { 0 };

	free(kit_sh("rm -rf '%s'", dest));
	if (checkout_sync(repo, p, NULL, id, all, 1, dest, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	if (!want) {
		assert_false(fs_exists(file));
		return;
	}
	assert_int_equal(fs_read(file, 1 << 20, &have, NULL, &err), 0);
	assert_string_equal(have, want);
}

static void a_file_is_applied_wherever_its_lines_are(void **state)
{
	_cleanup_free_ char *repo = init_repo("wander");
	_cleanup_free_ char *plain = numbers(40, 0, "");
	_cleanup_free_ char *fixed = numbers(40, 20, "fixed\n");
	_cleanup_free_ char *later = str_printf("a\nb\nc\n%s", plain);
	_cleanup_free_ char *want = str_printf("a\nb\nc\n%s", fixed);
	_cleanup_free_ char *one = kit_commit(repo, "drv/a.c", plain, "one");
	_cleanup_free_ char *two = kit_commit(repo, "drv/a.c", later, "two");
	_cleanup_free_ char *three = kit_commit(repo, "drv/a.c", want, "three");
	_cleanup_free_ char *patch = kit_path("with blanks in it.patch");
	_cleanup_(patches_destroy_p) struct patches *p = NULL;

	(void)state;
	free(kit_sh("git -C '%s' format-patch -1 --stdout %s >'%s'", repo, three, patch));
	expect_file(repo, patch, one, "drv/a.c", fixed);
	expect_file(repo, patch, two, "drv/a.c", want);
	p = open_one(repo, patch);
	assert_true(gets(p, one) && gets(p, two));
	assert_false(gets(p, three)); /* it is there already */
}

/* The same change in all the forms that people send. */
static void a_patch_may_have_any_form(void **state)
{
	static const char *const forms[] = {
		"git -C '%s' diff %s~ %s >'%s'",
		"git -C '%s' diff --no-prefix %s~ %s >'%s'",
		"git -C '%s' -c diff.mnemonicPrefix=true diff %s~ %s >'%s'",
		"git -C '%s' diff --full-index -U1 %s~ %s >'%s'",
		"git -C '%s' diff %s~ %s | sed 's/$/\\r/' >'%s'",
		"git -C '%s' diff --no-renames %s~ %s | grep -v '^index' >'%s'",
		"git -C '%s' format-patch --stdout %s~..%s >'%s'",
		"git -C '%s' show --stat -p --format=fuller %s^{} %s >'%s'",
		"cd '%s'; git archive --prefix=one/ %s~ | tar x; git archive --prefix=two/ %s | "
		"tar x;"
		" diff -urN one two >'%s'; rm -rf one two",
	};
	_cleanup_free_ char *repo = init_repo("forms");
	_cleanup_free_ char *plain = numbers(40, 0, "");
	_cleanup_free_ char *fixed = numbers(40, 20, "fixed\n");
	_cleanup_free_ char *patch = kit_path("form.patch");
	_cleanup_free_ char *one = NULL, *two = NULL;

	(void)state;
	kit_write(repo, "drv/gone.c", plain);
	kit_write(repo, "drv/sub/b c.c", plain);
	one = kit_commit(repo, "drv/a.c", plain, "one");
	free(kit_sh("rm '%s/drv/gone.c'", repo));
	kit_write(repo, "drv/new.c", "new\nfile");
	kit_write(repo, "drv/sub/b c.c", fixed);
	two = kit_commit(repo, "drv/a.c", fixed, "two");
	for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
		_cleanup_(patches_destroy_p) struct patches *p = NULL;
		_cleanup_free_ char *have = NULL, *want = NULL;
		struct err err = { 0 };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		free(kit_sh(forms[i], repo, two, two, patch));
#pragma GCC diagnostic pop
		p = open_one(repo, patch);
		have = tree_with(repo, p, one, &err);
		if (!have)
			fail_msg("form %zu: %s", i, err.msg);
		want = kit_git(repo, "rev-parse %s^{tree}", two);
		assert_string_equal(have, want);
		assert_false(gets(p, two));
	}
}

static void files_come_go_move_and_change_their_modes(void **state)
{
	_cleanup_free_ char *repo = init_repo("move");
	_cleanup_free_ char *plain = numbers(40, 0, "");
	_cleanup_free_ char *fixed = numbers(40, 20, "fixed\n");
	_cleanup_free_ char *patch = kit_path("move.patch");
	_cleanup_free_ char *one = NULL, *two = NULL, *three = NULL;

	(void)state;
	kit_write(repo, "drv/old.c", plain);
	kit_write(repo, "drv/empty", "");
	kit_write(repo, "drv/dir/only.c", "x\n");
	free(kit_sh("ln -s old.c '%s/drv/link'", repo));
	one = kit_commit(repo, "drv/run.sh", "#!/bin/sh\n", "one");
	free(kit_sh("cd '%s/drv' && git mv old.c n\303\244w.c && chmod +x run.sh && rm empty && rm "
		    "-r dir && "
		    "ln -sf run.sh link && cp run.sh copy.sh && : >fresh",
		    repo));
	kit_write(repo, "drv/dir", "a file now\n");
	two = kit_commit(repo, "drv/n\303\244w.c", fixed, "two");
	three = kit_commit(repo, "drv/more.c", "m\n", "three");
	free(kit_sh("git -C '%s' diff -M -C --find-copies-harder %s %s >'%s'", repo, one, two,
		    patch));
	for (unsigned int i = 0; i < 2; i++) {
		_cleanup_(patches_destroy_p) struct patches *p = open_one(repo, i ? two : patch);
		_cleanup_free_ char *want = kit_git(repo, "rev-parse %s^{tree}", two);
		struct err err = { 0 };
		_cleanup_free_ char *have = tree_with(repo, p, one, &err);

		if (!have)
			fail_msg("%s", err.msg);
		assert_string_equal(have, want);
		assert_false(gets(p, two));
		assert_false(gets(p, three));
	}
}

static void a_commit_is_picked_where_it_is_not(void **state)
{
	_cleanup_free_ char *repo = init_repo("pick");
	_cleanup_free_ char *plain = numbers(40, 0, "");
	_cleanup_free_ char *fixed = numbers(40, 20, "fixed\n");
	_cleanup_free_ char *longer = str_printf("%stail\n", plain);
	_cleanup_free_ char *both = str_printf("%stail\n", fixed);
	_cleanup_free_ char *one = kit_commit(repo, "drv/a.c", plain, "one");
	_cleanup_free_ char *fix = kit_commit(repo, "drv/a.c", fixed, "fix");
	_cleanup_free_ char *back = kit_commit(repo, "drv/a.c", plain, "back");
	_cleanup_free_ char *side = NULL, *again = NULL, *moved = NULL;
	_cleanup_(patches_destroy_p) struct patches *p = open_one(repo, fix);

	(void)state;
	free(kit_git(repo, "checkout -q -b side %s", one));
	side = kit_commit(repo, "drv/a.c", longer, "side");
	again = kit_commit(repo, "drv/a.c", both, "again");
	free(kit_git(repo, "checkout -q -b moved %s", side));
	free(kit_git(repo, "mv drv/a.c drv/b.c"));
	moved = kit_commit(repo, "drv/other.c", "o\n", "moved");
	expect_file(repo, fix, one, "drv/a.c", fixed);
	expect_file(repo, fix, side, "drv/a.c", both);
	expect_file(repo, fix, moved, "drv/b.c", both); /* under the name it has there */
	expect_file(repo, fix, moved, "drv/a.c", NULL);
	assert_false(gets(p, fix));
	assert_false(gets(p, back));  /* reverted, but an ancestor */
	assert_false(gets(p, again)); /* the same change in another commit */
}

static void a_merge_is_what_it_brings_to_its_first_parent(void **state)
{
	_cleanup_free_ char *repo = init_repo("merge");
	_cleanup_free_ char *one = kit_commit(repo, "drv/a.c", "a\n", "one");
	_cleanup_free_ char *side = NULL, *merge = NULL, *root = NULL;

	(void)state;
	free(kit_git(repo, "checkout -q -b side"));
	side = kit_commit(repo, "drv/side.c", "s\n", "side");
	free(kit_git(repo, "checkout -q main"));
	free(kit_commit(repo, "drv/main.c", "m\n", "main"));
	free(kit_git(repo, "merge -q --no-ff -m merge side"));
	merge = kit_git(repo, "rev-parse HEAD");
	expect_file(repo, merge, one, "drv/side.c", "s\n");
	expect_file(repo, merge, one, "drv/main.c", NULL);
	expect_file(repo, "main~", one, "drv/main.c", "m\n");
	/* A commit without a parent brings all that it holds. */
	free(kit_git(repo, "checkout -q --orphan root"));
	free(kit_git(repo, "rm -rqf ."));
	root = kit_commit(repo, "drv/root.c", "r\n", "root");
	expect_file(repo, root, side, "drv/root.c", "r\n");
}

static void conditions_say_who_gets_it(void **state)
{
	static const struct {
		const char *conditions;
		bool gets[4];
	} cases[] = {
		{ "", { true, true, true, true } },
		{ " if-has v1", { false, true, true, true } },
		{ "  unless-has\tv2 ", { true, true, false, false } },
		{ " if-has v1 unless-has v3", { false, true, true, false } },
		{ " unless-has v3 if-has v1 if-has v2", { false, false, true, false } },
		{ " if-has side", { false, false, false, false } },
	};
	_cleanup_free_ char *repo = init_repo("conditions");
	_cleanup_free_ char *patch = kit_path("new.patch");
	_cleanup_free_ char *digests[ARRAY_SIZE(cases)] = { 0 };
	char *ids[4];

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		_cleanup_free_ char *text = str_printf("%u\n", i);

		ids[i] = kit_commit(repo, "drv/a.c", text, "step");
		free(kit_git(repo, "tag v%u", i));
	}
	free(kit_git(repo, "checkout -q -b side v0"));
	free(kit_commit(repo, "drv/s.c", "s\n", "side"));
	free(kit_sh("printf -- '--- /dev/null\\n+++ b/drv/new.c\\n@@ -0,0 +1 @@\\n+n\\n' >'%s'",
		    patch));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_free_ char *text = str_printf("%s%s", patch, cases[i].conditions);
		_cleanup_(patches_destroy_p) struct patches *p = open_one(repo, text);

		for (unsigned int k = 0; k < 4; k++)
			assert_int_equal(gets(p, ids[k]), cases[i].gets[k]);
		digests[i] = xstrdup(patches_digest(p));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(digests[i], digests[k]);
	}
	for (unsigned int i = 0; i < 4; i++)
		free(ids[i]);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		free(take_ptr(digests[i]));
}

static void several_lie_on_top_of_each_other(void **state)
{
	_cleanup_free_ char *repo = init_repo("several");
	_cleanup_free_ char *one = kit_commit(repo, "drv/a.c", "a\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "drv/a.c", "b\n", "two");
	_cleanup_free_ char *three = kit_commit(repo, "drv/a.c", "c\n", "three");
	_cleanup_free_ char *patch = kit_path("to-c.patch");
	const char *right[] = { two, patch }, *wrong[] = { patch, two };
	_cleanup_(patches_destroy_p) struct patches *p = NULL, *q = NULL;
	_cleanup_strv_ struct strv names = { 0 };
	_cleanup_free_ char *have = NULL, *want = NULL;
	struct err err = { 0 };

	(void)state;
	free(kit_sh("git -C '%s' diff %s %s >'%s'", repo, two, three, patch));
	assert_int_equal(patches_open(repo, right, 2, &p, &err), 0);
	have = tree_with(repo, p, one, &err);
	want = kit_git(repo, "rev-parse %s^{tree}", three);
	assert_string_equal(have, want);
	assert_int_equal(patches_for(p, one, &names, &err), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.items[0], two);
	assert_string_equal(names.items[1], patch);
	assert_int_equal(patches_open(repo, wrong, 2, &q, &err), 0);
	assert_null(tree_with(repo, q, one, &err));
	assert_int_equal(err.kind, ERR_BUILD);
	assert_string_not_equal(patches_digest(p), patches_digest(q));
}

static void a_conflict_names_patch_commit_and_file(void **state)
{
	_cleanup_free_ char *repo = init_repo("conflict");
	_cleanup_free_ char *one = kit_commit(repo, "drv/a.c", "a\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "drv/a.c", "b\n", "two");
	_cleanup_free_ char *three = kit_commit(repo, "drv/a.c", "c\n", "three");
	_cleanup_free_ char *patch = kit_path("fix.patch");

	(void)state;
	free(kit_sh("git -C '%s' diff %s %s >'%s'", repo, two, three, patch));
	for (unsigned int i = 0; i < 2; i++) {
		const char *name = i ? three : patch;
		_cleanup_(patches_destroy_p) struct patches *p = open_one(repo, name);
		_cleanup_free_ char *start =
			str_printf("%s does not apply to %.12s: drv/a.c", name, one);

		/* the second time from memory */
		for (unsigned int k = 0; k < 2; k++) {
			_cleanup_strv_ struct strv names = { 0 };
			struct err err = { 0 };

			assert_int_equal(patches_for(p, one, &names, &err), -1);
			assert_int_equal(err.kind, ERR_BUILD);
			if (!str_starts(err.msg, start))
				fail_msg("'%s' does not begin with '%s'", err.msg, start);
		}
	}
}

static void refuse(const char *repo, const char *text, const char *words)
{
	struct patches *p = NULL;
	struct err err = { 0 };

	assert_int_equal(patches_open(repo, &text, 1, &p, &err), -1);
	if (err.kind != ERR_USAGE || !strstr(err.msg, words) || !str_starts(err.msg, "--apply"))
		fail_msg("'%s' instead of '%s'", err.msg, words);
}

static void what_is_no_patch_is_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} files[] = {
		{ "nothing here\n", "there is no diff" },
		{ "", "there is no diff" },
		{ "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n-b\n",
		  "middle of a hunk" },
		{ "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n a\nb\n",
		  "line 6 does not" },
		{ "--- a/../../etc/x\n+++ b/../../etc/x\n@@ -1 +1 @@\n-a\n+b\n",
		  "leaves the tree" },
		{ "--- a/.git/config\n+++ b/.git/config\n@@ -1 +1 @@\n-a\n+b\n",
		  "leaves the tree" },
		{ "--- /etc/passwd\n+++ /etc/passwd\n@@ -1 +1 @@\n-a\n+b\n", "leaves the tree" },
		{ "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n", "binary" },
		{ "diff --git a/x b/x\nindex 1..2\nGIT binary patch\nliteral 3\nKcmZ\n", "binary" },
		{ "Binary files a/x and b/x differ\n", "binary" },
		{ "diff --git a/s b/s\nindex 1..2 160000\n--- a/s\n+++ b/s\n@@ -1 +1 @@\n-x\n+y\n",
		  "submodule" },
		{ "From: me\nContent-Transfer-Encoding: base64\n\nZGlmZg==\n", "line 2" },
		{ "prose\n@@ -1 +1 @@\n-a\n+b\n", "without the name" },
		{ "diff --git a/x b/y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "two names" },
	};
	_cleanup_free_ char *repo = init_repo("refused");
	_cleanup_free_ char *patch = kit_path("refused.patch");
	_cleanup_free_ char *dir = kit_path("refused.d");
	_cleanup_free_ char *cond = str_printf("%s if-has v9", patch);
	_cleanup_free_ char *half = str_printf("%s unless-has", patch);
	struct err err = { 0 };

	(void)state;
	free(kit_commit(repo, "x", "a\n", "one"));
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		assert_int_equal(fs_write(patch, files[i].text, strlen(files[i].text), &err), 0);
		refuse(repo, patch, files[i].words);
	}
	assert_int_equal(fs_write(patch, "", 0, &err), 0);
	free(kit_sh("truncate -s 17M '%s'", patch));
	refuse(repo, patch, patch);
	free(kit_sh("rm '%s'; mkfifo '%s'; mkdir '%s'", patch, patch, dir));
	refuse(repo, patch, "is no file");
	free(kit_sh("rm '%s'; printf -- '--- a/x\\n+++ b/x\\n@@ -1 +1 @@\\n-a\\n+b\\n' >'%s'",
		    patch, patch));
	refuse(repo, "nowhere.patch", "is no file, and 'nowhere.patch' names no commit");
	refuse(repo, dir, "is a directory, and");
	refuse(repo, cond, "if-has: 'v9' names no commit");
	refuse(repo, half, "ends with unless-has");
	refuse(repo, "if-has v1", "names no patch");
	refuse(repo, "  ", "names no patch");
}

static void a_file_counts_before_a_revision_and_a_directory_after(void **state)
{
	_cleanup_free_ char *repo = init_repo("both");
	_cleanup_free_ char *one = kit_commit(repo, "drv/a.c", "a\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "drv/a.c", "b\n", "two");
	_cleanup_free_ char *cwd = kit_path("both-cwd");
	_cleanup_free_ char *here = getcwd(NULL, 0);

	(void)state;
	free(kit_git(repo, "tag same"));
	free(kit_sh("mkdir -p '%s/same'", cwd));
	assert_int_equal(chdir(cwd), 0);
	expect_file(repo, "same", one, "drv/a.c", "b\n");
	free(kit_sh("cd '%s' && rmdir same && git -C '%s' diff %s %s | sed s/^+b/+file/ >same", cwd,
		    repo, one, two));
	expect_file(repo, "same", one, "drv/a.c", "file\n");
	assert_int_equal(chdir(here), 0);
}

static void what_lies_outside_of_an_overlay_is_told(void **state)
{
	static const char *const narrow[] = { "drv" }, *const wide[] = { "drv/", "./inc/h.h" };
	static const char *const whole[] = { "." };
	_cleanup_free_ char *repo = init_repo("outside");
	_cleanup_free_ char *one = NULL;
	_cleanup_(patches_destroy_p) struct patches *p = NULL;
	struct err err = { 0 };

	(void)state;
	kit_write(repo, "inc/h.h", "h\n");
	one = kit_commit(repo, "drv/a.c", "a\n", "one");
	p = open_one(repo, one);
	assert_int_equal(patches_check_paths(p, narrow, 1, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "changes inc/h.h"));
	assert_non_null(strstr(err.msg, "--path inc/h.h, or --tree whole"));
	assert_int_equal(patches_check_paths(p, wide, 2, &err), 0);
	assert_int_equal(patches_check_paths(p, whole, 1, &err), 0);
	assert_int_equal(patches_check_paths(p, NULL, 0, &err), 0);
	assert_int_equal(patches_check_paths(NULL, narrow, 1, &err), 0);
}

static void the_key_is_that_of_the_content(void **state)
{
	static const char *const drv[] = { "drv" }, *const other[] = { "other", "drv/a.c" };
	_cleanup_free_ char *repo = init_repo("key");
	_cleanup_free_ char *one = NULL, *two = NULL;
	_cleanup_(patches_destroy_p) struct patches *p = NULL;
	struct err err = { 0 };
	char want[65], have[65];

	(void)state;
	kit_write(repo, "other/o.c", "o\n");
	one = kit_commit(repo, "drv/a.c", "a\n", "one");
	two = kit_commit(repo, "drv/a.c", "b\n", "two");
	p = open_one(repo, two);
	/* with its patch, the one is what the other is without */
	assert_int_equal(range_content_key(repo, two, drv, 1, want, &err), 0);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(
			patches_content_key(repo, p, i % 2 ? two : one, drv, 1, have, &err), 0);
		assert_string_equal(have, want);
	}
	assert_int_equal(patches_content_key(repo, NULL, one, drv, 1, have, &err), 0);
	assert_string_not_equal(have, want);
	assert_int_equal(range_content_key(repo, two, other, 2, want, &err), 0);
	assert_int_equal(patches_content_key(repo, p, one, other, 2, have, &err), 0);
	assert_string_equal(have, want);
	assert_int_equal(range_content_key(repo, two, NULL, 0, want, &err), 0);
	assert_int_equal(patches_content_key(repo, p, one, NULL, 0, have, &err), 0);
	assert_string_equal(have, want);
}

/* From one patched commit to the next, and only what differs. */
static void a_checkout_goes_from_patched_to_patched(void **state)
{
	static const char *const drv[] = { "drv" };
	_cleanup_free_ char *repo = init_repo("walk");
	_cleanup_free_ char *dest = kit_path("walk-dest");
	_cleanup_free_ char *want = kit_path("walk-want");
	_cleanup_free_ char *one = NULL, *two = NULL, *fix = NULL;
	_cleanup_(patches_destroy_p) struct patches *p = NULL;
	struct checkout_stats stats;
	struct err err = { 0 };

	(void)state;
	kit_write(repo, "drv/b.c", "broken\n");
	one = kit_commit(repo, "drv/a.c", "a\n", "one");
	two = kit_commit(repo, "drv/a.c", "b\n", "two");
	fix = kit_commit(repo, "drv/b.c", "mended\n", "fix");
	p = open_one(repo, fix);
	assert_int_equal(checkout_sync(repo, p, NULL, one, drv, 1, dest, &stats, &err), 0);
	assert_int_equal(stats.written, 2);
	assert_int_equal(checkout_sync(repo, p, one, two, drv, 1, dest, &stats, &err), 0);
	assert_int_equal(stats.written, 1); /* b.c is mended in both */
	assert_int_equal(checkout_sync(repo, p, two, fix, drv, 1, dest, &stats, &err), 0);
	assert_int_equal(stats.written, 0);
	free(kit_sh("mkdir '%s' && git -C '%s' archive %s drv | tar x -C '%s' && diff -r '%s' '%s'",
		    want, repo, fix, want, want, dest));
}

static char *sums(const char *dir)
{
	return kit_sh("cd '%s' && find . -printf '%%p %%m %%T@ %%y\\n' | sort; find . -type f "
		      "-print0 | sort "
		      "-z | xargs -0 sha256sum",
		      dir);
}

static void nothing_is_written_to_the_repository(void **state)
{
	static const char *const all[] = { "." };
	_cleanup_free_ char *origin = init_repo("readonly");
	_cleanup_free_ char *bare = kit_path("bare.git");
	_cleanup_free_ char *patch = kit_path("ro.patch");
	_cleanup_free_ char *dest = kit_path("ro-dest");
	_cleanup_free_ char *one = kit_commit(origin, "drv/a.c", "a\n", "one");
	_cleanup_free_ char *two = kit_commit(origin, "drv/a.c", "b\n", "two");

	(void)state;
	free(kit_sh("git -C '%s' diff %s %s | sed s/^+b/+c/ >'%s'", origin, one, two, patch));
	free(kit_sh("git clone -q --bare '%s' '%s' && git -C '%s' repack -adq", origin, bare,
		    bare));
	for (unsigned int i = 0; i < 4; i++) {
		const char *repo = i % 2 ? bare : origin;
		const char *texts[] = { patch, two };
		_cleanup_free_ char *before = NULL, *after = NULL;
		_cleanup_(patches_destroy_p) struct patches *p = NULL;
		struct err err = { 0 };
		char key[65];

		if (i == 2)
			free(kit_sh("chmod -R a-w '%s' '%s'", origin, bare));
		before = sums(repo);
		free(kit_sh("rm -rf '%s'", dest));
		/* Both give a blob and trees that the repository has as well: they are not freshened. */
		assert_int_equal(patches_open(repo, texts + i / 2, 1, &p, &err), 0);
		assert_int_equal(patches_content_key(repo, p, one, all, 1, key, &err), 0);
		if (checkout_sync(repo, p, NULL, one, all, 1, dest, NULL, &err) < 0)
			fail_msg("%s", err.msg);
		after = sums(repo);
		assert_string_equal(before, after);
	}
	free(kit_sh("chmod -R u+w '%s' '%s'", origin, bare));
}

/* What git replace lays over the history counts alike for keys, files, the checkout and patches. */
static void replaced_content_is_seen_by_all(void **state)
{
	static const char *const drv[] = { "drv" };
	_cleanup_free_ char *repo = init_repo("replaced");
	_cleanup_free_ char *dest = kit_path("replaced-dest");
	_cleanup_free_ char *one = kit_commit(repo, "drv/a.c", "a\n", "one");
	_cleanup_free_ char *two = kit_commit(repo, "drv/a.c", "b\n", "two");
	_cleanup_free_ char *blob = kit_git(repo, "rev-parse %s:drv/a.c", one);
	_cleanup_free_ char *file = NULL, *text = NULL;
	struct err err = { 0 };
	char plain[65], by_commit[65], by_blob[65], wanted[65];

	(void)state;
	assert_int_equal(range_content_key(repo, one, drv, 1, plain, &err), 0);
	assert_int_equal(range_content_key(repo, two, drv, 1, wanted, &err), 0);
	free(kit_git(repo, "replace %s %s", one, two));
	assert_int_equal(range_content_key(repo, one, drv, 1, by_commit, &err), 0);
	assert_string_equal(by_commit, wanted);
	expect_file(repo, two, one, "drv/a.c", "b\n");
	free(kit_git(repo, "replace -d %s", one));
	free(kit_git(repo, "replace %s %s:drv/a.c", blob, two));
	assert_int_equal(range_content_key(repo, one, drv, 1, by_blob, &err), 0);
	assert_string_not_equal(by_blob, plain);
	assert_int_equal(range_file(repo, one, "drv/a.c", &file, &err), 0);
	assert_string_equal(file, "b\n");
	assert_int_equal(checkout_sync(repo, NULL, NULL, one, drv, 1, dest, NULL, &err), 0);
	text = kit_sh("cat '%s/drv/a.c'", dest);
	assert_string_equal(text, "b");
	setenv("GIT_NO_REPLACE_OBJECTS", "1", 1);
	assert_int_equal(range_content_key(repo, one, drv, 1, by_blob, &err), 0);
	unsetenv("GIT_NO_REPLACE_OBJECTS");
	assert_string_equal(by_blob, plain);
}

/* Few different lines, so that context is found in many places. */
static void random_text(uint64_t *seed, struct buf *b)
{
	for (unsigned int i = 0, n = 5 + kit_rand(seed, 30); i < n; i++)
		buf_printf(b, "%c\n", 'a' + (char)kit_rand(seed, 9));
	if (kit_rand(seed, 6) == 0 && b->len)
		b->data[--b->len] = '\0';
}

static void change_text(uint64_t *seed, const char *path)
{
	static const char *const ways[] = {
		"sed -i '%ud' '%s'",	   "sed -i '%uiX' '%s'", "sed -i '%us/.*/Y/' '%s'",
		"sed -i '%us/.*/a/' '%s'", "sed -i '%uib' '%s'", "sed -i '%uac' '%s'",
	};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	free(kit_sh(ways[kit_rand(seed, ARRAY_SIZE(ways))], 1 + kit_rand(seed, 30), path));
#pragma GCC diagnostic pop
}

#define HISTORY 12

static void random_step(uint64_t *seed, const char *repo, unsigned int k)
{
	_cleanup_free_ char *path = str_printf("%s/drv/f%u.c", repo, kit_rand(seed, 4));
	_cleanup_buf_ struct buf text = { 0 };
	unsigned int way = k < 4 ? 0 : kit_rand(seed, 12);

	if (k < 4) {
		free(path);
		path = str_printf("%s/drv/f%u.c", repo, k);
	}
	if (!fs_exists(path) || way == 0) {
		random_text(seed, &text);
		kit_write(repo, path + strlen(repo) + 1, text.data);
	} else if (way == 1) {
		free(kit_sh("rm '%s'", path));
	} else if (way == 2) {
		free(kit_sh("mv -f '%s' '%s/drv/f%u.c' 2>&1 || true", path, repo,
			    kit_rand(seed, 6)));
	} else if (way == 3) {
		free(kit_sh("chmod +x '%s'", path));
	} else {
		for (unsigned int i = 0, n = 1 + kit_rand(seed, 3); i < n; i++)
			change_text(seed, path);
	}
}

static void random_history(uint64_t *seed, const char *repo)
{
	free(kit_sh("rm -rf '%s'; git init -q -b main '%s'; mkdir '%s/drv'", repo, repo, repo));
	for (unsigned int k = 0; k < HISTORY; k++) {
		random_step(seed, repo, k);
		free(kit_sh(
			"cd '%s' && git add -A && git commit -q --allow-empty -m %u && git tag c%u",
			repo, k, k));
	}
}

struct tally {
	unsigned int same, refused, stricter;
	unsigned int there;  /* git refuses it, or it would take it and change nothing */
	unsigned int nearer; /* git takes it elsewhere, though it is there already */
};

/* Ours against git's tree; "" if git refuses. @there: git could also take the patch away */
static void compare(const char *repo, const char *text, const char *target, const char *git_tree,
		    bool there, bool may_be_stricter, struct tally *t)
{
	_cleanup_(patches_destroy_p) struct patches *p = NULL;
	_cleanup_free_ char *id = kit_git(repo, "rev-parse %s", target);
	_cleanup_free_ char *plain = kit_git(repo, "rev-parse %s^{tree}", target);
	_cleanup_free_ char *have = NULL;
	struct err err = { 0 };

	p = open_one(repo, text);
	have = tree_with(repo, p, id, &err);
	if (!have)
		assert_int_equal(err.kind, ERR_BUILD);
	if (have && strcmp(have, git_tree) == 0)
		t->same++;
	else if (have && strcmp(have, plain) == 0 && there)
		*(*git_tree ? &t->nearer : &t->there) += 1;
	else if (!have && !*git_tree)
		t->refused++;
	else if (!have && may_be_stricter)
		t->stricter++;
	else
		fail_msg("%s onto %s in %s: git has '%s', here it is '%s' (%s)", text, target, repo,
			 git_tree, have ? have : "", err.msg);
}

static void random_patches_end_as_git_applies_them(void **state)
{
	static const char *const options[] = { "",	 "-M",	      "-U1", "--no-prefix",
					       "-U5 -M", "--patience" };
	_cleanup_free_ char *repo = kit_path("properties");
	_cleanup_free_ char *patch = kit_path("property.patch");
	struct tally t = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= 25; seed++) {
		uint64_t r = seed;

		random_history(&r, repo);
		for (unsigned int i = 0; i < 8; i++) {
			unsigned int to = 5 + kit_rand(&r, HISTORY - 5);
			unsigned int target =
				kit_rand(&r, 4) ? 3 + kit_rand(&r, to - 3) : HISTORY - 1;
			unsigned int from = kit_rand(&r, 3) ? to - 1 : 3;
			const char *option = options[kit_rand(&r, ARRAY_SIZE(options))];
			int strip = strcmp(option, "--no-prefix") != 0;
			_cleanup_free_ char *name = str_printf("c%u", target);
			_cleanup_free_ char *want = NULL, *back = NULL;

			back = kit_sh("cd '%s' && git diff %s c%u c%u >'%s' && head -c 4 '%s'",
				      repo, option, from, to, patch, patch);
			if (!*back)
				continue;
			free(back);
			free(kit_sh(
				"cd '%s' && export GIT_INDEX_FILE=.git/other && for way in '' -R; "
				"do "
				"git read-tree %s && git apply $way -p%d --cached '%s' 2>/dev/null "
				"&& "
				"git write-tree; echo; done | sed '/./{N;s/\\n$//}' >'%s/../trees'",
				repo, name, strip, patch, repo));
			want = kit_sh("sed -n 1p '%s/../trees'", repo);
			back = kit_sh("sed -n 2p '%s/../trees'", repo);
			compare(repo, patch, name, want, *back, strstr(option, "-M"), &t);
		}
	}
	print_message("apply: %u the same, %u refused by both, %u there already, %u taken twice by "
		      "git, %u stricter\n",
		      t.same, t.refused, t.there, t.nearer, t.stricter);
	assert_true(t.same >= 60 && t.refused >= 20 && t.nearer <= 10 && t.stricter <= 2);
}

static void random_picks_end_as_git_picks_them(void **state)
{
	_cleanup_free_ char *repo = kit_path("picks");
	struct tally t = { 0 };

	(void)state;
	for (uint64_t seed = 101; seed <= 125; seed++) {
		uint64_t r = seed;

		random_history(&r, repo);
		for (unsigned int i = 0; i < 8; i++) {
			unsigned int target = 3 + kit_rand(&r, HISTORY - 4);
			unsigned int pick = target + 1 + kit_rand(&r, HISTORY - target - 1);
			_cleanup_free_ char *name = str_printf("c%u", target);
			_cleanup_free_ char *rev = str_printf("c%u", pick);
			_cleanup_free_ char *want =
				kit_sh("cd '%s' && git reset -q --hard && git checkout -q c%u && { "
				       "git cherry-pick "
				       "-n c%u >/dev/null 2>&1 && git write-tree || true; }; git "
				       "reset -q --hard",
				       repo, target, pick);

			compare(repo, rev, name, want, false, true, &t);
		}
	}
	print_message("pick: %u the same, %u refused by both, %u stricter\n", t.same, t.refused,
		      t.stricter);
	assert_true(t.same >= 60 && t.refused >= 20 && t.stricter <= 10);
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
		cmocka_unit_test(a_file_is_applied_wherever_its_lines_are),
		cmocka_unit_test(a_patch_may_have_any_form),
		cmocka_unit_test(files_come_go_move_and_change_their_modes),
		cmocka_unit_test(a_commit_is_picked_where_it_is_not),
		cmocka_unit_test(a_merge_is_what_it_brings_to_its_first_parent),
		cmocka_unit_test(conditions_say_who_gets_it),
		cmocka_unit_test(several_lie_on_top_of_each_other),
		cmocka_unit_test(a_conflict_names_patch_commit_and_file),
		cmocka_unit_test(what_is_no_patch_is_refused),
		cmocka_unit_test(a_file_counts_before_a_revision_and_a_directory_after),
		cmocka_unit_test(what_lies_outside_of_an_overlay_is_told),
		cmocka_unit_test(the_key_is_that_of_the_content),
		cmocka_unit_test(a_checkout_goes_from_patched_to_patched),
		cmocka_unit_test(nothing_is_written_to_the_repository),
		cmocka_unit_test(replaced_content_is_seen_by_all),
		cmocka_unit_test(random_patches_end_as_git_applies_them),
		cmocka_unit_test(random_picks_end_as_git_picks_them),
	};

	return cmocka_run_group_tests(tests, start, end);
}
