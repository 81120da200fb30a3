// SPDX-License-Identifier: GPL-2.0-or-later
/* Artifacts by key: what comes back, what is noticed, and several controllers at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/cache/cache.h"
#include "build/make/signature.h"
#include "compile.h"

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char root[32];
static char *artifacts, *own, *failed, *module, *run_log;
static char *said; /* by the progress, since the last look */
static size_t said_len;
static FILE *said_file;
static struct progress *progress;
static struct err err;

static int setup(void **state)
{
	_cleanup_free_ char *source = str_printf("%sint f(void) { return 1; }", compile_modinfo);

	(void)state;
	str_copy(root, sizeof(root), "/tmp/build-cache-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	artifacts = str_printf("%s/artifacts", root);
	own = str_printf("%s/" KEY, artifacts);
	failed = str_printf("%s/" KEY ".failed", artifacts);
	module = str_printf("%s/module.ko", root);
	run_log = str_printf("%s/build.log", root);
	compile(module, source, "-Wl,--build-id");
	said_file = open_memstream(&said, &said_len);
	progress = progress_create(said_file, false);
	err = (struct err){ 0 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	progress_destroy(progress);
	fclose(said_file);
	free(said);
	free(artifacts);
	free(own);
	free(failed);
	free(module);
	free(run_log);
	return fs_remove_tree(root, &err);
}

static bool damage_was_said(void)
{
	bool was;

	fflush(said_file);
	was = said && strstr(said, "was damaged");
	rewind(said_file);
	fputc('\0', said_file);
	rewind(said_file);
	return was;
}

static void put_text(const char *path, const char *text)
{
	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
}

static void append_text(const char *path, const char *text)
{
	_cleanup_fclose_ FILE *f = fopen(path, "a");

	assert_true(fputs(text, f) >= 0);
}

static char *text_of(const char *path)
{
	char *text;

	assert_int_equal(fs_read(path, 4u << 20, &text, NULL, &err), 0);
	return text;
}

/* Everything an artifact can have, in a draft. */
static void fill(struct cache_draft *d, struct artifact *a, unsigned int modules)
{
	_cleanup_free_ char *depends = str_printf("%s/depends", d->path);
	_cleanup_free_ char *image = str_printf("%s/vmlinux", d->path);

	*a = (struct artifact){ .key = KEY, .scope = BUILD_SCOPE_KERNEL, .objects = 12 };
	for (a->n_modules = 0; a->n_modules < modules; a->n_modules++) {
		char *name = a->modules[a->n_modules].name;
		_cleanup_free_ char *to = NULL;

		snprintf(name, sizeof(a->modules[0].name), "m%zu", a->n_modules);
		to = str_printf("%s/%s.ko", d->path, name);
		assert_int_equal(fs_copy(module, to, &err), 0);
	}
	assert_int_equal(fs_copy(module, image, &err), 0);
	put_text(depends, "drivers/gpu/drm/amd/amdgpu/amdgpu_mn.c\n");
	a->image = xstrdup("vmlinux");
	strv_add(&a->depends,
		 "m0"); /* its own: not to be packed, but that is for the builder to know */
	strv_add(&a->patches, "fix.patch");
	strv_add(&a->patches, "odd\nname 100%0A.patch");
}

static void store(const char *log, unsigned int modules)
{
	_cleanup_(cache_draft_deinit) struct cache_draft d = { 0 };
	_cleanup_(artifact_deinit) struct artifact a = { 0 };

	assert_int_equal(cache_draft(artifacts, NULL, &d, &err), 0);
	if (log) {
		cache_draft_deinit(&d);
		put_text(run_log, "of an earlier candidate\n");
		assert_int_equal(cache_draft(artifacts, run_log, &d, &err), 0);
		append_text(run_log, log);
	}
	fill(&d, &a, modules);
	if (cache_store(artifacts, &d, &a, &err) < 0)
		fail_msg("%s", err.msg);
	assert_null(d.path);
	assert_non_null(a.hold);
}

static int load(struct artifact *a)
{
	*a = (struct artifact){ 0 };
	return cache_load(artifacts, KEY, NULL, progress, a, &err);
}

static int load_and_drop(void)
{
	struct artifact a;
	int rc = load(&a);

	if (rc == 1)
		artifact_deinit(&a);
	return rc;
}

static unsigned int entries(void)
{
	_cleanup_closedir_ DIR *d = opendir(artifacts);
	unsigned int n = 0;
	struct dirent *e;

	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	return n;
}

static void artifact_comes_back_as_it_was(void **state)
{
	_cleanup_free_ char *first = str_printf("%s/m0.ko", own);
	_cleanup_free_ char *last = str_printf("%s/m31.ko", own);
	_cleanup_free_ char *image = str_printf("%s/vmlinux", own);
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	const char *paths[BUILD_MODULES_MAX + 1];
	char signature[65];
	struct stat st;

	(void)state;
	assert_int_equal(load_and_drop(), 0);
	store(NULL, BUILD_MODULES_MAX);
	assert_int_equal(load(&a), 1);
	assert_string_equal(a.key, KEY);
	assert_int_equal(a.scope, BUILD_SCOPE_KERNEL);
	assert_int_equal(a.n_modules, BUILD_MODULES_MAX);
	assert_string_equal(a.modules[0].path, first);
	assert_string_equal(a.modules[31].path, last);
	assert_string_equal(a.image, image);
	assert_string_equal(a.modules[5].srcversion, "0123456789ABCDEF0123456");
	assert_int_equal(stat(a.modules[5].path, &st), 0);
	assert_int_equal(a.modules[5].bytes, st.st_size);
	assert_int_equal(a.depends.n, 3);
	assert_string_equal(a.depends.items[1], "drm");
	assert_int_equal(a.patches.n, 2);
	assert_string_equal(a.patches.items[1], "odd\nname 100%0A.patch");
	assert_int_equal(a.objects, 0);
	assert_true(a.cached);
	for (size_t i = 0; i < a.n_modules; i++)
		paths[i] = a.modules[i].path;
	paths[a.n_modules] = a.image;
	assert_int_equal(signature_of(paths, a.n_modules + 1, signature, &err), 0);
	assert_string_equal(a.signature, signature);
	assert_int_equal(entries(), 1);
	assert_false(damage_was_said());
}

/* A copy beside the cache, to be damaged again and again. */
static void copy_entry(const char *from, const char *to)
{
	_cleanup_closedir_ DIR *d = opendir(from);
	struct dirent *e;

	assert_int_equal(fs_mkdirs(to, &err), 0);
	while ((e = readdir(d))) {
		_cleanup_free_ char *in = str_printf("%s/%s", from, e->d_name);
		_cleanup_free_ char *out = str_printf("%s/%s", to, e->d_name);
		_cleanup_fclose_ FILE *f = NULL;
		_cleanup_free_ char *data = NULL;
		size_t len;

		if (e->d_name[0] == '.')
			continue;
		assert_int_equal(fs_read(in, 4u << 20, &data, &len, &err), 0);
		f = fopen(out, "w");
		assert_int_equal(fwrite(data, 1, len, f), len);
	}
}

enum how { FLIP, CUT };

static void damage(const char *path, off_t at, enum how how)
{
	_cleanup_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
	unsigned char byte;

	if (how == CUT) {
		assert_int_equal(ftruncate(fd, at), 0);
		return;
	}
	assert_int_equal(pread(fd, &byte, 1, at), 1);
	byte ^= (unsigned char)(1u << (at & 7));
	assert_int_equal(pwrite(fd, &byte, 1, at), 1);
}

/* Each byte of each file of an entry, or every few of the large ones. */
static void damage_everywhere(const char *entry)
{
	_cleanup_free_ char *pristine = str_printf("%s/pristine", root);
	_cleanup_closedir_ DIR *d = NULL;
	unsigned int files = 0;
	struct dirent *e;

	copy_entry(entry, pristine);
	assert_int_equal(fs_remove_tree(entry, &err), 0);
	d = opendir(pristine);
	while ((e = readdir(d))) {
		_cleanup_free_ char *path = str_printf("%s/%s", entry, e->d_name);
		_cleanup_free_ char *from = str_printf("%s/%s", pristine, e->d_name);
		struct stat st;

		if (e->d_name[0] == '.')
			continue;
		files++;
		assert_int_equal(stat(from, &st), 0);
		for (off_t at = 0; at<st.st_size; at += st.st_size> 1000 ? 7 : 1) {
			copy_entry(pristine, entry);
			damage(path, at, at % 3 ? FLIP : CUT);
			assert_int_equal(load_and_drop(), 0);
			assert_false(fs_exists(entry));
			assert_true(damage_was_said());
		}
	}
	assert_true(files >= 3);
	copy_entry(pristine, entry);
}

static void a_flipped_byte_anywhere_is_noticed(void **state)
{
	(void)state;
	store("  CC [M]  amdgpu_mn.o\n", 1);
	damage_everywhere(own);
	assert_int_equal(load_and_drop(), 1);
	assert_int_equal(entries(), 1);
}

static void an_entry_that_lacks_a_file_is_removed(void **state)
{
	static const char *const names[] = { "m0.ko", "vmlinux", "depends", "artifact" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		_cleanup_free_ char *path = str_printf("%s/%s", own, names[i]);

		store(NULL, 1);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(load_and_drop(), 0);
		assert_false(fs_exists(own));
		store(NULL, 1);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(mkdir(path, 0777), 0);
		assert_int_equal(load_and_drop(), 0);
		assert_false(fs_exists(own));
	}
	put_text(own, "no directory");
	assert_int_equal(load_and_drop(), 0);
	assert_false(fs_exists(own));
}

static void store_failure(const char *text, const char *log)
{
	_cleanup_(cache_draft_deinit) struct cache_draft d = { 0 };
	struct err why = { 0 };

	if (log)
		put_text(run_log, "of an earlier candidate\n");
	assert_int_equal(cache_draft(artifacts, run_log, &d, &err), 0);
	if (log)
		append_text(run_log, log);
	why.kind = ERR_BUILD;
	str_copy(why.msg, sizeof(why.msg), text);
	assert_int_equal(cache_store_failure(artifacts, &d, KEY, &why, &err), 0);
}

static void failure_is_told_again_with_the_same_words(void **state)
{
	static const char *const texts[] = { "x.c: no", "x.c: '\xff\xfe' und \xc3\xa4", "a%sb%n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		store_failure(texts[i], NULL);
		assert_int_equal(load_and_drop(), -1);
		assert_int_equal(err.kind, ERR_BUILD);
		assert_string_equal(err.msg, texts[i]);
		assert_int_equal(fs_remove_tree(failed, &err), 0);
	}
	store_failure("first\nsecond", NULL);
	assert_int_equal(load_and_drop(), -1);
	assert_string_equal(err.msg, "first second");
	assert_int_equal(entries(), 1);
}

static void a_damaged_failure_is_built_again(void **state)
{
	(void)state;
	store_failure("x.c: no", "x.c:3: error: no\n");
	damage_everywhere(failed);
	assert_int_equal(load_and_drop(), -1);
	assert_int_equal(fs_remove_tree(failed, &err), 0);
	/* as it was before there were logs */
	put_text(failed, "x.c: no");
	assert_int_equal(load_and_drop(), 0);
	assert_false(fs_exists(failed));
	store_failure("", NULL);
	assert_int_equal(load_and_drop(), 0);
}

static void only_the_candidates_own_failures_are_kept(void **state)
{
	static const enum err_kind kinds[] = { ERR_HOST, ERR_STOPPED, ERR_USAGE };
	_cleanup_(cache_draft_deinit) struct cache_draft d = { 0 };
	struct err why = { .msg = "cc1: killed" };

	(void)state;
	assert_int_equal(cache_draft(artifacts, NULL, &d, &err), 0);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		why.kind = kinds[i];
		assert_int_equal(cache_store_failure(artifacts, &d, KEY, &why, &err), 0);
		assert_int_equal(load_and_drop(), 0);
	}
	assert_int_equal(entries(), 1);
}

static void the_log_comes_with_artifact_and_failure(void **state)
{
	_cleanup_free_ char *log = str_printf("%s/later.log", root);
	_cleanup_free_ char *got = NULL;
	_cleanup_free_ char *both = NULL;
	_cleanup_(artifact_deinit) struct artifact a = { 0 };

	(void)state;
	store("  CC [M]  amdgpu_mn.o\nlast line", 1);
	put_text(log, "before\n");
	assert_int_equal(cache_load(artifacts, KEY, log, NULL, &a, &err), 1);
	got = text_of(log);
	assert_true(str_starts(got, "before\nFrom the cache, " KEY));
	assert_true(str_ends(got, "\n  CC [M]  amdgpu_mn.o\nlast line"));
	assert_null(strstr(got, "earlier"));
	artifact_deinit(&a);
	assert_int_equal(fs_remove_tree(own, &err), 0);
	store_failure("x.c: no", "x.c:3: error: no\n");
	assert_int_equal(cache_load(artifacts, KEY, log, NULL, &a, &err), -1);
	both = text_of(log);
	assert_true(str_ends(both, "\nx.c:3: error: no\n"));
	assert_null(strstr(both, "earlier"));
}

static void of_a_long_log_the_end_is_kept_in_whole_lines(void **state)
{
	_cleanup_free_ char *kept = str_printf("%s/log", own);
	_cleanup_free_ char *got = NULL;
	_cleanup_buf_ struct buf log = { 0 };

	(void)state;
	for (int i = 0; log.len < 2 * CACHE_LOG_MAX_BYTES; i++)
		buf_printf(&log, "line %d\n", i);
	store(log.data, 1);
	got = text_of(kept);
	assert_true(strlen(got) <= CACHE_LOG_MAX_BYTES);
	assert_true(strlen(got) > CACHE_LOG_MAX_BYTES - 20);
	assert_true(str_starts(got, "line "));
	assert_string_equal(got, log.data + log.len - strlen(got));
}

/* Another controller that has the artifact in hand until it is killed. */
static pid_t user(void)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		struct artifact a;

		if (cache_load(artifacts, KEY, NULL, NULL, &a, &err) != 1 ||
		    write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void what_a_trial_uses_does_not_vanish_under_it(void **state)
{
	struct artifact a;
	pid_t pid;

	(void)state;
	store(NULL, 1);
	pid = user();
	assert_int_equal(cache_trim(artifacts, 4, "another", &err), 0);
	assert_int_equal(load(&a), 1);
	end(pid);
	assert_int_equal(cache_trim(artifacts, 4, "another", &err), 0);
	assert_true(fs_exists(a.image));
	artifact_deinit(&a);
	assert_int_equal(cache_trim(artifacts, 4, "another", &err), 0);
	assert_int_equal(entries(), 0);
}

static void a_damaged_entry_in_use_is_replaced_in_place(void **state)
{
	_cleanup_free_ char *path = str_printf("%s/m0.ko", own);
	pid_t pid;

	(void)state;
	store(NULL, 1);
	pid = user();
	damage(path, 100, FLIP);
	assert_int_equal(load_and_drop(), 0);
	assert_true(fs_exists(path));
	store(NULL, 1);
	assert_int_equal(load_and_drop(), 1);
	assert_int_equal(entries(), 1);
	end(pid);
}

static void a_quarter_is_for_artifacts_and_the_last_used_stay(void **state)
{
	_cleanup_free_ char *older = str_printf("%s/older", artifacts);
	const struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct stat st;

	(void)state;
	store(NULL, 1);
	copy_entry(own, older);
	assert_int_equal(utimensat(AT_FDCWD, older, times, 0), 0);
	assert_int_equal(utimensat(AT_FDCWD, own, times, 0), 0);
	assert_int_equal(load_and_drop(), 1);
	assert_int_equal(stat(own, &st), 0);
	assert_true(st.st_mtime > 1000);
	assert_int_equal(cache_trim(artifacts, 0, "", &err), 0);
	assert_int_equal(entries(), 2);
	/* room for one of two */
	assert_int_equal(cache_trim(artifacts, UINT64_C(4) * 40000, "", &err), 0);
	assert_true(fs_exists(own));
	assert_false(fs_exists(older));
}

static void the_second_to_store_gets_what_the_first_stored(void **state)
{
	_cleanup_(cache_draft_deinit) struct cache_draft d = { 0 };
	_cleanup_(artifact_deinit) struct artifact a = { 0 };
	_cleanup_free_ char *path = str_printf("%s/m0.ko", own);
	struct stat before, after;

	(void)state;
	store(NULL, 1);
	assert_int_equal(stat(path, &before), 0);
	assert_int_equal(cache_draft(artifacts, NULL, &d, &err), 0);
	fill(&d, &a, 1);
	assert_int_equal(cache_store(artifacts, &d, &a, &err), 0);
	assert_string_equal(a.modules[0].path, path);
	assert_int_equal(a.objects, 12);
	assert_false(a.cached);
	assert_non_null(a.hold);
	assert_int_equal(stat(path, &after), 0);
	assert_int_equal(before.st_ino, after.st_ino);
	assert_int_equal(entries(), 1);
}

static void controllers_that_store_load_and_trim_at_once_get_along(void **state)
{
	pid_t pids[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		pids[i] = fork();
		for (int n = 0; pids[i] == 0 && n < 60; n++) {
			store("log\n", 1);
			load_and_drop();
			if (cache_trim(artifacts, 4, "", &err) < 0 ||
			    cache_open(artifacts, &err) < 0)
				_exit(2);
		}
		if (pids[i] == 0)
			_exit(damage_was_said());
	}
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
	assert_int_equal(cache_open(artifacts, &err), 0);
	assert_true(entries() <= 1);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(artifact_comes_back_as_it_was),
		T(a_flipped_byte_anywhere_is_noticed),
		T(an_entry_that_lacks_a_file_is_removed),
		T(failure_is_told_again_with_the_same_words),
		T(a_damaged_failure_is_built_again),
		T(only_the_candidates_own_failures_are_kept),
		T(the_log_comes_with_artifact_and_failure),
		T(of_a_long_log_the_end_is_kept_in_whole_lines),
		T(what_a_trial_uses_does_not_vanish_under_it),
		T(a_damaged_entry_in_use_is_replaced_in_place),
		T(a_quarter_is_for_artifacts_and_the_last_used_stay),
		T(the_second_to_store_gets_what_the_first_stored),
		T(controllers_that_store_load_and_trim_at_once_get_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
