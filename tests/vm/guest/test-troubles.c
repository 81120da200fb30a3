// SPDX-License-Identifier: GPL-2.0-or-later
/* The real agent in guests that come to grief from inside or outside: each ends as what it is. */
#include <glob.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/fs.h"
#include "kit/trial.h"

static char work[] = "/tmp/amdgpu-bisect-vm.XXXXXX";
static const char *const probes[] = { TROUBLE, COPY_REGIMES };
static struct guest_spec spec;

static struct trial try(const char *label, const char *what)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	struct trial_spec t = { .probe = "trouble", .args = what };
	struct err err;

	if (rig_open(&spec, &rig, &err) < 0)
		fail_msg("%s: %s", label, err.msg);
	return kit_try(rig, work, label, &t);
}

static void expect(const char *label, const char *what, enum trial_end end, const char *words)
{
	struct trial t = try(label, what);

	kit_expect(&t, end, words);
	trial_deinit(&t);
}

static void a_probe_that_eats_all_memory_is_named_so(void **state)
{
	(void)state;
	expect("eat", "eat", TRIAL_OOM, "ran out of memory: Out of memory: Killed process");
}

static void a_clock_that_leaps_changes_nothing(void **state)
{
	(void)state;
	expect("leap", "clock", TRIAL_DONE, "0 samples");
}

static void an_agent_that_is_killed_says_so_when_it_is_back(void **state)
{
	(void)state;
	expect("kill-agent", "kill-agent", TRIAL_AGENT, "the agent crashed");
}

static void a_probe_that_is_killed_is_named_so(void **state)
{
	(void)state;
	expect("die", "die", TRIAL_PROBE_FAILED, "signal 9");
}

/* The agent goes on to tell what the probe says is missing; what it can do without, it does without. */
static void a_probe_says_what_it_cannot_do_without(void **state)
{
#define COPIES " copy-regimes --runtime none --repeats 1"
	(void)state;
	expect("no-proc", "proc" COPIES, TRIAL_PROBE_FAILED, "cannot open /proc/self/pagemap");
	expect("no-thp", "thp" COPIES, TRIAL_DONE, "7 samples");
	expect("no-tmp", "tmp" COPIES, TRIAL_PROBE_FAILED, "Read-only file system");
	expect("no-library", "thp copy-regimes --runtime hip", TRIAL_PROBE_FAILED, "no library");
}

/* The guest's kernel lets the channel go: nobody here is told, and no word comes any more. */
static void a_channel_that_the_guest_closed_is_a_hang(void **state)
{
	struct trial t;

	(void)state;
	t = try("unplug", "unplug");
	kit_expect(&t, TRIAL_PROBE_HUNG, "the probe did not end in time");
	assert_true(t.stage_ns[STAGE_PROBE] < (spec.limit.probe_ms + 9000) * NS_PER_MS);
	trial_deinit(&t);
}

/* QEMU dies under the guest while its probe runs. */
static void *kill_qemu(void *arg)
{
	int *killed = arg;

	for (int i = 0; i < 600; i++) {
		_cleanup_free_ char *log = str_printf("%s/dies/agent.jsonl", work);
		_cleanup_free_ char *text = NULL;
		struct err ignored;

		/* it spins once hello was answered, and the probe's request is out */
		if (fs_read(log, 1 << 20, &text, NULL, &ignored) == 0 && strstr(text, "hello"))
			break;
		clock_sleep_ms(100);
	}
	clock_sleep_ms(1000);
	*killed = kit_kill_qemus(getpid());
	return NULL;
}

static void qemu_that_dies_is_not_the_guests_doing(void **state)
{
	pthread_t killer;
	int killed = 0;

	(void)state;
	expect("before", "clock", TRIAL_DONE,
	       "0 samples"); /* now there is a saved guest to restore */
	assert_int_equal(pthread_create(&killer, NULL, kill_qemu, &killed), 0);
	expect("dies", "spin", TRIAL_EMULATOR, "QEMU ended");
	pthread_join(killer, NULL);
	assert_int_equal(killed, 1);
}

