// SPDX-License-Identifier: GPL-2.0-or-later
/* What a checkout writes, removes, leaves alone and refuses, compared with git's own work tree. */
#include "unit/range/kit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "range/checkout/checkout.h"
#include "range/checkout/names.h"

static const char *const drv[] = { "drv" };

static struct checkout_stats sync_paths(const char *repo, const char *from, const char *to,
					const char *dest, const char *const *paths, size_t n)
{
	struct checkout_stats stats = { 0 };
	struct err err = { 0 };

	if (checkout_sync(repo, NULL, from, to, paths, n, dest, &stats, &err) < 0)
		fail_msg("%s", err.msg);
	return stats;
}

static char *init_repo(const char *name)
{
	char *repo = kit_path("%s", name);

	free(kit_sh("git init -q -b main '%s'", repo));
	return repo;
}

static void expect_same(const char *repo, const char *id, const char *dest, const char *path)
{
	_cleanup_free_ char *want = kit_path("want");

	free(kit_sh("rm -rf '%s'; mkdir '%s'; git -C '%s' archive %s | tar -x -C '%s'", want, want,
		    repo, id, want));
	free(kit_sh("diff -r --no-dereference '%s/%s' '%s/%s'", want, path, dest, path));
	free(kit_sh(
		"cd '%s' && find %s -type f -perm -100 | sort > ../x1; cd '%s' && find %s -type f "
		"-perm -100 | sort > ../x2; cd .. && diff x1 x2",
		want, path, dest, path));
}

static int64_t mtime_ns(const char *dir, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s", dir, name);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
}

static bool is_there(const char *dir, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s%s", dir, name);

	return fs_exists(path);
}

static void only_what_differs_is_written(void **state)
{
	_cleanup_free_ char *repo = init_repo("differs");
	_cleanup_free_ char *dest = kit_path("differs-dest");
	_cleanup_free_ char *one = NULL, *two = NULL;
	struct checkout_stats s;
	int64_t a, b;

	(void)state;
	kit_write(repo, "drv/b.c", "b\n");
	kit_write(repo, "drv/sub/gone.c", "g\n");
	kit_write(repo, "drv/run.sh", "#!/bin/sh\n");
	kit_write(repo, "other/o.c", "o\n");
	one = kit_commit(repo, "drv/a.c", "a\n", "one");
	free(kit_sh("rm '%s/drv/sub/gone.c'; chmod +x '%s/drv/run.sh'; ln -s a.c '%s/drv/l.c'",
		    repo, repo, repo));
	two = kit_commit(repo, "drv/a.c", "changed\n", "two");

	s = sync_paths(repo, NULL, one, dest, drv, 1);
	assert_int_equal(s.written, 4);
	assert_int_equal(s.bytes, 2 + 2 + 2 + 10);
	expect_same(repo, one, dest, "drv");
	assert_false(is_there(dest, "/other"));
	a = mtime_ns(dest, "drv/a.c");
	b = mtime_ns(dest, "drv/b.c");
	usleep(20000);
	s = sync_paths(repo, one, two, dest, drv, 1);
	assert_int_equal(s.written, 3); /* a.c, run.sh, l.c */
	assert_int_equal(s.removed, 1);
	expect_same(repo, two, dest, "drv");
	assert_true(mtime_ns(dest, "drv/a.c") > a);
	assert_true(mtime_ns(dest, "drv/b.c") == b);
	s = sync_paths(repo, two, one, dest, drv, 1);
	expect_same(repo, one, dest, "drv");
	s = sync_paths(repo, NULL, one, dest, drv, 1);
	assert_int_equal(s.written + s.removed, 0);
}

