// SPDX-License-Identifier: GPL-2.0-or-later
/* A machine whose KVM works, emulated: an AMD CPU with SVM. The probe must say yes there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/fs.h"
#include "base/spawn.h"
#include "guest/image/image.h"
#include "guest/image/initramfs.h"
#include "kit/kit.h"

static char work[] = "/tmp/amdgpu-bisect-kvm.XXXXXX";

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(work) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	return fs_remove_tree(work, &err);
}

static void a_kvm_that_runs_guests_is_a_yes(void **state)
{
	static const char *const names[] = { "kvm_amd" };
	_cleanup_free_ char *kernel = NULL, *initrd = NULL;
	_cleanup_buf_ struct buf out = { 0 };
	struct modules modules = { 0 };
	struct guest_spec spec;
	struct spawn_result r;
	struct err err;

	(void)state;
	if (!kit_spec(&spec, KVM_INIT, work))
		skip();
	assert_int_equal(modules_resolve(spec.modules, names, 1, &modules, &err), 0);
	assert_int_equal(image_make(spec.image, work, &kernel, &err), 0);
	assert_int_equal(initramfs_make(&spec, &modules, work, &initrd, &err), 0);
	modules_deinit(&modules);
	{
		const char *const argv[] = {
			"qemu-system-x86_64",
			"-accel",
			"tcg",
			"-cpu",
			"EPYC,+svm",
			"-m",
			"512",
			"-nodefaults",
			"-display",
			"none",
			"-serial",
			"stdio",
			"-no-reboot",
			"-kernel",
			kernel,
			"-initrd",
			initrd,
			"-append",
			"console=ttyS0 quiet panic=-1 cryptomgr.notests",
			NULL,
		};
		struct spawn s = { .argv = argv, .capture = &out, .limit_ms = 180000 };

		assert_int_equal(spawn_run(&s, &r, &err), 0);
	}
	print_message("%s\n", out.data ? out.data : "");
	assert_non_null(out.data);
	assert_non_null(strstr(out.data, "answer: yes: runs"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_kvm_that_runs_guests_is_a_yes),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
