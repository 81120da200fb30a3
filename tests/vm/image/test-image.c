// SPDX-License-Identifier: GPL-2.0-or-later
/* A small guest with this machine's HIP runtime on a disk of its own. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/stop.h"
#include "kit/trial.h"

static char work[] = "/tmp/test-vm-image.XXXXXX";
static struct guest_spec spec;

static bool hip_is_here(void)
{
	static const char *const places[] = { "/usr/lib/x86_64-linux-gnu", "/opt/rocm*/lib" };
	bool found = false;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *pattern = str_printf("%s/libamdhip64.so.[0-9]", places[i]);
		glob_t g = { 0 };

		found |= glob(pattern, 0, NULL, &g) == 0;
		globfree(&g);
	}
	return found;
}

static struct trial try_probe(const char *label, const char *probe, const char *args)
{
	_cleanup_(rig_close_p) struct rig *rig = NULL;
	struct trial_spec t = { .probe = probe, .args = args };
	struct err err;

	if (rig_open(&spec, &rig, &err) < 0)
		fail_msg("%s: %s", label, err.msg);
	return kit_try(rig, work, label, &t);
}

static void assert_log_says(const char *label, const char *file, const char *words)
{
	_cleanup_free_ char *path = str_printf("%s/%s/%s", work, label, file), *text = NULL;
	struct err err;

	assert_int_equal(fs_read(path, 64 << 20, &text, NULL, &err), 0);
	if (!strstr(text, words))
		fail_msg("%s does not say '%s': %s", path, words, text);
}

static void hip_starts_in_the_guest_and_finds_no_device(void **state)
{
	struct trial t;

	(void)state;
	if (!hip_is_here())
		skip();
	spec.runtime.dir = "/";
	t = try_probe("hip", "hip-probe", "");
	assert_log_says("hip", "domain.xml", "<serial>amdgpu-bisect-rt</serial>");
	assert_log_says("hip", "agent.jsonl", "hipInit 10");
	assert_string_equal(trial_end_name(t.end), "done");
	trial_deinit(&t);
}

static void without_the_runtime_there_is_none(void **state)
{
	struct trial t;

	(void)state;
	spec.runtime.dir = NULL;
	t = try_probe("none", "hip-probe", "");
	assert_string_equal(trial_end_name(t.end), "probe-failed");
	assert_int_equal(t.exit_code, 2);
	trial_deinit(&t);
}

static void the_firmware_lies_where_the_kernel_looks(void **state)
{
	_cleanup_free_ char *dir = str_printf("%s/firmware/amdgpu", work);
	_cleanup_free_ char *root = str_printf("%s/firmware", work);
	_cleanup_free_ char *file = str_printf("%s/navi10_sos.bin", dir);
	struct trial t;
	struct err err;

	(void)state;
	assert_int_equal(fs_mkdirs(dir, &err), 0);
	assert_int_equal(fs_write(file, "x", 1, &err), 0);
	spec.runtime.firmware = root;
	t = try_probe("firmware", "firmware-probe", "amdgpu/navi10_sos.bin");
	spec.runtime.firmware = NULL;
	if (t.end != TRIAL_DONE)
		fail_msg("%s", t.reason);
	trial_deinit(&t);
}

static int set_up(void **state)
{
	static const char *const probes[] = { HIP_PROBE, FIRMWARE_PROBE };

	(void)state;
	return kit_begin(&spec, work, AGENT, probes, ARRAY_SIZE(probes));
}

static int tear_down(void **state)
{
	(void)state;
	return kit_end(work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hip_starts_in_the_guest_and_finds_no_device),
		cmocka_unit_test(without_the_runtime_there_is_none),
		cmocka_unit_test(the_firmware_lies_where_the_kernel_looks),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