static void unknown_directory_is_mended_and_build_outputs_stay(void **state)
{
	_cleanup_free_ char *repo = init_repo("unknown");
	_cleanup_free_ char *dest = kit_path("unknown-dest");
	_cleanup_free_ char *one = NULL;
	struct checkout_stats s;

	(void)state;
	kit_write(repo, "drv/Makefile", "obj-m := a.o\n");
	one = kit_commit(repo, "drv/a.c", "a\n", "one");
	kit_write(dest, "drv/a.c", "local edit\n");
	kit_write(dest, "drv/stale.c", "s\n");
	kit_write(dest, "drv/old/Kconfig.debug", "s\n");
	kit_write(dest, "drv/.amdgpu-bisect.tmp", "half a file");
	kit_write(dest, "drv/a.o", "object\n");
	kit_write(dest, "drv/.a.o.cmd", "cmd\n");
	kit_write(dest, "drv/a.mod.c", "modpost\n");
	kit_write(dest, "drv/generated/g.h", "made\n");
	kit_write(dest, "elsewhere/e.c", "not ours\n");
	s = sync_paths(repo, NULL, one, dest, drv, 1);
	assert_int_equal(s.written, 2);
	assert_int_equal(s.removed, 2);
	free(kit_sh("cd '%s' && find . -type f | sort > ../have && printf '%%s\\n' ./drv/.a.o.cmd "
		    "./drv/Makefile "
		    "./drv/a.c ./drv/a.mod.c ./drv/a.o ./drv/generated/g.h ./elsewhere/e.c | sort "
		    "| diff - ../have",
		    dest));
	assert_false(is_there(dest, "/drv/old"));
}

static void files_and_directories_change_places(void **state)
{
	_cleanup_free_ char *repo = init_repo("places");
	_cleanup_free_ char *dest = kit_path("places-dest");
	_cleanup_free_ char *one = NULL, *two = NULL;

	(void)state;
	kit_write(repo, "drv/was_dir/x.c", "x\n");
	one = kit_commit(repo, "drv/was_file", "f\n", "one");
	free(kit_sh("rm -r '%s/drv/was_dir' '%s/drv/was_file'", repo, repo));
	kit_write(repo, "drv/was_file/y.c", "y\n");
	two = kit_commit(repo, "drv/was_dir", "d\n", "two");
	sync_paths(repo, NULL, one, dest, drv, 1);
	kit_write(dest, "drv/was_dir/x.o", "object\n");
	sync_paths(repo, one, two, dest, drv, 1);
	expect_same(repo, two, dest, "drv");
	sync_paths(repo, two, one, dest, drv, 1);
	expect_same(repo, one, dest, "drv");
	sync_paths(repo, NULL, two, dest, drv, 1);
	expect_same(repo, two, dest, "drv");
}

/* Else the files of the commit that was there before are built, and judged in its name. */
static void a_submodule_leaves_nothing_of_the_commit_before(void **state)
{
	_cleanup_free_ char *repo = init_repo("submodule");
	_cleanup_free_ char *dest = kit_path("submodule-dest");
	_cleanup_free_ char *one = kit_commit(repo, "drv/sub/a.c", "a\n", "one");
	_cleanup_free_ char *whole = NULL, *part = NULL;

	(void)state;
	free(kit_git(repo, "rm -rqf drv"));
	free(kit_git(repo, "update-index --add --cacheinfo 160000,%s,drv", one));
	free(kit_git(repo, "commit -qm whole"));
	whole = kit_git(repo, "rev-parse HEAD");
	free(kit_git(repo, "update-index --force-remove drv"));
	free(kit_git(repo, "update-index --add --cacheinfo 160000,%s,drv/sub", one));
	free(kit_git(repo, "commit -qm part"));
	part = kit_git(repo, "rev-parse HEAD");
	for (unsigned int known = 0; known < 2; known++) {
		sync_paths(repo, NULL, one, dest, drv, 1);
		assert_true(is_there(dest, "/drv/sub/a.c"));
		sync_paths(repo, known ? one : NULL, whole, dest, drv, 1);
		assert_false(is_there(dest, "/drv/sub/a.c"));
		sync_paths(repo, known ? whole : NULL, one, dest, drv, 1);
		expect_same(repo, one, dest, "drv");
		sync_paths(repo, known ? one : NULL, part, dest, drv, 1);
		assert_false(is_there(dest, "/drv/sub/a.c"));
	}
}

