// SPDX-License-Identifier: GPL-2.0-or-later
/* The modules of a built kernel: those that are needed, each after what it needs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"
#include "build/order.h"
#include "compile.h"

static char root[32];

static void put(const char *name, const char *text)
{
	_cleanup_free_ char *path = str_printf("%s/%s", root, name);
	struct err err = { 0 };

	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
}

/* A module that says it depends on others, "a,b". */
static void module(const char *name, const char *depends)
{
	_cleanup_free_ char *path = str_printf("%s/%s", root, name);
	_cleanup_free_ char *source =
		str_printf("static const char d[] __attribute__((section(\".modinfo\"), used)) = "
			   "\"depends=%s\";\n",
			   depends);

	compile(path, source, "");
}

static int setup(void **state)
{
	_cleanup_free_ char *drm = NULL;
	struct err err = { 0 };

	(void)state;
	str_copy(root, sizeof(root), "/tmp/build-order-XXXXXX");
	if (!mkdtemp(root))
		return -1;
	drm = str_printf("%s/drm/amd", root);
	assert_int_equal(fs_mkdirs(drm, &err), 0);
	module("drm/amd/amdgpu.ko", "gpu-sched,ttm");
	module("drm/gpu-sched.ko", "helper");
	module("drm/ttm.ko", "helper");
	module("drm/helper.ko", "");
	module("drm/unneeded.ko", "");
	put("modules.order", "drm/unneeded.ko\ndrm/gpu-sched.ko\ndrm/ttm.ko\ndrm/helper.ko\n"
			     "drm/amd/amdgpu.ko\n");
	return 0;
}

static int teardown(void **state)
{
	struct err err = { 0 };

	(void)state;
	return fs_remove_tree(root, &err);
}

static void expect_order(void)
{
	static const char *const want[] = { "helper", "gpu_sched", "ttm", "amdgpu" };
	_cleanup_strv_ struct strv files = { 0 };
	struct err err = { 0 };

	if (order_modules(root, "amdgpu", &files, &err) < 0)
		fail_msg("%s", err.msg);
	assert_int_equal(files.n, ARRAY_SIZE(want));
	for (size_t i = 0; i < files.n; i++) {
		_cleanup_free_ char *name = order_name(files.items[i]);

		assert_string_equal(name, want[i]);
		assert_true(str_starts(files.items[i], root) && fs_exists(files.items[i]));
	}
}

static void each_comes_after_what_it_needs_and_no_other_comes(void **state)
{
	(void)state;
	expect_order();
}

static void list_of_older_and_newer_kernels_is_understood(void **state)
{
	(void)state;
	put("modules.order", "kernel/drm/gpu-sched.ko\nkernel/drm/ttm.ko\nkernel/drm/helper.ko\n"
			     "kernel/drm/amd/amdgpu.ko\n");
	expect_order();
	put("modules.order", "drm/gpu-sched.o\ndrm/ttm.o\ndrm/helper.o\ndrm/amd/amdgpu.o\n");
	expect_order();
}

static void expect_failure(const char *words)
{
	_cleanup_strv_ struct strv files = { 0 };
	struct err err = { 0 };

	assert_int_equal(order_modules(root, "amdgpu", &files, &err), -1);
	assert_int_equal(err.kind, ERR_BUILD);
	if (!strstr(err.msg, words))
		fail_msg("'%s' does not say '%s'", err.msg, words);
}

static void module_that_was_not_made_is_named(void **state)
{
	(void)state;
	put("modules.order", "drm/gpu-sched.ko\ndrm/ttm.ko\ndrm/amd/amdgpu.ko\n");
	expect_failure("helper.ko");
	put("modules.order", "drm/helper.ko\n");
	expect_failure("amdgpu.ko");
}

static void modules_that_need_each_other_end(void **state)
{
	(void)state;
	module("drm/helper.ko", "ttm");
	expect_failure("needs a module that needs it");
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(each_comes_after_what_it_needs_and_no_other_comes),
		IN_TREE(list_of_older_and_newer_kernels_is_understood),
		IN_TREE(module_that_was_not_made_is_named),
		IN_TREE(modules_that_need_each_other_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
