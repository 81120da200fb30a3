// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guests with a system of their own, on the disk that image/disk made, or the one that
 * AMDGPU_BISECT_TEST_DISK names, which may have HIP.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/fs.h"
#include "kit/trial.h"

#define SKIPPED 77

static char work[] = "/tmp/amdgpu-bisect-disk.XXXXXX";
static const char *const probes[] = { HIP_PROBE, MARK_PROBE };
static struct guest_spec spec;
static char *base;

static void assert_done(struct rig *rig, const char *label, const char *probe)
{
	struct trial_spec t = { .probe = probe, .args = "" };
	struct trial ret = kit_try(rig, work, label, &t);

	kit_expect(&ret, TRIAL_DONE, "0 samples");
	trial_deinit(&ret);
}

/* A guest whose root is @disk ends in a power-off before an agent answers, with these words on its console. */
static void assert_no_root(const char *label, const char *disk, const char *words)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	_cleanup_free_ char *path = str_printf("%s/%s/console.log", work, label), *console = NULL;
	struct trial_spec t = { .probe = "mark-probe", .args = "" };
	struct guest_spec s = spec;
	struct trial ret;
	struct err err;

	s.disk = disk;
	if (rig_open(&s, &rig, &err) < 0)
		fail_msg("%s", err.msg);
	ret = kit_try(rig, work, label, &t);
	kit_expect(&ret, TRIAL_RESET, "boot stage");
	assert_int_equal(ret.stage_ns[STAGE_LOAD], 0);
	assert_true(ret.stage_ns[STAGE_BOOT] < 60 * NS_PER_S);
	trial_deinit(&ret);
	assert_int_equal(fs_read(path, 1 << 20, &console, NULL, &err), 0);
	if (!strstr(console, words))
		fail_msg("the console does not say '%s': %s", words, console);
}

static void no_guest_sees_what_another_wrote(void **state)
{
	char before[65], after[65];
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	_cleanup_free_ char *overlay = str_printf("%s/one/root.qcow2", work);
	const char *why;
	struct err err;

	(void)state;
	assert_int_equal(fs_sha256_file(base, before, &err), 0);
	if (rig_open(&spec, &rig, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(rig_start(rig, &why), GUEST_START_COLD);
	assert_done(rig, "one", "mark-probe");
	assert_false(fs_exists(overlay));
	assert_done(rig, "two", "mark-probe");
	assert_int_equal(fs_sha256_file(base, after, &err), 0);
	assert_string_equal(before, after);
}

static bool has_hip(void)
{
	_cleanup_free_ char *path = str_printf("%s.manifest", base), *text = NULL;
	struct err ignored;

	return fs_read(path, 1 << 20, &text, NULL, &ignored) == 0 &&
	       strstr(text, "\npackage libamdhip64");
}

static void hip_starts_on_it_and_finds_no_device(void **state)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	struct err err;

	(void)state;
	if (!has_hip()) {
		print_message("the disk was made without HIP\n");
		skip();
	}
	if (rig_open(&spec, &rig, &err) < 0)
		fail_msg("%s", err.msg);
	assert_done(rig, "hip", "hip-probe");
}

static void a_disk_without_a_file_system_is_no_verdict(void **state)
{
	_cleanup_free_ char *empty = str_printf("%s/zeros.img", work);
	_cleanup_free_ char *zeros = xcalloc(1, 1 << 20);
	struct err err;

	(void)state;
	assert_int_equal(fs_write(empty, zeros, 1 << 20, &err), 0);
	assert_no_root("zeros", empty, "cannot mount /dev/vda");
}

static void a_disk_without_a_system_is_no_verdict(void **state)
{
	_cleanup_free_ char *disk = str_printf("%s/bare.img", work);
	_cleanup_free_ char *command = str_printf(
		"mkdir -p %s/root/etc && genext2fs -b 4096 -d %s/root %s", work, work, disk);

	(void)state;
	if (!kit_shell(command)) {
		print_message("no genext2fs here\n");
		skip();
	}
	assert_no_root("bare", disk, "the root disk has no /sbin/init");
}

/* What image/disk left behind in one of its files. */
static char *left(const char *name)
{
	_cleanup_free_ char *path = str_printf(DISK_DIR "/%s", name);
	struct err ignored;
	char *text;

	return fs_read(path, 4096, &text, NULL, &ignored) < 0 ? NULL : text;
}

static int set_up(void **state)
{
	(void)state;
	if (kit_begin(&spec, work, AGENT, probes, ARRAY_SIZE(probes)) < 0)
		return -1;
	spec.memory_mib = 512;
	spec.limit.boot_ms = 600000; /* a system of its own on a busy machine without KVM */
	spec.has_disk = true;
	spec.disk = base;
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
		cmocka_unit_test(no_guest_sees_what_another_wrote),
		cmocka_unit_test(hip_starts_on_it_and_finds_no_device),
		cmocka_unit_test(a_disk_without_a_file_system_is_no_verdict),
		cmocka_unit_test(a_disk_without_a_system_is_no_verdict),
	};
	const char *named = getenv("AMDGPU_BISECT_TEST_DISK");
	int r;

	base = named ? realpath(named, NULL) : left("path");
	if (!base) {
		_cleanup_free_ char *why = left("why");

		printf("no disk to boot: %s\n", why ? why : "run the test image/disk first");
		return named ? 1 : SKIPPED;
	}
	cmocka_set_test_filter(getenv("TEST"));
	r = cmocka_run_group_tests(tests, set_up, tear_down);
	free(base);
	return r;
}
