// SPDX-License-Identifier: GPL-2.0-or-later
/* Random patches and picks over random histories, compared with what git apply and git cherry-pick make of them. */
#include "unit/range/kit.h"
#include "unit/range/patch_kit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "range/range.h"

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

	p = patch_kit_open(repo, text);
	have = patch_kit_tree(repo, p, id, &err);
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
	unsigned int n = kit_rounds(9);
	struct tally t = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= n; seed++) {
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
	assert_true(t.same >= 2 * n && t.refused >= n && t.nearer <= n / 2 && t.stricter <= n / 9);
}

static void random_picks_end_as_git_picks_them(void **state)
{
	_cleanup_free_ char *repo = kit_path("picks");
	unsigned int n = kit_rounds(9);
	struct tally t = { 0 };

	(void)state;
	for (uint64_t seed = 10001; seed <= 10000 + n; seed++) {
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
	assert_true(t.same >= 4 * n && t.refused >= n / 2 && t.stricter <= n / 2);
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
		cmocka_unit_test(random_patches_end_as_git_applies_them),
		cmocka_unit_test(random_picks_end_as_git_picks_them),
	};

	return cmocka_run_group_tests(tests, start, end);
}
