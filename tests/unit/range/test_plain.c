// SPDX-License-Identifier: GPL-2.0-or-later
/* Pipes, sockets, devices and directories where a repository has files: one line that names it, and at once. */
#include "unit/range/kit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "range/range.h"

#define HANGS_S 60 /* what is waited for ends the test */

struct asked {
	char *repo;
	char *tree; /* a linked work tree of it */
	char *from; /* an object that is replaced */
};

static struct asked asked;

static int make(void **state)
{
	(void)state;
	kit_start();
	asked.repo = kit_path("repo");
	asked.tree = kit_path("linked");
	free(kit_sh("git init -q -b main '%s'", asked.repo));
	for (unsigned int i = 0; i < 3; i++)
		free(kit_commit(asked.repo, "drv/deep/a.c", &"0\0001\0002\0"[2 * i], "step"));
	asked.from = kit_git(asked.repo, "rev-parse HEAD~1");
	free(kit_git(asked.repo, "worktree add -q -b other '%s'", asked.tree));
	free(kit_git(asked.repo, "replace HEAD~1 HEAD~2"));
	free(kit_git(asked.repo, "config extensions.worktreeConfig true"));
	free(kit_sh("cd '%s' && cp .git/config plain-config && mkdir -p new .git/info",
		    asked.repo));
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(asked.repo);
	free(asked.tree);
	free(asked.from);
	kit_end();
	return 0;
}

/* @path: what is there is kept beside it until it is taken back */
static void plant(const char *path, mode_t type)
{
	if (fs_exists(path))
		free(kit_sh("mv '%s' '%s.kept'", path, path));
	free(kit_sh("mkdir -p \"$(dirname '%s')\"", path));
	if (type == S_IFDIR)
		assert_int_equal(mkdir(path, 0700), 0);
	else if (type == S_IFCHR)
		assert_int_equal(symlink("/dev/zero", path), 0);
	else
		assert_int_equal(mknod(path, type | 0600, 0), 0);
}

static void take_back(const char *path)
{
	free(kit_sh("rm -r '%s'; test ! -e '%s.kept' || mv '%s.kept' '%s'", path, path, path,
		    path));
}

static int ask_commit(const char *repo, struct err *err)
{
	char id[COMMIT_ID_SIZE];

	return range_resolve(repo, "main~1", id, err);
}

static int ask_place(const char *repo, struct err *err)
{
	_cleanup_free_ char *below = str_printf("%s/drv/deep", repo);
	_cleanup_free_ char *found = NULL;

	return range_discover(below, &found, err);
}

static int ask_refs(const char *repo, struct err *err)
{
	_cleanup_strv_ struct strv refs = { 0 };

	return range_refs(repo, "refs/heads/*", &refs, err);
}

static int ask_changes(const char *repo, struct err *err)
{
	return range_is_dirty(repo, NULL, 0, err);
}

typedef int ask_fn(const char *repo, struct err *err);

static void expect_line(ask_fn *ask, const char *repo, const char *path, const char *kind)
{
	_cleanup_free_ char *words = str_printf("%s is no file but a %s", path, kind);
	struct err err = { 0 };

	alarm(HANGS_S);
	if (ask(repo, &err) >= 0)
		fail_msg("%s was opened, want '%s'", repo, words);
	alarm(0);
	if (err.kind != ERR_HOST || !strstr(err.msg, words))
		fail_msg("%s: '%s', want '%s'", err_kind_name(err.kind), err.msg, words);
}

static void expect_each(const char *repo, const char *path, const char *kind)
{
	static ask_fn *const asks[] = { ask_commit, ask_place, ask_refs, ask_changes };

	for (size_t i = 0; i < ARRAY_SIZE(asks); i++)
		expect_line(asks[i], repo, path, kind);
}

/* And none of it is in the way of what comes after. */
static void expect_whole(const char *repo)
{
	static ask_fn *const asks[] = { ask_commit, ask_place, ask_refs, ask_changes };
	struct err err = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(asks); i++)
		if (asks[i](repo, &err) < 0)
			fail_msg("%zu: %s", i, err.msg);
}

static void pipes_in_a_repository_are_named(void **state)
{
	_cleanup_free_ char *replaced = str_printf("refs/replace/%s", asked.from);
	const char *const names[] = {
		"HEAD",
		"config",
		"config.worktree",
		"packed-refs",
		"commondir",
		"gitdir",
		"index",
		"main",
		"refs/main",
		"refs/heads/main",
		"refs/tags/a/b/c",
		"refs/heads/x",
		"logs/HEAD",
		"shallow",
		"logs/refs/heads/main",
		"info/exclude",
		"info/grafts",
		"info/attributes",
		replaced,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = str_printf("%s/.git/%s", asked.repo, names[i]);

		plant(path, S_IFIFO);
		expect_each(asked.repo, path, "pipe");
		take_back(path);
	}
	expect_whole(asked.repo);
}