static void path_that_comes_and_goes(void **state)
{
	static const char *const both[] = { "drv/old.c", "drv/deep/new.c" };
	_cleanup_free_ char *repo = init_repo("comes");
	_cleanup_free_ char *dest = kit_path("comes-dest");
	_cleanup_free_ char *one = NULL, *two = NULL;

	(void)state;
	one = kit_commit(repo, "drv/old.c", "o\n", "one");
	free(kit_git(repo, "rm -q drv/old.c"));
	two = kit_commit(repo, "drv/deep/new.c", "n\n", "two");
	assert_int_equal(sync_paths(repo, NULL, one, dest, both, 2).written, 1);
	assert_false(is_there(dest, "/drv/deep"));
	assert_int_equal(sync_paths(repo, one, two, dest, both, 2).removed, 1);
	expect_same(repo, two, dest, "drv");
	assert_int_equal(sync_paths(repo, NULL, one, dest, both, 2).removed, 1);
}

static void random_histories_end_as_git_has_them(void **state)
{
	static const char *const all[] = { "." };

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		_cleanup_free_ char *repo = kit_random_repo(seed, 12, DATES_FORWARD);
		_cleanup_free_ char *dest = kit_path("walked");
		_cleanup_free_ char *from = NULL;

		free(kit_sh("rm -rf '%s'", dest));
		for (unsigned int k = 0; k < 12; k++) {
			char *to = kit_git(repo, "rev-parse c%u", (k * 7) % 12);

			sync_paths(repo, k % 4 ? from : NULL, to, dest, all, 1);
			/* Without @from "a/x" and "d" would stay: no source is called so. */
			if (k % 4)
				expect_same(repo, to, dest, ".");
			else
				free(kit_sh("rm -rf '%s'", dest));
			if (k % 4 == 0)
				sync_paths(repo, NULL, to, dest, all, 1);
			free(from);
			from = to;
		}
		free(kit_sh("rm -rf '%s'", repo));
	}
}

static void refuse(const char *repo, const char *id, const char *words)
{
	_cleanup_free_ char *dest = kit_path("refused");
	_cleanup_free_ char *outside = kit_path("escaped");
	struct err err = { 0 };

	assert_int_equal(checkout_sync(repo, NULL, NULL, id, drv, 1, dest, NULL, &err), -1);
	if (err.kind != ERR_BUILD || !strstr(err.msg, words))
		fail_msg("%s", err.msg);
	assert_false(fs_exists(outside));
	free(kit_sh("rm -rf '%s'", dest));
}

/* A tree of one entry, whatever its name. */
static char *raw_tree(const char *repo, const char *mode, const char *name, const char *id)
{
	_cleanup_free_ char *file = kit_path("raw-tree");
	_cleanup_buf_ struct buf b = { 0 };
	struct err err = { 0 };

	buf_printf(&b, "%s %s", mode, name);
	buf_add(&b, "", 1);
	for (size_t i = 0; i < 20; i++) {
		char digits[3] = { id[2 * i], id[2 * i + 1] };
		unsigned char byte = (unsigned char)strtoul(digits, NULL, 16);

		buf_add(&b, &byte, 1);
	}
	assert_int_equal(fs_write(file, b.data, b.len, &err), 0);
	return kit_git(repo, "hash-object -w -t tree --literally '%s'", file);
}

/* A commit with one hostile name in drv/, as only a program makes them. */
static char *hostile_commit(const char *repo, const char *name, const char *mode, const char *text)
{
	_cleanup_free_ char *blob =
		kit_sh("printf '%s' | git -C '%s' hash-object -w --stdin", text, repo);
	_cleanup_free_ char *inner = raw_tree(repo, mode, name, blob);
	_cleanup_free_ char *outer = raw_tree(repo, "40000", "drv", inner);

	return kit_git(repo, "commit-tree -m hostile %s", outer);
}

static void hostile_names_are_refused(void **state)
{
	static const char *const names[] = { "..", ".", ".git", ".GIT", "../../escaped", "a/b" };
	_cleanup_free_ char *repo = init_repo("hostile");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *id = hostile_commit(repo, names[i], "100644", "x");

		refuse(repo, id, "no honest commit");
	}
}

static void links_out_of_the_tree_are_refused(void **state)
{
	static const char *const targets[] = { "/etc/passwd", "../../x", "a/../../../x" };
	_cleanup_free_ char *repo = init_repo("links");

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
		_cleanup_free_ char *id = hostile_commit(repo, "link", "120000", targets[i]);

		refuse(repo, id, "outside the tree");
	}
	assert_true(name_link_stays("/drv/link", "../include/x.h"));
	assert_true(name_link_stays("/link", "drv/x.h"));
	assert_false(name_link_stays("/link", "../x"));
	assert_false(name_link_stays("/drv/link", "../up/../../x")); /* up may be a link itself */
}

