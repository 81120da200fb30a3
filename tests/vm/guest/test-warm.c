// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guests that are restored: each is as if it had just been booted, and whatever happens to the saved
 * one costs a boot and nothing else.
 */
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/spawn.h"
#include "kit/trial.h"

#define POKE_AT "/sys/module/faulty/parameters/poke"

static char work[] = "/tmp/amdgpu-bisect-warm.XXXXXX";
static const char *const probes[] = { POKE };
static const char *const pack[] = { "drm" };
static const char *const packed[] = { "drm" };
static char *faulty_ko;
static struct guest_spec spec;
static struct rig *rig;

static int set_up(void **state)
{
	struct err err;

	(void)state;
	if (kit_begin(&spec, work, AGENT, probes, ARRAY_SIZE(probes)) < 0)
		return -1;
	spec.pack = pack;
	spec.n_pack = ARRAY_SIZE(pack);
	spec.limit.load_ms = 15000;
	spec.limit.probe_ms = 10000;
	faulty_ko = kit_faulty(work);
	if (rig_open(&spec, &rig, &err) < 0) {
		print_error("%s\n", err.msg);
		return -1;
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	rig_close(rig);
	free(faulty_ko);
	return kit_end(work);
}

/* A trial with the faulty module, if @when is given, and what is poked. */
static struct trial try_with(struct rig *r, const char *label, const char *when, const char *args)
{
	_cleanup_free_ char *params = when ? str_printf("when=%s", when) : NULL;
	struct trial_module m = { .name = "faulty",
				  .path = faulty_ko,
				  .srcversion = "",
				  .build_id = "",
				  .params = params };
	struct trial_spec t = { .packed = packed,
				.n_packed = ARRAY_SIZE(packed),
				.modules = &m,
				.n_modules = when != NULL,
				.probe = "poke",
				.args = args ? args : "/dev/null x" };

	return kit_try(r, work, label, &t);
}

static void assert_trial(struct rig *r, const char *label, const char *when, const char *args,
			 enum guest_start start, enum trial_end end)
{
	struct trial t = try_with(r, label, when, args);

	assert_string_equal(trial_end_name(t.end), trial_end_name(end));
	assert_string_equal(guest_start_name(t.start), guest_start_name(start));
	trial_deinit(&t);
}

static size_t count(const char *dir, const char *pattern, char *ret, size_t size)
{
	_cleanup_free_ char *all = str_printf("%s/guest/warm/%s", dir, pattern);
	glob_t g = { 0 };
	size_t n;

	glob(all, 0, NULL, &g);
	n = g.gl_pathc;
	if (n && ret)
		str_copy(ret, size, g.gl_pathv[0]);
	globfree(&g);
	return n;
}

/* The one save there is. */
static const char *the_save(void)
{
	static char path[512];

	assert_int_equal(count(spec.cache_dir, "save-*", path, sizeof(path)), 1);
	return path;
}

static void what_a_module_does_is_told_warm_as_it_is_cold(void **state)
{
	static const struct {
		const char *when, *args;
		enum trial_end end;
	} cases[] = {
		{ "never", NULL, TRIAL_DONE },
		{ "fail", NULL, TRIAL_LOAD_FAILED },
		{ "oops", NULL, TRIAL_OOPS },
		{ "panic", NULL, TRIAL_PANIC },
		{ "never", POKE_AT " 1", TRIAL_OOPS },
		{ "never", "/nowhere x", TRIAL_PROBE_FAILED },
		{ "never", NULL, TRIAL_DONE },
	};
	struct guest_spec s = spec;
	_cleanup_(rig_close_p) struct rig *cold = NULL;
	const char *why;
	struct err err;

	(void)state;
	if (!faulty_ko)
		skip();
	s.start = GUEST_START_COLD;
	assert_int_equal(rig_open(&s, &cold, &err), 0);
	assert_int_equal(rig_start(cold, &why), GUEST_START_COLD);
	assert_string_equal(why, "asked for");
	assert_int_equal(rig_start(rig, NULL), GUEST_START_WARM);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_trial(rig, "warm", cases[i].when, cases[i].args, GUEST_START_WARM,
			     cases[i].end);
		if (i < 3) /* tests/vm/guest has them all */
			assert_trial(cold, "cold", cases[i].when, cases[i].args, GUEST_START_COLD,
				     cases[i].end);
	}
	the_save();
}

static void nothing_a_trial_left_is_there_in_the_next(void **state)
{
	(void)state;
	if (!faulty_ko)
		skip();
	/* a module, a setting, a process in the kernel that hangs */
	assert_trial(rig, "leaves", "never", POKE_AT " 1", GUEST_START_WARM, TRIAL_OOPS);
	assert_trial(rig, "finds-no-module", NULL, POKE_AT " 1", GUEST_START_WARM,
		     TRIAL_PROBE_FAILED);
	assert_trial(rig, "leaves-a-setting", NULL, "/proc/sys/kernel/modules_disabled 1",
		     GUEST_START_WARM, TRIAL_DONE);
	assert_trial(rig, "loads-even-so", "never", NULL, GUEST_START_WARM, TRIAL_DONE);
	assert_trial(rig, "leaves-a-hang", "hang", NULL, GUEST_START_WARM, TRIAL_LOAD_HUNG);
	assert_trial(rig, "is-not-in-its-way", "never", NULL, GUEST_START_WARM, TRIAL_DONE);
}

