// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What goes wrong while a candidate is built: a full disk, too little memory, kills. None of it is taken
 * for the candidate's, nothing half-written for finished, and what is built in the end has the bytes of a
 * build that nothing disturbed; so has what ccache gives, and what is built elsewhere.
 */
#include "bench.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"

#define KILLS 10

static struct bench bench;
static char reference[65]; /* of the untouched files, built by plain make */
static int64_t takes_ns;

/* Another builder of the same bench, with or without ccache, in the same or another directory. */
static void reopen(const char *cache_dir, bool ccache)
{
	struct err err = { 0 };

	builder_close(bench.builder);
	bench.builder = NULL;
	bench.spec.cache_dir = cache_dir;
	bench.spec.no_ccache = !ccache;
	if (builder_open(&bench.spec, &bench.builder, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
}

/* Nothing that was built is known any longer, and what a candidate is made of is compiled again. */
static void forget(void)
{
	free(bench_sh("cd '%s' && rm -rf artifacts trees/*/mirror-unit-*/*.o && rm -f "
		      "trees/*/linux/%s/amdgpu/*.o",
		      bench.spec.cache_dir, bench.spec.driver));
}

static void build_base(char ret[65])
{
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	struct err err = { 0 };

	bench_make(&bench, bench.base, &a);
	assert_false(a.cached);
	takes_ns = a.elapsed_ns;
	assert_int_equal(fs_sha256_file(a.modules[0].path, ret, &err), 0);
}

static void expect_reference(void)
{
	char is[65];

	forget();
	build_base(is);
	assert_string_equal(is, reference);
}

static bool has_ccache(void)
{
	_cleanup_free_ char *program = spawn_find("ccache");

	if (!program)
		print_message("skipped: ccache is not installed\n");
	return program;
}

/* Base was built before this: the second time nothing is compiled, and the third by make alone. */
static void ccache_gives_the_same_bytes(void **state)
{
	(void)state;
	if (!has_ccache())
		skip();
	free(bench_sh("rm -rf '%s/ccache'", BENCH_CACHE));
	reopen(BENCH_CACHE, true);
	expect_reference();
	expect_reference();
	free(bench_sh(
		"CCACHE_DIR='%s/ccache' ccache --print-stats | grep -q '^direct_cache_hit.[1-9]'",
		BENCH_CACHE));
}

static bool read_by(const struct artifact *a, const char *name)
{
	_cleanup_strv_ struct strv files = { 0 };
	struct err err = { 0 };

	assert_int_equal(builder_depends(bench.builder, a->key, &files, &err), 0);
	for (size_t i = 0; i < files.n; i++)
		if (str_ends(files.items[i], name))
			return true;
	return false;
}

/* A header that is edited and restored: what ccache gives for it knows its headers, as make needs. */
static void header_that_is_restored_gives_the_same_bytes(void **state)
{
	_cleanup_free_ char *edited = str_printf("%s\n#define EDITED 1\n", bench.text_h);
	_cleanup_free_ char *user =
		str_printf("%s\n#ifdef EDITED\nint edited(void);\nint edited(void)\n{\n\treturn "
			   "EDITED;\n}\n#endif\n",
			   bench.text_c);
	_cleanup_free_ char *name = str_printf("amdgpu/%s.h", bench.unit);
	char before[65], with[65], after[65];
	char ids[2][COMMIT_ID_SIZE];
	struct err err = { 0 };

	(void)state;
	if (!has_ccache())
		skip();
	reopen(BENCH_CACHE, true);
	bench_commit(&bench, user, NULL, ids[0]);
	bench_commit(&bench, user, edited, ids[1]);
	for (size_t i = 0; i < 3; i++) {
		_cleanup_(artifact_deinit) struct artifact made = { 0 };

		forget();
		bench_make(&bench, ids[i % 2], &made);
		assert_true(read_by(&made, name));
		assert_int_equal(fs_sha256_file(made.modules[0].path,
						i == 0	 ? before
						: i == 1 ? with
							 : after,
						&err),
				 0);
	}
	assert_string_not_equal(before, with);
	assert_string_equal(before, after);
	expect_reference();
}

/* ccache's directory becomes one that nothing can be written to: it is left out. */
static void ccache_without_room_fails_no_build(void **state)
{
	(void)state;
	if (!has_ccache())
		skip();
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
		print_message("skipped: only root can mount a small disk\n");
		skip();
	}
	free(bench_sh("rm -rf '%s/ccache'; mkdir '%s/ccache'", BENCH_CACHE, BENCH_CACHE));
	assert_int_equal(mount("tmpfs", BENCH_CACHE "/ccache", "tmpfs", 0, "size=64k"), 0);
	reopen(BENCH_CACHE, true);
	expect_reference();
	assert_int_equal(mount(NULL, BENCH_CACHE "/ccache", NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
	expect_reference();
	assert_int_equal(umount(BENCH_CACHE "/ccache"), 0);
}

/* A linker that fills the disk of the mirror's directory before it goes to work. */
static void full_disk_in_the_middle_of_a_link(void **state)
{
	_cleanup_free_ char *path = xstrdup(getenv("PATH"));
	_cleanup_free_ char *all = str_printf(BENCH_CACHE "/bin:%s", path);
	_cleanup_free_ char *ld = spawn_find("ld");
	_cleanup_free_ char *dir = NULL;

	(void)state;
	reopen(BENCH_CACHE, false);
	expect_reference();
	dir = bench_sh("ls -td '%s'/trees/*/mirror-unit-*/ | head -1", BENCH_CACHE);
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", dir, "tmpfs", 0, "size=2m") < 0) {
		print_message("skipped: only root can mount a small disk\n");
		skip();
	}
	free(bench_sh("mkdir -p '%s/bin' && printf '#!/bin/sh\\ncase \"$*\" in *mirror.o*) cat "
		      "/dev/zero 2>/dev/null >%s/fill;; esac\\nexec %s \"$@\"\\n' >'%s/bin/ld' && "
		      "chmod +x '%s/bin/ld'",
		      BENCH_CACHE, dir, ld, BENCH_CACHE, BENCH_CACHE));
	forget();
	setenv("PATH", all, 1);
	bench_fails(&bench, bench.base, ERR_HOST, "cut short by this machine");
	setenv("PATH", path, 1);
	free(bench_sh("rm -r '%s/bin'", BENCH_CACHE));
	assert_int_equal(umount(dir), 0);
	/* what is in the directory below the mount is whole, and older */
	expect_reference();
}

/* A control group with little memory; false: none can be made here. */
static bool make_group(void)
{
	static const char cmd[] =
		"for d in /sys/fs/cgroup/memory /sys/fs/cgroup; do g=$d/amdgpu-bisect-test; "
		"[ -e $d/cgroup.procs ] && mkdir -p $g && for f in memory.limit_in_bytes "
		"memory.max; do "
		"if [ -e $g/$f ]; then echo 30M >$g/$f && echo $g >'" BENCH_CACHE
		"/group'; break 2; fi; done; done";
	_cleanup_free_ char *out = bench_sh("rm -f '%s/group'; { %s; } 2>/dev/null; cat '%s/group' "
					    "2>/dev/null; true",
					    BENCH_CACHE, cmd, BENCH_CACHE);

	if (!*out)
		print_message("skipped: no control group with a limit on memory can be made\n");
	return *out;
}

/* The compiler itself goes into that group when it comes to the unit; the kernel kills it there. */
static void too_little_memory_for_the_compiler(void **state)
{
	_cleanup_free_ char *script = NULL;
	struct err err = { 0 };

	(void)state;
	reopen(BENCH_CACHE, false);
	forget();
	if (!make_group())
		skip();
	assert_int_equal(fs_read(bench.cc, 4096, &script, NULL, &err), 0);
	free(bench_sh(
		"sed -i '2i case \"$*\" in *%s.c*) echo $$ >$(cat %s/group)/cgroup.procs;; esac' "
		"'%s'",
		bench.unit, BENCH_CACHE, bench.cc));
	bench_fails(&bench, bench.base, ERR_HOST, "cut short by this machine");
	assert_int_equal(fs_write(bench.cc, script, strlen(script), &err), 0);
	free(bench_sh("chmod +x '%s'; rmdir $(cat '%s/group')", bench.cc, BENCH_CACHE));
	expect_reference();
}

static void build_in_child(void)
{
	struct artifact a = { 0 };
	struct err err = { 0 };

	if (builder_make(bench.builder, bench.base, bench.log, &a, &err) < 0)
		fprintf(stderr, "%s: %s\n", err_kind_name(err.kind), err.msg);
	_exit(0);
}

/* The controller is killed at any moment; whoever comes next goes on in the same tree. */
static void killed_at_any_moment(void **state)
{
	unsigned int seed = (unsigned int)getpid(), killed = 0;

	(void)state;
	print_message("seed %u\n", seed);
	for (unsigned int i = 0; i < KILLS; i++) {
		int64_t ns;
		pid_t pid;

		if (i == 0 || i == KILLS / 2) {
			reopen(BENCH_CACHE, i == 0);
			expect_reference();
		}
		forget();
		ns = takes_ns / 1000 * (rand_r(&seed) % 1000);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			build_in_child();
		clock_sleep_ms(ns / NS_PER_MS);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &(int){ 0 }, 0), pid);
		killed++;
		if (i % 5 == 4)
			expect_reference();
	}
	assert_int_equal(killed, KILLS);
	expect_reference();
	/* and nothing of all these builds runs on */
	free(bench_sh("! pgrep -f '[t]rees/.*/linux.*modules' >&2"));
}