/* The kernel's code overwritten in the cache, as a bad disk may: the rig makes its files anew. */
static void a_damaged_kernel_in_the_cache_is_made_anew(void **state)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	_cleanup_free_ char *dir = str_printf("%s/damaged", work);
	_cleanup_free_ char *pattern = str_printf("%s/guest/vmlinux-*", spec.cache_dir);
	struct trial_spec t = {
		.label = "damaged", .dir = dir, .probe = "trouble", .args = "clock"
	};
	struct guest_spec cold = spec;
	_cleanup_free_ char *data = NULL;
	struct trial ret;
	struct err err;
	glob_t g;
	size_t len;

	(void)state;
	cold.start = GUEST_START_COLD;
	cold.limit.boot_ms = 20000;
	assert_int_equal(rig_open(&cold, &rig, &err), 0);
	assert_int_equal(glob(pattern, 0, NULL, &g), 0);
	assert_int_equal(fs_read(g.gl_pathv[0], 1 << 30, &data, &len, &err), 0);
	memset(data + (2 << 20), 0xcc, 8 << 20); /* its headers and notes stay */
	assert_int_equal(fs_write(g.gl_pathv[0], data, len, &err), 0);
	globfree(&g);
	assert_int_equal(guest_try(rig, &t, &ret, &err), 0);
	print_message("damaged: %s: %s\n", trial_end_name(ret.end), ret.reason);
	assert_int_not_equal(ret.end, TRIAL_DONE);
	assert_int_equal(ret.stage_ns[STAGE_LOAD], 0);
	trial_deinit(&ret);
	assert_int_equal(rig_renew(rig, &err), 0);
	assert_int_equal(guest_try(rig, &t, &ret, &err), 0);
	assert_string_equal(trial_end_name(ret.end), "done");
	trial_deinit(&ret);
}

static void a_full_disk_is_the_hosts_fault(void **state)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	_cleanup_free_ char *mount = str_printf("%s/full", work);
	_cleanup_free_ char *dir = str_printf("%s/run", mount);
	_cleanup_free_ char *fill =
		str_printf("mkdir -p %s && mount -t tmpfs -o size=72m none %s 2>/dev/null && "
			   "head -c 20000000 /dev/zero >%s/ballast",
			   mount, mount, mount);
	_cleanup_free_ char *unmount = str_printf("umount %s", mount);
	struct trial_spec t = { .label = "full", .dir = dir, .probe = "trouble", .args = "clock" };
	struct trial ret;
	struct err err;

	(void)state;
	if (system(fill) != 0)
		skip(); /* no right to mount */
	assert_int_equal(rig_open(&spec, &rig, &err), 0);
	assert_int_equal(guest_try(rig, &t, &ret, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "free some space"));
	assert_int_equal(system(unmount), 0);
}

static int set_up(void **state)
{
	(void)state;
	if (kit_begin(&spec, work, AGENT, probes, ARRAY_SIZE(probes)) < 0)
		return -1;
	spec.limit.boot_ms = 90000;
	spec.limit.load_ms = 15000;
	spec.limit.probe_ms = 15000;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	return kit_end(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_probe_that_eats_all_memory_is_named_so),
		cmocka_unit_test(a_clock_that_leaps_changes_nothing),
		cmocka_unit_test(an_agent_that_is_killed_says_so_when_it_is_back),
		cmocka_unit_test(a_probe_that_is_killed_is_named_so),
		cmocka_unit_test(a_probe_says_what_it_cannot_do_without),
		cmocka_unit_test(a_channel_that_the_guest_closed_is_a_hang),
		cmocka_unit_test(a_damaged_kernel_in_the_cache_is_made_anew),
		cmocka_unit_test(a_full_disk_is_the_hosts_fault),
		cmocka_unit_test(qemu_that_dies_is_not_the_guests_doing),
	};

	cmocka_set_test_filter(getenv("TEST"));
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