static void pipes_of_a_linked_work_tree_are_named(void **state)
{
	static const char *const names[] = {
		"HEAD",	     "commondir", "gitdir", "index", "config.worktree", "refs/bisect/bad",
		"logs/HEAD", "main",
	};
	static const char *const shared[] = { "config", "packed-refs", "refs/heads/main", "main",
					      "info/exclude" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path =
			str_printf("%s/.git/worktrees/linked/%s", asked.repo, names[i]);

		plant(path, S_IFIFO);
		expect_each(asked.tree, path, "pipe");
		take_back(path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++) {
		/* As the linked one names it. */
		_cleanup_free_ char *path = str_printf("%s/.git/%s", asked.repo, shared[i]);
		_cleanup_free_ char *named =
			str_printf("%s/.git/worktrees/linked/../../%s", asked.repo, shared[i]);

		plant(path, S_IFIFO);
		expect_each(asked.tree, named, "pipe");
		take_back(path);
	}
	expect_whole(asked.tree);
}

static void pipes_that_a_configuration_includes_are_named(void **state)
{
	static const char *const lines[] = {
		"[include]\n\tpath = pipe\n",
		"[INCLUDE] Path=\"pipe\" ; a file\n",
		"[includeIf \"gitdir:/]\\\"nowhere/\"]\n\tpath = %s/.git/pipe\n",
		"[core]\n\tpath = x\n[include]\n\tpath = no\n\tpath = pi\\\npe # more\n[core",
		"[include]\n\tpath = between\n",
		"[include]\n\tpath = ~/repo/.git/pipe\n",
	};
	_cleanup_free_ char *config = str_printf("%s/.git/config", asked.repo);
	_cleanup_free_ char *pipe = str_printf("%s/.git/pipe", asked.repo);

	(void)state;
	kit_write(asked.repo, ".git/between", "[include]\n\tpath = ../.git/pipe\n");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		const char *hole = strstr(lines[i], "%s");
		_cleanup_free_ char *text = hole ? str_printf("%.*s%s%s", (int)(hole - lines[i]),
							      lines[i], asked.repo, hole + 2)
						 : xstrdup(lines[i]);
		/* Not beside it: a ref that is asked for may be there. */
		_cleanup_free_ char *named =
			i == 4 ? str_printf("%s/.git/../.git/pipe", asked.repo) : xstrdup(pipe);

		free(kit_sh("cp '%s/plain-config' '%s'", asked.repo, config));
		free(kit_sh("cat >>'%s' <<'end'\n%s\nend\n", config, text));
		plant(pipe, S_IFIFO);
		expect_each(asked.repo, named, "pipe");
		take_back(pipe);
	}
	free(kit_sh("cp '%s/plain-config' '%s'", asked.repo, config));
	expect_whole(asked.repo);
}

/* Each names itself nine times, ten deep. */
static void includes_have_a_bound(void **state)
{
	_cleanup_free_ char *config = str_printf("%s/.git/config", asked.repo);
	struct err err = { 0 };

	(void)state;
	free(kit_sh("for i in 1 2 3 4 5 6 7 8 9; do printf '[include]\\npath = many\\n'; done "
		    ">'%s/.git/many' && cat '%s/.git/many' >>'%s'",
		    asked.repo, asked.repo, config));
	alarm(HANGS_S);
	assert_int_equal(ask_commit(asked.repo, &err), -1);
	alarm(0);
	assert_non_null(strstr(err.msg, "includes more than"));
	free(kit_sh("cp '%s/plain-config' '%s'", asked.repo, config));
	expect_whole(asked.repo);
}

static void pipes_in_a_work_tree_are_named(void **state)
{
	static const char *const names[] = {
		".gitignore",	  ".gitattributes",	".gitmodules",
		"drv/.gitignore", "drv/.gitattributes", "drv/deep/.gitignore",
		"new/.gitignore", "new/.gitattributes", "new/deep/.gitignore",
	};
	const char *const limits[] = { "drv/deep" };
	struct err err = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", asked.repo, names[i]);

		plant(path, S_IFIFO);
		expect_line(ask_changes, asked.repo, path, "pipe");
		alarm(HANGS_S);
		assert_int_equal(ask_commit(asked.repo, &err), 0);
		/* Looked at is what leads to the limit, and no more. */
		assert_int_equal(range_is_dirty(asked.repo, limits, 1, &err),
				 str_starts(names[i], "new") ? 0 : -1);
		alarm(0);
		take_back(path);
	}
	free(kit_git(asked.repo, "config core.excludesFile '%s/new/ignored'", asked.repo));
	{
		_cleanup_free_ char *path = str_printf("%s/new/ignored", asked.repo);

		plant(path, S_IFIFO);
		expect_line(ask_changes, asked.repo, path, "pipe");
		take_back(path);
	}
	free(kit_git(asked.repo, "config --unset core.excludesFile"));
	expect_whole(asked.repo);
}