/* __FILE__ and the like: the tree's place leaves no trace. The tree itself is moved there and back. */
static void same_bytes_wherever_the_tree_lies(void **state)
{
	static const char other[] = BENCH_CACHE "/elsewhere/and/deeper";
	char there[65];

	(void)state;
	reopen(BENCH_CACHE, false);
	expect_reference();
	free(bench_sh("rm -rf '%s' && mkdir -p '%s' && mv '%s/trees' '%s/'",
		      BENCH_CACHE "/elsewhere", other, BENCH_CACHE, other));
	reopen(other, false);
	build_base(there);
	builder_close(bench.builder);
	bench.builder = NULL;
	free(bench_sh("mv '%s/trees' '%s/' && rm -rf '%s'", other, BENCH_CACHE,
		      BENCH_CACHE "/elsewhere"));
	reopen(BENCH_CACHE, false);
	assert_string_equal(there, reference);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ccache_gives_the_same_bytes),
		cmocka_unit_test(header_that_is_restored_gives_the_same_bytes),
		cmocka_unit_test(ccache_without_room_fails_no_build),
		cmocka_unit_test(full_disk_in_the_middle_of_a_link),
		cmocka_unit_test(too_little_memory_for_the_compiler),
		cmocka_unit_test(killed_at_any_moment),
		cmocka_unit_test(same_bytes_wherever_the_tree_lies),
	};
	int failed;

	if (!bench_open(&bench)) {
		bench_close(&bench);
		return 77;
	}
	reopen(BENCH_CACHE, false);
	build_base(reference);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	bench_close(&bench);
	return failed;
}
