// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose fault it is when make fails: a few files in place of a kernel, real tools, real causes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "base/str.h"
#include "build/cc/ccache.h"
#include "build/make/maker.h"

#define MAKEFILE                                        \
	"modules: x.ko\n"                               \
	"x.ko: a.o b.o\n"                               \
	"\t@echo '  LD [M]  $@'; ld -r -o $@ a.o b.o\n" \
	"%.o: %.c\n"                                    \
	"\t@echo '  CC [M]  $@'; $(CC) -c -o $@ $<\n"

struct place {
	char dir[40];
	char *tree, *log, *cc, *counts;
	struct maker m;
	char *path; /* PATH as it was */
};

static void put(const char *path, const char *text, mode_t mode)
{
	struct err err = { 0 };

	if (fs_write(path, text, strlen(text), &err) < 0 || chmod(path, mode) < 0)
		fail_msg("%s: %s", path, err.msg);
}

static void put_in(const struct place *p, const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", p->tree, name);

	put(path, text, 0644);
}

/* From now on CC is a script; gcc in it is the real one. */
static void compiler(struct place *p, const char *script)
{
	_cleanup_free_ char *text = str_printf("#!/bin/sh\n%s\nexec gcc \"$@\"\n", script);

	put(p->cc, text, 0755);
	p->m.cc = p->cc;
}

static int setup(void **state)
{
	struct place *p = xcalloc(1, sizeof(*p));
	struct err err = { 0 };

	strcpy(p->dir, "/tmp/test-maker-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	p->tree = str_printf("%s/linux", p->dir);
	p->log = str_printf("%s/log", p->dir);
	p->cc = str_printf("%s/cc", p->dir);
	p->counts = str_printf("%s/counts", p->dir);
	p->path = xstrdup(getenv("PATH"));
	assert_int_equal(fs_mkdirs(p->tree, &err), 0);
	put_in(p, "Makefile", MAKEFILE);
	put_in(p, "a.c", "int a(void);\nint a(void)\n{\n\treturn 1;\n}\n");
	put_in(p, "b.c", "int b(void);\nint b(void)\n{\n\treturn 2;\n}\n");
	p->m = (struct maker){ .tree = p->tree, .release = "6.1.0", .cc = "gcc", .jobs = 2 };
	*state = p;
	return 0;
}

static int teardown(void **state)
{
	struct place *p = *state;
	struct err err = { 0 };

	setenv("PATH", p->path, 1);
	assert_int_equal(fs_remove_tree(p->dir, &err), 0);
	free(p->tree);
	free(p->log);
	free(p->cc);
	free(p->counts);
	free(p->path);
	free(p);
	return 0;
}

static void remove_objects(const struct place *p)
{
	static const char *const names[] = { "a.o", "b.o", "x.ko" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", p->tree, names[i]);

		unlink(path);
	}
}

static int make(const struct place *p, struct err *err)
{
	*err = (struct err){ 0 };
	return maker_run(&p->m, (const char *const[]){ "modules", NULL }, p->log, err);
}

static void works(const struct place *p)
{
	struct err err;

	if (make(p, &err) < 0)
		fail_msg("%s: %s", err_kind_name(err.kind), err.msg);
}

static void fails(const struct place *p, enum err_kind kind, const char *words)
{
	struct err err;

	assert_int_equal(make(p, &err), -1);
	if (err.kind != kind || !strstr(err.msg, words))
		fail_msg("%s: '%s' does not say '%s'", err_kind_name(err.kind), err.msg, words);
}

static unsigned int times_in_log(const struct place *p, const char *word)
{
	_cleanup_free_ char *text = NULL;
	struct err err = { 0 };
	unsigned int n = 0;

	assert_int_equal(fs_read(p->log, 1 << 20, &text, NULL, &err), 0);
	for (const char *t = text; (t = strstr(t, word)); t++)
		n++;
	return n;
}

static void missing_make_says_nothing_about_the_candidate(void **state)
{
	struct place *p = *state;
	_cleanup_free_ char *env = spawn_find("env");
	_cleanup_free_ char *link = str_printf("%s/env", p->dir);

	assert_non_null(env);
	assert_int_equal(symlink(env, link), 0);
	setenv("PATH", p->dir, 1);
	fails(p, ERR_HOST, "apt install make");
}

static void mistake_in_a_source_is_the_candidates(void **state)
{
	struct place *p = *state;

	put_in(p, "b.c", "int b(void)\n{\n\treturn gone;\n}\n");
	fails(p, ERR_BUILD, "b.c: b(): 'gone' undeclared");
}

/* Neither make's order of jobs nor their number decides which of two mistakes is told. */
static void two_mistakes_have_one_text(void **state)
{
	struct place *p = *state;

	put_in(p, "a.c", "int a(void)\n{\n\treturn gone;\n}\n");
	put_in(p, "b.c", "int b(void)\n{\n\treturn lost;\n}\n");
	for (unsigned int i = 0; i < 4; i++)
		fails(p, ERR_BUILD, "a.c: a(): 'gone' undeclared");
	compiler(p, "case \"$*\" in *a.c) sleep 0.3;; esac");
	fails(p, ERR_BUILD, "a.c: a(): 'gone' undeclared");
}

static void killed_compiler_is_the_rigs(void **state)
{
	struct place *p = *state;

	compiler(p, "case \"$*\" in *a.c) kill -9 $$;; esac");
	fails(p, ERR_HOST, "Killed");
	compiler(p, "");
	works(p);
}

/* Each fails without a word that a list could hold: only the canary tells. */
static void broken_toolchain_is_the_rigs(void **state)
{
	static const char *const broken[] = {
		"exit 1",				      /* says nothing */
		"echo 'cc: error: broken specs' >&2; exit 1", /* looks like a tool that refuses */
		"[ \"$1\" = --version ] || exit 0",	      /* compiles nothing, and is content */
		"echo garbage; exit 3",
		"case \"$*\" in *-c*) gcc \"$@\" && for o; do case $o in *.o) echo x >$o;; esac; "
		"done; "
		"exit;; esac", /* objects that are none */
	};
	struct place *p = *state;

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		compiler(p, broken[i]);
		fails(p, ERR_HOST, "do not work here");
		remove_objects(p);
	}
}