static void other_kinds_are_named(void **state)
{
	static const struct {
		const char *name;
		mode_t type;
		const char *kind;
	} rows[] = {
		{ "config", S_IFDIR, "directory" },	  { "packed-refs", S_IFDIR, "directory" },
		{ "shallow", S_IFDIR, "directory" },	  { "info/grafts", S_IFDIR, "directory" },
		{ "HEAD", S_IFDIR, "directory" },	  { "config", S_IFSOCK, "socket" },
		{ "packed-refs", S_IFSOCK, "socket" },	  { "config", S_IFCHR, "device" },
		{ "refs/heads/main", S_IFCHR, "device" }, { "index", S_IFDIR, "directory" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		_cleanup_free_ char *path = str_printf("%s/.git/%s", asked.repo, rows[i].name);

		plant(path, rows[i].type);
		expect_each(asked.repo, path, rows[i].kind);
		take_back(path);
	}
	expect_whole(asked.repo);
}

static void what_git_has_there_is_let_be(void **state)
{
	_cleanup_free_ char *monitor = str_printf("%s/.git/fsmonitor--daemon.ipc", asked.repo);

	(void)state;
	alarm(HANGS_S);
	plant(monitor, S_IFSOCK);
	free(kit_sh(
		"cd '%s' && mv .git/info/exclude .git/exclude && ln -s /dev/null .git/info/exclude "
		"&& "
		"ln -s /dev/null .gitattributes && mv .git/refs .git/elsewhere && "
		"ln -s elsewhere .git/refs && rm -f .git/none && ln -s none .git/info/attributes",
		asked.repo));
	expect_whole(asked.repo);
	take_back(monitor);
	free(kit_sh("cd '%s' && mv .git/exclude .git/info/exclude && rm .gitattributes .git/refs "
		    ".git/info/attributes && mv .git/elsewhere .git/refs",
		    asked.repo));
	expect_whole(asked.repo);
	alarm(0);
}

/* Three links of each to all: more ways than could ever be walked. */
static void links_in_circles_end(void **state)
{
	struct err err = { 0 };

	(void)state;
	free(kit_sh("cd '%s/.git/refs' && for i in a b c; do ln -s . $i; done", asked.repo));
	alarm(HANGS_S);
	assert_int_equal(ask_commit(asked.repo, &err), -1);
	alarm(0);
	assert_non_null(strstr(err.msg, "circles"));
	free(kit_sh("cd '%s/.git/refs' && rm a b c", asked.repo));
	expect_whole(asked.repo);
}

static void a_bare_repository_is_looked_at_as_well(void **state)
{
	_cleanup_free_ char *bare = kit_path("bare.git");
	_cleanup_free_ char *path = str_printf("%s/packed-refs", bare);

	(void)state;
	free(kit_sh("git clone -q --bare '%s' '%s'", asked.repo, bare));
	plant(path, S_IFIFO);
	expect_line(ask_commit, bare, path, "pipe");
	expect_line(ask_refs, bare, path, "pipe");
	take_back(path);
	/* A work tree may have files of such names; it is no repository for that. */
	free(kit_sh("mkfifo '%s/config' '%s/packed-refs'", asked.repo, asked.repo));
	expect_whole(asked.repo);
	free(kit_sh("rm '%s/config' '%s/packed-refs'", asked.repo, asked.repo));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pipes_in_a_repository_are_named),
		cmocka_unit_test(pipes_of_a_linked_work_tree_are_named),
		cmocka_unit_test(pipes_that_a_configuration_includes_are_named),
		cmocka_unit_test(includes_have_a_bound),
		cmocka_unit_test(pipes_in_a_work_tree_are_named),
		cmocka_unit_test(other_kinds_are_named),
		cmocka_unit_test(what_git_has_there_is_let_be),
		cmocka_unit_test(links_in_circles_end),
		cmocka_unit_test(a_bare_repository_is_looked_at_as_well),
	};

	return cmocka_run_group_tests(tests, make, end);
}