static void a_link_on_disk_is_never_written_through(void **state)
{
	_cleanup_free_ char *repo = init_repo("through");
	_cleanup_free_ char *dest = kit_path("through-dest");
	_cleanup_free_ char *away = kit_path("away");
	_cleanup_free_ char *id = NULL;
	struct err err = { 0 };

	(void)state;
	id = kit_commit(repo, "drv/sub/a.c", "a\n", "one");
	free(kit_sh("mkdir -p '%s' '%s/drv'; ln -s '%s' '%s/drv/sub'", away, dest, away, dest));
	sync_paths(repo, NULL, id, dest, drv, 1);
	free(kit_sh("test -z \"$(ls '%s')\" && test -f '%s/drv/sub/a.c' && test ! -L '%s/drv/sub'",
		    away, dest, dest));
	/* Above the limited paths a link is the user's own: it is not replaced, it is told. */
	free(kit_sh("rm -rf '%s'; mkdir '%s'; ln -s '%s' '%s/drv'", dest, dest, away, dest));
	assert_int_equal(checkout_sync(repo, NULL, NULL, id, (const char *[]){ "drv/sub" }, 1, dest,
				       NULL, &err),
			 -1);
	assert_non_null(strstr(err.msg, "is a link or a file"));
	free(kit_sh("test -z \"$(ls '%s')\"", away));
}

static void missing_content_is_named(void **state)
{
	_cleanup_free_ char *repo = init_repo("lost");
	_cleanup_free_ char *dest = kit_path("lost-dest");
	_cleanup_free_ char *id = kit_commit(repo, "drv/a.c", "a\n", "one");
	_cleanup_free_ char *blob = kit_git(repo, "rev-parse HEAD:drv/a.c");
	struct err err = { 0 };

	(void)state;
	free(kit_sh("rm -f '%s/.git/objects/%.2s/%s'", repo, blob, blob + 2));
	assert_int_equal(checkout_sync(repo, NULL, NULL, id, drv, 1, dest, NULL, &err), -1);
	assert_non_null(strstr(err.msg, blob));
	assert_int_equal(err.kind, ERR_HOST);
}

/* Objects are made, and at once the next commit comes: within one tick of the disk's clock. */
static void what_is_written_is_newer_than_what_was_built(void **state)
{
	_cleanup_free_ char *repo = init_repo("tick");
	_cleanup_free_ char *dest = kit_path("tick-dest");
	_cleanup_free_ char *one = NULL, *two = NULL, *object = str_printf("%s/drv/a.o", dest);

	(void)state;
	kit_write(repo, "drv/b.c", "b\n");
	one = kit_commit(repo, "drv/a.c", "1\n", "one");
	two = kit_commit(repo, "drv/a.c", "2\n", "two");
	sync_paths(repo, NULL, one, dest, drv, 1);
	for (unsigned int i = 0; i < 60; i++) {
		int64_t b = mtime_ns(dest, "drv/b.c");
		int fd = open(object, O_WRONLY | O_CREAT | O_TRUNC, 0666);

		assert_true(fd >= 0 && write(fd, "o", 1) == 1 && close(fd) == 0);
		sync_paths(repo, i % 2 ? two : one, i % 2 ? one : two, dest, drv, 1);
		assert_true(mtime_ns(dest, "drv/a.c") > mtime_ns(dest, "drv/a.o"));
		assert_true(mtime_ns(dest, "drv/b.c") == b);
	}
}