static void too_little_memory_is_the_rigs(void **state)
{
	struct place *p = *state;

	/* once for as much as cc1 finds words for, once for so little that it crashes */
	p->m.cc = "prlimit --as=45000000 gcc";
	fails(p, ERR_HOST, "");
	p->m.cc = "prlimit --as=30000000 gcc";
	fails(p, ERR_HOST, "");
}

static void crash_that_comes_again_is_the_candidates(void **state)
{
	struct place *p = *state;

	compiler(p, "case \"$*\" in *a.c) echo 'a.c:3:1: internal compiler error: in expand, at "
		    "expr.c:12' >&2; exit 4;; esac");
	fails(p, ERR_BUILD, "a.c: internal compiler error: in expand, at expr.c:12");
	assert_int_equal(times_in_log(p, "internal compiler error"), 2);
}

/* ...unless memory is limited: cc1 crashes the same way each time then. The limit itself is not reached. */
static void crash_under_a_limit_is_the_rigs(void **state)
{
	struct place *p = *state;
	struct rlimit was, limit;

	compiler(p, "case \"$*\" in *a.c) kill -SEGV $$;; esac");
	assert_int_equal(getrlimit(RLIMIT_DATA, &was), 0);
	limit = (struct rlimit){ .rlim_cur = (rlim_t)1 << 50, .rlim_max = was.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_DATA, &limit), 0);
	fails(p, ERR_HOST, "ulimit");
	assert_int_equal(setrlimit(RLIMIT_DATA, &was), 0);
	fails(p, ERR_BUILD, "Segmentation fault");
}

static void crash_that_does_not_come_again_is_forgotten(void **state)
{
	struct place *p = *state;

	compiler(p, "case \"$*\" in *a.c) if [ ! -e $0.crashed ]; then touch $0.crashed; kill "
		    "-SEGV $$; "
		    "fi;; esac");
	works(p);
	assert_int_equal(times_in_log(p, "Segmentation fault"), 1);
}

static void crashes_at_two_places_are_the_rigs(void **state)
{
	struct place *p = *state;

	p->m.jobs = 1;
	compiler(p, "case \"$*\" in *a.c) if [ ! -e $0.crashed ]; then touch $0.crashed; kill "
		    "-SEGV $$; "
		    "fi;; *b.c) kill -SEGV $$;; esac");
	fails(p, ERR_HOST, "is the memory sound?");
}

/* A small disk of its own for the tree; false: not possible here. */
static bool mount_small(const struct place *p)
{
	/* in a name space of our own, so that it goes with this program */
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", p->tree, "tmpfs", 0, "size=256k") < 0) {
		print_message("skipped: only root can mount a small disk\n");
		return false;
	}
	put_in(p, "a.c", "int a(void);\nint a(void)\n{\n\treturn 1;\n}\n");
	put_in(p, "b.c", "char big[200000] = { 1 };\n");
	return true;
}