static void trials_in_a_row_do_not_meet(void **state)
{
	int64_t begun = clock_now_ns();
	int fds = 0;

	(void)state;
	for (int i = 0; i < 10; i++) {
		assert_trial(rig, "in-a-row", NULL, NULL, GUEST_START_WARM, TRIAL_DONE);
		if (i == 0)
			fds = kit_fds();
	}
	print_message("10 in %.1f s\n", (clock_now_ns() - begun) / 1e9);
	clock_sleep_ms(1500);
	assert_int_equal(kit_qemus(getpid()), 0);
	if (kit_fds() > fds)
		fail_msg("%d descriptors are open, there were %d", kit_fds(), fds);
}

/* Another name of the same size would do as well: what counts is that the next trial is warm again. */
static void assert_made_anew(void)
{
	_cleanup_free_ char *sum = NULL;
	char digest[65];
	struct err err;

	assert_int_equal(fs_sha256_file(the_save(), digest, &err), 0);
	sum = str_printf("%.16s", digest);
	assert_non_null(strstr(the_save(), sum));
	assert_int_equal(count(spec.cache_dir, "making-*", NULL, 0), 0);
}

static void a_truncated_save_is_made_anew(void **state)
{
	(void)state;
	assert_trial(rig, "whole", NULL, NULL, GUEST_START_WARM, TRIAL_DONE);
	assert_int_equal(truncate(the_save(), 1 << 20), 0);
	assert_trial(rig, "truncated", NULL, NULL, GUEST_START_WARM, TRIAL_DONE);
	assert_made_anew();
	assert_int_equal(truncate(the_save(), 0), 0);
	assert_trial(rig, "empty", NULL, NULL, GUEST_START_WARM, TRIAL_DONE);
	assert_made_anew();
}

static void a_damaged_save_is_made_anew(void **state)
{
	int fd = open(the_save(), O_RDWR | O_CLOEXEC);
	char page[4096];
	struct stat st;

	(void)state;
	memset(page, 0xa5, sizeof(page));
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(pwrite(fd, page, sizeof(page), st.st_size / 2), sizeof(page));
	close(fd);
	assert_trial(rig, "damaged", NULL, NULL, GUEST_START_WARM, TRIAL_DONE);
	assert_made_anew();
}

/* Whole, as far as its name can tell, and no guest. */
static void a_save_that_cannot_be_restored_costs_a_boot(void **state)
{
	_cleanup_(rig_close_p) struct rig *r = NULL;
	_cleanup_free_ char *path = xstrdup(the_save());
	_cleanup_free_ char *fake = NULL;
	char digest[65];
	struct err err;

	(void)state;
	fs_sha256_text("no guest\n", 9, digest);
	fake = str_printf("%.*s-%.16s", (int)(strrchr(path, '-') - path), path, digest);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(fs_write(fake, "no guest\n", 9, &err), 0);
	assert_int_equal(rig_open(&spec, &r, &err), 0);
	assert_trial(r, "fake", NULL, NULL, GUEST_START_COLD, TRIAL_DONE);
	assert_false(fs_exists(fake));
	assert_trial(r, "after-the-fake", NULL, NULL, GUEST_START_WARM, TRIAL_DONE);
	assert_made_anew();
}

static void another_agent_is_another_save(void **state)
{
	_cleanup_(rig_close_p) struct rig *r = NULL;
	_cleanup_free_ char *agent = str_printf("%s/agent-of-another", work);
	_cleanup_free_ char *copy = str_printf("cp " AGENT " %s && printf x >>%s", agent, agent);
	struct guest_spec s = spec;
	struct err err;

	(void)state;
	assert_true(kit_shell(copy));
	s.agent = agent;
	assert_int_equal(count(spec.cache_dir, "save-*", NULL, 0), 1);
	assert_int_equal(rig_open(&s, &r, &err), 0);
	assert_trial(r, "other-agent", NULL, NULL, GUEST_START_WARM, TRIAL_DONE);
	assert_int_equal(count(spec.cache_dir, "save-*", NULL, 0), 2);
}

static void a_full_disk_costs_a_boot(void **state)
{
	_cleanup_(rig_close_p) struct rig *r = NULL;
	_cleanup_free_ char *dir = str_printf("%s/full", work);
	_cleanup_free_ char *at = str_printf("%s/guest/warm", dir);
	struct guest_spec s = spec;
	struct err err;

	(void)state;
	assert_int_equal(fs_mkdirs(at, &err), 0);
	if (mount("tmpfs", at, "tmpfs", 0, "size=66m") < 0)
		skip();
	s.cache_dir = dir;
	if (rig_open(&s, &r, &err) < 0)
		fail_msg("%s", err.msg);
	assert_trial(r, "full", NULL, NULL, GUEST_START_COLD, TRIAL_DONE);
	assert_int_equal(count(dir, "save-*", NULL, 0), 0);
	assert_int_equal(count(dir, "making-*", NULL, 0), 0);
	assert_trial(r, "still-full", NULL, NULL, GUEST_START_COLD, TRIAL_DONE);
	rig_close(take_ptr(r));
	umount2(at, MNT_DETACH);
}