static void make_builds_what_was_checked_out(void **state)
{
	_cleanup_free_ char *repo = init_repo("made");
	_cleanup_free_ char *dest = kit_path("made-dest");
	_cleanup_free_ char *ids[2] = { 0 };

	(void)state;
	kit_write(repo, "drv/Makefile", "all: a.o b.o\n%.o: %.c\n\t@cp $< $@; echo $@\n");
	kit_write(repo, "drv/b.c", "b\n");
	ids[0] = kit_commit(repo, "drv/a.c", "1\n", "one");
	ids[1] = kit_commit(repo, "drv/a.c", "2\n", "two");
	sync_paths(repo, NULL, ids[0], dest, drv, 1);
	free(kit_sh("make -s -C '%s/drv'", dest));
	for (unsigned int i = 1; i < 12; i++) {
		_cleanup_free_ char *made = NULL;

		sync_paths(repo, ids[(i + 1) % 2], ids[i % 2], dest, drv, 1);
		made = kit_sh("make -s -C '%s/drv'; cmp '%s/drv/a.c' '%s/drv/a.o'", dest, dest,
			      dest);
		assert_string_equal(made, "a.o"); /* that, and nothing else */
	}
	free(take_ptr(ids[0]));
	free(take_ptr(ids[1]));
}

/* Two commits that differ in many files, some of which only one of them has. */
static void make_wide(const char *repo, char **one, char **two)
{
	char text[4201];

	memset(text, 'a', 4000);
	memset(text + 4000, 'b', 200);
	text[4200] = '\0';
	for (unsigned int version = 1; version <= 2; version++) {
		text[4000] = version == 1 ? '\0' : 'b';
		for (unsigned int i = 1; i <= 120; i++) {
			_cleanup_free_ char *changed = str_printf("drv/x/%u.c", i);
			_cleanup_free_ char *moved = str_printf("drv/y/%u.h", i);
			_cleanup_free_ char *from = str_printf("%s/%s", repo, moved);
			_cleanup_free_ char *to = str_printf("%s/drv/y/n%u.h", repo, i);
			_cleanup_free_ char *line = str_printf("%u\n", i);

			kit_write(repo, changed, text);
			if (version == 1)
				kit_write(repo, moved, line);
			else
				assert_int_equal(rename(from, to), 0);
		}
		*(version == 1 ? one : two) =
			kit_commit(repo, "drv/a.c", version == 1 ? "1\n" : "2\n",
				   version == 1 ? "one" : "two");
	}
}

static void a_checkout_that_was_killed_is_mended(void **state)
{
	_cleanup_free_ char *repo = init_repo("killed");
	_cleanup_free_ char *dest = kit_path("killed-dest");
	_cleanup_free_ char *object = str_printf("%s/drv/x/1.o", dest);
	_cleanup_free_ char *aside = str_printf("%s/1.o", dest);
	_cleanup_free_ char *one = NULL, *two = NULL;
	uint64_t seed = 7;

	(void)state;
	make_wide(repo, &one, &two);
	sync_paths(repo, NULL, one, dest, drv, 1);
	kit_write(dest, "drv/x/1.o", "object\n");
	for (unsigned int i = 0; i < 12; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			struct err err = { 0 };

			for (unsigned int k = 0; !err.kind; k++)
				checkout_sync(repo, NULL, k ? k % 2 ? two : one : NULL,
					      k % 2 ? one : two, drv, 1, dest, NULL, &err);
			_exit(1);
		}
		usleep(5000 + kit_rand(&seed, 60000));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		sync_paths(repo, NULL, i % 2 ? one : two, dest, drv, 1);
		assert_int_equal(rename(object, aside), 0);
		expect_same(repo, i % 2 ? one : two, dest, "drv");
		assert_int_equal(rename(aside, object), 0);
	}
}

static void a_full_disk_is_told_and_mended(void **state)
{
	_cleanup_free_ char *repo = init_repo("full");
	_cleanup_free_ char *dest = kit_path("full-dest");
	_cleanup_free_ char *one = NULL, *two = NULL;
	struct err err = { 0 };
	int rc;

	(void)state;
	make_wide(repo, &one, &two);
	assert_int_equal(mkdir(dest, 0777), 0);
	if (mount("tmpfs", dest, "tmpfs", 0, "size=2200k") < 0)
		skip(); /* no right to */
	sync_paths(repo, NULL, one, dest, drv, 1);
	free(kit_sh("cat /dev/zero >'%s/fill' 2>/dev/null || truncate -s -8192 '%s/fill'", dest,
		    dest));
	rc = checkout_sync(repo, NULL, one, two, drv, 1, dest, NULL, &err);
	assert_int_equal(rc, -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, dest));
	free(kit_sh("rm '%s/fill'; test -z \"$(find '%s' -name '.amdgpu-bisect*')\"", dest, dest));
	sync_paths(repo, NULL, two, dest, drv, 1);
	expect_same(repo, two, dest, "drv");
	assert_int_equal(umount(dest), 0);
}