static void full_disk_in_a_link_is_the_rigs(void **state)
{
	struct place *p = *state;

	if (!mount_small(p))
		skip();
	put_in(p, "Makefile", MAKEFILE);
	fails(p, ERR_HOST, "cut short by this machine");
	assert_int_equal(times_in_log(p, "LD [M]"), 1);
	assert_int_equal(umount(p->tree), 0);
	works(p);
}

/* A tool that says nothing of why: the free space itself is looked at. */
static void full_disk_without_a_word_is_the_rigs(void **state)
{
	struct place *p = *state;

	if (!mount_small(p))
		skip();
	put_in(p, "Makefile", "modules:\n\t@head -c 900000 /dev/zero 2>/dev/null >x || exit 1\n");
	fails(p, ERR_HOST, "MiB are free in");
	assert_int_equal(umount(p->tree), 0);
}

/* A ccache of ours in place of the real one; it runs the script before it passes the call on. */
static void own_ccache(const struct place *p, const char *script)
{
	_cleanup_free_ char *path = str_printf("%s/ccache", p->dir);
	_cleanup_free_ char *all = str_printf("%s:%s", p->dir, p->path);
	_cleanup_free_ char *text = str_printf("#!/bin/sh\n"
					       "if [ \"$1\" = --version ]; then\n"
					       "\techo ccache version 4\n"
					       "\texit\n"
					       "fi\n"
					       "%s\n"
					       "exec \"$@\"\n",
					       script);

	put(path, text, 0755);
	setenv("PATH", all, 1);
}

static unsigned int warnings(FILE *out)
{
	char line[1024];
	unsigned int n = 0;

	rewind(out);
	while (fgets(line, sizeof(line), out))
		n += strstr(line, "ccache is not used") != NULL;
	return n;
}

/* Builds twice with such a ccache, the second time from clean. */
static void works_with_ccache(struct place *p, const char *script, unsigned int want_warnings)
{
	_cleanup_free_ char *cache = str_printf("%s/cache", p->dir);
	_cleanup_fclose_ FILE *out = tmpfile();
	struct progress *progress = progress_create(out, false);
	struct ccache *c;

	own_ccache(p, script);
	c = ccache_create(cache, UINT64_C(1) << 30, progress);
	assert_non_null(c);
	p->m.ccache = c;
	for (unsigned int i = 0; i < 2; i++) {
		works(p);
		remove_objects(p);
	}
	assert_int_equal(ccache_in_use(c), !want_warnings);
	ccache_destroy(c);
	p->m.ccache = NULL;
	progress_destroy(progress);
	assert_int_equal(warnings(out), want_warnings);
}

static void broken_ccache_costs_a_warning_and_no_build(void **state)
{
	struct place *p = *state;

	works_with_ccache(p, "", 0);
	works_with_ccache(p, "echo 'ccache: error: Failed to create temporary file' >&2; exit 1",
			  1);
	works_with_ccache(p, "exit 1", 1);
	works_with_ccache(p, "[ -n \"$CCACHE_DISABLE\" ] || exit 1", 1);
}

static void ccache_without_a_directory_is_left_out(void **state)
{
	struct place *p = *state;
	_cleanup_free_ char *cache = str_printf("%s/log", p->dir);
	_cleanup_fclose_ FILE *out = tmpfile();
	struct progress *progress = progress_create(out, false);

	put(cache, "a file", 0644);
	own_ccache(p, "");
	assert_null(ccache_create(cache, UINT64_C(1) << 30, progress));
	progress_destroy(progress);
	assert_int_equal(warnings(out), 1);
}

/* What ccache is told, by what a ccache of ours writes down; nothing of the user's comes through. */
static void ccache_has_settings_of_its_own(void **state)
{
	struct place *p = *state;
	_cleanup_free_ char *script = str_printf("env | grep ^CCACHE_ | sort >%s/seen", p->dir);
	_cleanup_free_ char *path = str_printf("%s/seen", p->dir);
	_cleanup_free_ char *want = str_printf("CCACHE_DIR=%s/cache/ccache\n", p->dir);
	_cleanup_free_ char *seen = NULL;
	struct err err = { 0 };

	setenv("CCACHE_PREFIX", "distcc", 1);
	setenv("CCACHE_DISABLE", "1", 1);
	works_with_ccache(p, script, 0);
	unsetenv("CCACHE_PREFIX");
	unsetenv("CCACHE_DISABLE");
	assert_int_equal(fs_read(path, 1 << 16, &seen, NULL, &err), 0);
	assert_non_null(strstr(seen, want));
	assert_non_null(strstr(seen, "CCACHE_MAXSIZE=256Mi\n"));
	assert_null(strstr(seen, "CCACHE_PREFIX"));
	assert_null(strstr(seen, "CCACHE_DISABLE"));
}