static pid_t start_once(const char *label, const char *dir, const char *out)
{
	_cleanup_free_ char *logs = str_printf("%s/%s", work, label);
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen(out, "w", stdout))
			_exit(3);
		execl(ONCE, ONCE, AGENT, label, logs, dir, NULL);
		_exit(3);
	}
	return pid;
}

static void assert_said(const char *out, const char *words)
{
	_cleanup_free_ char *said = NULL;
	struct err err;

	assert_int_equal(fs_read(out, 4096, &said, NULL, &err), 0);
	if (!strstr(said, words))
		fail_msg("'%s' does not say '%s'", said, words);
}

/* guest-once asks for a probe that is not packed: that it is told so proves an agent that answered. */
#define ANSWERED "probe-failed: "

static void a_controller_killed_while_saving_leaves_nothing_that_is_used(void **state)
{
	_cleanup_free_ char *dir = str_printf("%s/killed", work);
	_cleanup_free_ char *out = str_printf("%s/killed.out", work);
	pid_t pid = start_once("killed-saving", dir, out);
	char path[512];
	struct stat st = { 0 };
	int status;

	(void)state;
	for (int i = 0; i < 6000 && st.st_size < 1 << 20; i++) {
		clock_sleep_ms(5);
		if (count(dir, "making-*", path, sizeof(path)) == 1)
			stat(path, &st);
	}
	assert_true(st.st_size >= 1 << 20);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(count(dir, "save-*", NULL, 0), 0);
	assert_int_equal(count(dir, "making-*", NULL, 0), 1);

	pid = start_once("after-it", dir, out);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_said(out, ANSWERED);
	assert_said(out, "(warm)");
	assert_int_equal(count(dir, "save-*", NULL, 0), 1);
	assert_int_equal(count(dir, "making-*", NULL, 0), 0);
}

/* One makes the save, the other does not wait for it. */
static void two_controllers_at_once_make_one_save(void **state)
{
	_cleanup_free_ char *dir = str_printf("%s/two", work);
	_cleanup_free_ char *one = str_printf("%s/one.out", work);
	_cleanup_free_ char *two = str_printf("%s/two.out", work);
	pid_t a = start_once("one", dir, one), b = start_once("two", dir, two);
	int status;

	(void)state;
	assert_int_equal(waitpid(a, &status, 0), a);
	assert_int_equal(waitpid(b, &status, 0), b);
	assert_said(one, ANSWERED);
	assert_said(two, ANSWERED);
	assert_int_equal(count(dir, "save-*", NULL, 0), 1);
	assert_int_equal(count(dir, "making-*", NULL, 0), 0);
	a = start_once("one-again", dir, one);
	b = start_once("two-again", dir, two);
	assert_int_equal(waitpid(a, &status, 0), a);
	assert_int_equal(waitpid(b, &status, 0), b);
	assert_said(one, "(warm)");
	assert_said(two, "(warm)");
}

static void a_stop_ends_a_restored_guest(void **state)
{
	_cleanup_free_ char *dir = str_printf("%s/two", work);
	_cleanup_free_ char *out = str_printf("%s/stop.out", work);
	pid_t pid = start_once("stopped", dir, out);
	int status;

	(void)state;
	for (int i = 0; i < 400 && !kit_qemus(pid); i++)
		clock_sleep_ms(10);
	kill(pid, SIGINT);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(kit_qemus(pid), 0);
}

static void warm_may_be_asked_for(void **state)
{
	_cleanup_(rig_close_p) struct rig *r = NULL;
	struct guest_spec s = spec;
	struct err err;

	(void)state;
	s.start = GUEST_START_WARM;
	assert_int_equal(rig_open(&s, &r, &err), 0);
	assert_int_equal(rig_start(r, NULL), GUEST_START_WARM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_module_does_is_told_warm_as_it_is_cold),
		cmocka_unit_test(nothing_a_trial_left_is_there_in_the_next),
		cmocka_unit_test(trials_in_a_row_do_not_meet),
		cmocka_unit_test(a_truncated_save_is_made_anew),
		cmocka_unit_test(a_damaged_save_is_made_anew),
		cmocka_unit_test(a_save_that_cannot_be_restored_costs_a_boot),
		cmocka_unit_test(another_agent_is_another_save),
		cmocka_unit_test(a_full_disk_costs_a_boot),
		cmocka_unit_test(a_controller_killed_while_saving_leaves_nothing_that_is_used),
		cmocka_unit_test(two_controllers_at_once_make_one_save),
		cmocka_unit_test(a_stop_ends_a_restored_guest),
		cmocka_unit_test(warm_may_be_asked_for),
	};

	cmocka_set_test_filter(getenv("TEST"));
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