static void names_that_differ_in_case_are_two_files(void **state)
{
	_cleanup_free_ char *repo = init_repo("case");
	_cleanup_free_ char *dest = kit_path("case-dest");
	_cleanup_free_ char *one = NULL, *two = NULL;

	(void)state;
	kit_write(repo, "drv/xt_MARK.h", "upper\n");
	one = kit_commit(repo, "drv/xt_mark.h", "lower\n", "one");
	free(kit_git(repo, "rm -q drv/xt_MARK.h"));
	two = kit_commit(repo, "drv/xt_mark.h", "lower too\n", "two");
	for (unsigned int known = 0; known < 2; known++) {
		sync_paths(repo, NULL, one, dest, drv, 1);
		expect_same(repo, one, dest, "drv");
		sync_paths(repo, known ? one : NULL, two, dest, drv, 1);
		expect_same(repo, two, dest, "drv");
	}
}

/* Of names as a kernel's build and its history have them. */
static void sources_are_told_from_what_was_built(void **state)
{
	static const char *const sources[] = {
		"a.c",
		"a.h",
		"entry_64.S",
		"x.dts",
		"lib.rs",
		"syscall_64.tbl",
		"a.asn1",
		"parser.y",
		"lexer.l",
		"defconfig.config",
		"x86_64_defconfig",
		"kgdb.uc",
		"a.c_shipped",
		"Kbuild",
		"Kconfig.debug",
		"Makefile",
		"Build",
		"Platform",
		"asm-offsets.h",
		"vmlinux.lds.S",
		"sforshee.hex",
		"main.tc",
	};
	static const char *const built[] = {
		"a.o",		 ".a.o.cmd",	  "a.mod",
		"a.mod.c",	 "a.ko",	  "built-in.a",
		"modules.order", "vmlinux",	  "Module.symvers",
		".config",	 "auto.conf",	  "vmlinux.lds",
		"module.lds",	 "asm-offsets.s", "lexer.lex.c",
		"parser.tab.h",	 "elfconfig.h",	  "devicetable-offsets.h",
		"capflags.c",	 "a.dtb",	  "a.dtb.S",
		"System.map",	 "fixdep",	  "voffset.h",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		if (!name_is_source(sources[i]))
			fail_msg("%s", sources[i]);
	for (size_t i = 0; i < ARRAY_SIZE(built); i++)
		if (name_is_source(built[i]))
			fail_msg("%s", built[i]);
}

static int start(void **state)
{
	(void)state;
	kit_start();
	return 0;
}

static int end(void **state)
{
	_cleanup_free_ char *mounted = kit_path("full-dest");

	(void)state;
	umount2(mounted, MNT_DETACH); /* of a test that failed */
	kit_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_differs_is_written),
		cmocka_unit_test(unknown_directory_is_mended_and_build_outputs_stay),
		cmocka_unit_test(files_and_directories_change_places),
		cmocka_unit_test(a_submodule_leaves_nothing_of_the_commit_before),
		cmocka_unit_test(path_that_comes_and_goes),
		cmocka_unit_test(random_histories_end_as_git_has_them),
		cmocka_unit_test(hostile_names_are_refused),
		cmocka_unit_test(links_out_of_the_tree_are_refused),
		cmocka_unit_test(a_link_on_disk_is_never_written_through),
		cmocka_unit_test(missing_content_is_named),
		cmocka_unit_test(what_is_written_is_newer_than_what_was_built),
		cmocka_unit_test(make_builds_what_was_checked_out),
		cmocka_unit_test(a_checkout_that_was_killed_is_mended),
		cmocka_unit_test(a_full_disk_is_told_and_mended),
		cmocka_unit_test(names_that_differ_in_case_are_two_files),
		cmocka_unit_test(sources_are_told_from_what_was_built),
	};

	return cmocka_run_group_tests(tests, start, end);
}