/* Each of these is known to change objects or the config that come out of a Kbuild that sees it. */
static void nothing_of_the_callers_environment_changes_a_build(void **state)
{
	static const char *const theirs[] = {
		"KCONFIG_CONFIG",
		"KCONFIG_ALLCONFIG",
		"KCONFIG_OVERWRITECONFIG",
		"KBUILD_MODPOST_WARN",
		"CONFIG_DRM_AMDGPU",
		"HOSTCFLAGS",
		"CROSS_COMPILE",
		"KCFLAGS",
		"LLVM_IAS",
		"CPATH",
		"SOURCE_DATE_EPOCH",
		"CFLAGS_MODULE",
	};
	struct place *p = *state;
	_cleanup_free_ char *path = str_printf("%s/seen", p->tree);
	_cleanup_free_ char *seen = NULL;
	struct err err = { 0 };

	put_in(p, "Makefile", "modules:\n\t@env >seen\n");
	for (size_t i = 0; i < ARRAY_SIZE(theirs); i++)
		setenv(theirs[i], "/theirs", 1);
	setenv("KBUILD_BUILD_USER", "/theirs", 1);
	works(p);
	for (size_t i = 0; i < ARRAY_SIZE(theirs); i++)
		unsetenv(theirs[i]);
	unsetenv("KBUILD_BUILD_USER");
	assert_int_equal(fs_read(path, 1 << 20, &seen, NULL, &err), 0);
	assert_null(strstr(seen, "/theirs"));
	assert_non_null(strstr(seen, "KBUILD_BUILD_USER=amdgpu-bisect\n"));
}

static unsigned int details(FILE *out, const char *words)
{
	char line[1024];
	unsigned int n = 0;

	rewind(out);
	while (fgets(line, sizeof(line), out))
		n += strstr(line, words) != NULL;
	return n;
}

static void last_build_says_how_many_objects_to_expect(void **state)
{
	struct place *p = *state;
	_cleanup_free_ char *kept = NULL;
	unsigned int objects = 0;
	struct err err = { 0 };

	p->m.counts = p->counts;
	p->m.objects = &objects;
	works(p);
	assert_int_equal(objects, 2);
	put_in(p, "b.c", "int b(void);\nint b(void)\n{\n\treturn 3;\n}\n");
	works(p);
	assert_int_equal(objects, 3);
	assert_int_equal(fs_read(p->counts, 1 << 16, &kept, NULL, &err), 0);
	assert_string_equal(kept, "first modules 2\nagain modules 1\n");
	remove_objects(p);
	for (unsigned int i = 0; i < 2; i++) {
		_cleanup_fclose_ FILE *out = tmpfile();

		p->m.progress = progress_create(out, false);
		progress_stage(p->m.progress, "build", -1);
		p->m.jobs = 1;
		works(p);
		progress_stage(p->m.progress, NULL, -1);
		progress_destroy(p->m.progress);
		p->m.progress = NULL;
		/* from clean, and then nothing at all: never "2 of 0" or "0 of 1" at the end */
		assert_int_equal(details(out, "2 objects, linking"), i == 0);
		assert_int_equal(details(out, " of "), 0);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(missing_make_says_nothing_about_the_candidate),
		TEST(nothing_of_the_callers_environment_changes_a_build),
		TEST(mistake_in_a_source_is_the_candidates),
		TEST(two_mistakes_have_one_text),
		TEST(killed_compiler_is_the_rigs),
		TEST(broken_toolchain_is_the_rigs),
		TEST(too_little_memory_is_the_rigs),
		TEST(crash_that_comes_again_is_the_candidates),
		TEST(crash_under_a_limit_is_the_rigs),
		TEST(crash_that_does_not_come_again_is_forgotten),
		TEST(crashes_at_two_places_are_the_rigs),
		TEST(full_disk_in_a_link_is_the_rigs),
		TEST(full_disk_without_a_word_is_the_rigs),
		TEST(broken_ccache_costs_a_warning_and_no_build),
		TEST(ccache_without_a_directory_is_left_out),
		TEST(ccache_has_settings_of_its_own),
		TEST(last_build_says_how_many_objects_to_expect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
