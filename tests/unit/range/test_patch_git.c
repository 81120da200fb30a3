// SPDX-License-Identifier: GPL-2.0-or-later
/* Random patches and picks over random histories, compared with what git apply and git cherry-pick make of them. */
#include "unit/range/kit.h"
#include "unit/range/patch_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* A line of it is taken away, put in or changed, by a command for the shell. */
static void change_text(uint64_t *seed, const char *path, struct buf *commands)
{
	static const char *const ways[] = { "d", "iX", "s/.*/Y/", "s/.*/a/", "ib", "ac" };
	unsigned int line = 1 + kit_rand(seed, 30);

	buf_printf(commands, "sed -i '%u%s' '%s';", line, ways[kit_rand(seed, ARRAY_SIZE(ways))],
		   path);
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
			change_text(seed, path, &text);
		free(kit_sh("%s", text.data));
	}
}

#define FILES 6

/* The files as they are now, as one more commit of the stream. */
static void put_commit(FILE *f, const char *repo, unsigned int k)
{
	fprintf(f,
		"commit refs/heads/main\nmark :%u\ncommitter C <c@example.org> %u +0000\n"
		"data <<E\n%u\nE\ndeleteall\n",
		k + 1, 1700000000 + k, k);
	for (unsigned int i = 0; i < FILES; i++) {
		_cleanup_free_ char *path = str_printf("%s/drv/f%u.c", repo, i);
		_cleanup_free_ char *text = NULL;
		struct err err;
		struct stat st;
		size_t n;

		if (stat(path, &st) < 0)
			continue;
		assert_int_equal(fs_read(path, 1 << 20, &text, &n, &err), 0);
		fprintf(f, "M 100%o inline drv/f%u.c\ndata %zu\n",
			st.st_mode & S_IXUSR ? 0755U : 0644U, i, n);
		fwrite(text, 1, n, f);
		fputc('\n', f);
	}
	fprintf(f, "\nreset refs/tags/c%u\nfrom :%u\n\n", k, k + 1);
}

/* A shell and git for each commit cost more than all that is asked about them. */
static void random_history(uint64_t *seed, const char *repo)
{
	_cleanup_free_ char *stream = str_printf("%s/stream", repo);
	FILE *f;

	free(kit_sh("rm -rf '%s'; git init -q -b main '%s'; mkdir '%s/drv'", repo, repo, repo));
	f = fopen(stream, "w");
	assert_non_null(f);
	for (unsigned int k = 0; k < HISTORY; k++) {
		random_step(seed, repo, k);
		put_commit(f, repo, k);
	}
	fclose(f);
	free(kit_sh("cd '%s' && git fast-import --quiet <stream && rm -r stream drv", repo));
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
	_cleanup_free_ char *both = kit_git(repo, "rev-parse %s %s^{tree}", target, target);
	_cleanup_free_ char *id = xstrndup(both, COMMIT_ID_SIZE - 1);
	_cleanup_free_ char *have = NULL;
	const char *plain = both + COMMIT_ID_SIZE;
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
			_cleanup_free_ char *want = NULL;
			char *back;

			/* Two lines: the tree that it makes, and the one that it is taken from. */
			want = kit_sh("cd '%s' && git diff %s c%u c%u >'%s' || exit; "
				      "[ -s '%s' ] || { echo none; exit; }; "
				      "export GIT_INDEX_FILE=.git/other; for way in '' -R; do "
				      "git read-tree %s && git apply $way -p%d --cached '%s' "
				      "2>/dev/null && git write-tree || echo; done",
				      repo, option, from, to, patch, patch, name, strip, patch);
			if (strcmp(want, "none") == 0)
				continue;
			back = want + strcspn(want, "\n");
			if (*back)
				*back++ = '\0';
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
				kit_sh("cd '%s' && git checkout -q -f c%u && { git cherry-pick "
				       "-n c%u >/dev/null 2>&1 && git write-tree || true; }",
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
