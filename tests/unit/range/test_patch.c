// SPDX-License-Identifier: GPL-2.0-or-later
/* What commits become with patches, and what is no patch. */
#include "unit/range/kit.h"
#include "unit/range/patch_kit.h"

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
	_cleanup_(patches_destroy_p) struct patches *p = patch_kit_open(repo, text);
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
	p = patch_kit_open(repo, patch);
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
		p = patch_kit_open(repo, patch);
		have = patch_kit_tree(repo, p, one, &err);
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
		_cleanup_(patches_destroy_p) struct patches *p =
			patch_kit_open(repo, i ? two : patch);
		_cleanup_free_ char *want = kit_git(repo, "rev-parse %s^{tree}", two);
		struct err err = { 0 };
		_cleanup_free_ char *have = patch_kit_tree(repo, p, one, &err);

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
	_cleanup_(patches_destroy_p) struct patches *p = patch_kit_open(repo, fix);

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
		_cleanup_(patches_destroy_p) struct patches *p = patch_kit_open(repo, text);

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
	have = patch_kit_tree(repo, p, one, &err);
	want = kit_git(repo, "rev-parse %s^{tree}", three);
	assert_string_equal(have, want);
	assert_int_equal(patches_for(p, one, &names, &err), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.items[0], two);
	assert_string_equal(names.items[1], patch);
	assert_int_equal(patches_open(repo, wrong, 2, &q, &err), 0);
	assert_null(patch_kit_tree(repo, q, one, &err));
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
		_cleanup_(patches_destroy_p) struct patches *p = patch_kit_open(repo, name);
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
	refuse(repo, "main~2..main", "is a range; name each");
	refuse(repo, "../nowhere.patch", "is no file");
	refuse(repo, cond, "if-has: 'v9' names no commit");
	refuse(repo, half, "ends with unless-has");
	refuse(repo, "if-has v1", "names no patch");
	refuse(repo, "  ", "names no patch");
}

/* A download or a disk that ended early: only between two files can nobody tell. */
static void a_patch_that_is_cut_off_is_refused(void **state)
{
	_cleanup_free_ char *repo = init_repo("cut");
	_cleanup_free_ char *patch = kit_path("cut.patch");
	_cleanup_free_ char *text = NULL;
	unsigned int whole = 0, cuts = 0;

	(void)state;
	free(kit_sh(
		"cd '%s' && seq 30 >moved && seq 9 >edited && seq 5 >gone && seq 4 "
		">mode && git add . && git commit -qm old && git mv moved to && sed -i s/^7$/x/ "
		"to && sed -i s/^5$/y/ edited && rm gone && >fresh && chmod +x mode && seq 70 "
		"73 >made && git add -A && git commit -qm new && git diff -M HEAD~ HEAD >'%s'",
		repo, patch));
	text = kit_sh("cat '%s'", patch);
	for (const char *at = text; (at = strchr(at, '\n')); cuts++) {
		bool between = !*++at || str_starts(at, "diff --git ");
		struct diff d = { 0 };
		struct err err = { 0 };
		int rc = diff_parse(text, (size_t)(at - text), &d, &err);

		if ((rc == 0) != between)
			fail_msg("cut before '%.40s': %s", at, rc ? err.msg : "it was taken");
		whole += between;
		diff_deinit(&d);
	}
	assert_true(whole == 5 && cuts > 30);
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
	p = patch_kit_open(repo, one);
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
	p = patch_kit_open(repo, two);
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
	p = patch_kit_open(repo, fix);
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
		cmocka_unit_test(a_patch_that_is_cut_off_is_refused),
		cmocka_unit_test(a_file_counts_before_a_revision_and_a_directory_after),
		cmocka_unit_test(what_lies_outside_of_an_overlay_is_told),
		cmocka_unit_test(the_key_is_that_of_the_content),
		cmocka_unit_test(a_checkout_goes_from_patched_to_patched),
		cmocka_unit_test(nothing_is_written_to_the_repository),
		cmocka_unit_test(replaced_content_is_seen_by_all),
	};

	return cmocka_run_group_tests(tests, start, end);
}
