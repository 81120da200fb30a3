// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guests with a system of their own, on the disk that AMDGPU_BISECT_TEST_DISK names or else the last that
 * vm-images/disk-guest made for this user; without one the test is left out, since making it takes the
 * network and minutes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/fs.h"
#include "guest/image/disk.h"
#include "kit/kit.h"

#define SKIPPED 77

static char work[] = "/tmp/test-vm-disk.XXXXXX";
static struct guest_spec spec;
static char *base;

static struct trial try_probe(struct rig *rig, const char *label, const char *probe)
{
	_cleanup_free_ char *dir = str_printf("%s/%s", work, label);
	struct trial_spec t = { .label = label, .dir = dir, .probe = probe, .args = "" };
	struct trial ret;
	struct err err;

	if (guest_try(rig, &t, &ret, &err) < 0)
		fail_msg("%s: %s", label, err.msg);
	print_message("%s: %s: %s (create %.1f boot %.1f load %.1f probe %.1f s)\n", label,
		      trial_end_name(ret.end), ret.reason, ret.stage_ns[0] / 1e9,
		      ret.stage_ns[1] / 1e9, ret.stage_ns[2] / 1e9, ret.stage_ns[3] / 1e9);
	return ret;
}

static void assert_done(struct trial t)
{
	assert_string_equal(trial_end_name(t.end), "done");
	trial_deinit(&t);
}

static void no_guest_sees_what_another_wrote_and_hip_finds_no_device(void **state)
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
	assert_done(try_probe(rig, "one", "mark-probe"));
	assert_false(fs_exists(overlay));
	assert_done(try_probe(rig, "two", "mark-probe"));
	if (!getenv("AMDGPU_BISECT_TEST_NO_HIP"))
		assert_done(try_probe(rig, "three", "hip-probe"));
	assert_int_equal(fs_sha256_file(base, after, &err), 0);
	assert_string_equal(before, after);
}

static void a_disk_without_a_system_is_no_verdict(void **state)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	_cleanup_free_ char *empty = str_printf("%s/zeros", work);
	_cleanup_free_ char *zeros = xcalloc(1, 1 << 20);
	const char *was = spec.disk;
	struct trial t;
	struct err err;

	(void)state;
	assert_int_equal(fs_write(empty, zeros, 1 << 20, &err), 0);
	spec.disk = empty;
	if (rig_open(&spec, &rig, &err) < 0)
		fail_msg("%s", err.msg);
	t = try_probe(rig, "empty", "mark-probe");
	spec.disk = was;
	assert_true(t.end != TRIAL_DONE && t.end != TRIAL_PROBE_FAILED);
	assert_int_equal(t.n_samples, 0);
	trial_deinit(&t);
}

static char *find_disk(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	_cleanup_free_ char *dir = cache ? str_printf("%s/amdgpu-bisect/guest", cache)
					 : str_printf("%s/.cache/amdgpu-bisect/guest", home);
	char *ret = NULL;
	struct err err;

	return disk_base(getenv("AMDGPU_BISECT_TEST_DISK"), dir, &ret, &err) < 0 ? NULL : ret;
}

static int set_up(void **state)
{
	static const char *const probes[] = { HIP_PROBE, MARK_PROBE };

	(void)state;
	if (!mkdtemp(work) || !kit_spec(&spec, AGENT, work))
		return -1;
	spec.probes = probes;
	spec.n_probes = ARRAY_SIZE(probes);
	spec.memory_mib = 512;
	spec.has_disk = true;
	spec.disk = base;
	return 0;
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	return fs_remove_tree(work, &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_guest_sees_what_another_wrote_and_hip_finds_no_device),
		cmocka_unit_test(a_disk_without_a_system_is_no_verdict),
	};
	int r;

	base = find_disk();
	if (!base) {
		puts("no disk guest here; vm-images/disk-guest makes one");
		return SKIPPED;
	}
	r = cmocka_run_group_tests(tests, set_up, tear_down);
	free(base);
	return r;
}
