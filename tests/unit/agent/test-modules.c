// SPDX-License-Identifier: GPL-2.0-or-later
/* Lists of packed modules, names, build ids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "guest-agent/agent/modules.h"
#include "base/cleanup.h"
#include "base/str.h"

static char list[] = "/tmp/agent-modules.XXXXXX";

static void write_list(const char *text)
{
	_cleanup_fclose_ FILE *f = fopen(list, "w");

	assert_non_null(f);
	fputs(text, f);
}

static int make_list(void **state)
{
	int fd = mkstemp(list);

	(void)state;
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static int remove_list(void **state)
{
	(void)state;
	return unlink(list);
}

static void a_list_is_read_with_and_without_dependencies(void **state)
{
	_cleanup_modules_ struct modules m = { 0 };
	struct err err;

	(void)state;
	write_list("virtio /m/virtio.ko\nvirtio_ring /m/virtio_ring.ko -\n\n"
		   "virtio_pci /m/virtio_pci.ko virtio,virtio_ring\nhalf\n");
	assert_int_equal(modules_read(list, &m, &err), 0);
	assert_int_equal(m.n, 3);
	assert_string_equal(m.items[0].needs, "");
	assert_string_equal(m.items[1].needs, "");
	assert_string_equal(m.items[2].path, "/m/virtio_pci.ko");
	assert_string_equal(m.items[2].needs, "virtio,virtio_ring");
}

static void a_list_that_is_not_there_is_empty(void **state)
{
	_cleanup_modules_ struct modules m = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(modules_read("/nonexistent/modules", &m, &err), 0);
	assert_int_equal(m.n, 0);
}

static void a_dependency_is_loaded_first_and_named_when_it_is_missing(void **state)
{
	_cleanup_modules_ struct modules m = { 0 };
	struct err err;

	(void)state;
	write_list("agent-test-a /nonexistent/a.ko\nagent_test_b /nonexistent/b.ko agent_test_a\n"
		   "agent_test_c /nonexistent/c.ko agent_test_z\n");
	assert_int_equal(modules_read(list, &m, &err), 0);
	assert_int_equal(modules_load(&m, "agent-test-b", "", &err), -1);
	assert_non_null(strstr(err.msg, "/nonexistent/a.ko"));
	assert_int_equal(modules_load(&m, "agent_test_c", "", &err), -1);
	assert_non_null(strstr(err.msg, "needs agent_test_z, which is not packed"));
	assert_int_equal(modules_load(&m, "agent_test_z", "", &err), -1);
	assert_non_null(strstr(err.msg, "neither put nor packed"));
}

static void dependencies_in_a_circle_end(void **state)
{
	_cleanup_modules_ struct modules m = { 0 };
	struct err err;

	(void)state;
	write_list("agent_test_a /nonexistent/a.ko agent_test_b\n"
		   "agent_test_b /nonexistent/b.ko agent_test_a\n");
	assert_int_equal(modules_read(list, &m, &err), 0);
	assert_int_equal(modules_load(&m, "agent_test_b", "", &err), -1);
	assert_non_null(strstr(err.msg, "not packed"));
}

static void a_module_is_named_as_the_kernel_names_it(void **state)
{
	char name[WIRE_NAME_MAX];

	(void)state;
	modules_name("mirror.ko", name);
	assert_string_equal(name, "mirror");
	modules_name("drm-ttm-helper", name);
	assert_string_equal(name, "drm_ttm_helper");
	modules_name(".ko", name);
	assert_string_equal(name, "");
}

static void a_build_id_is_found_behind_other_notes(void **state)
{
	static const uint8_t notes[] = {
		6, 0, 0, 0, 4, 0, 0, 0, 0, 1, 0, 0, 'L', 'i', 'n', 'u', 'x', 0, 0,    0,    9,	  9,
		9, 9, 4, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0,	 0,   'G', 'N', 'U', 0, 0xab, 0x01, 0xff, 0,
	};
	char id[65];

	(void)state;
	modules_build_id(notes, sizeof(notes), id);
	assert_string_equal(id, "ab01ff");
	for (size_t len = 0; len < sizeof(notes) - 1; len++) {
		modules_build_id(notes, len, id);
		assert_string_equal(id, "");
	}
}

static void a_note_that_lies_about_its_sizes_gives_no_build_id(void **state)
{
	uint8_t note[64] = { 4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	char id[65];

	(void)state;
	modules_build_id(note, sizeof(note), id);
	assert_string_equal(id, "");
	memset(note, 0xff, 8);
	modules_build_id(note, sizeof(note), id);
	assert_string_equal(id, "");
	memset(note, 0, sizeof(note));
	modules_build_id(note, sizeof(note), id);
	assert_string_equal(id, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_read_with_and_without_dependencies),
		cmocka_unit_test(a_list_that_is_not_there_is_empty),
		cmocka_unit_test(a_dependency_is_loaded_first_and_named_when_it_is_missing),
		cmocka_unit_test(dependencies_in_a_circle_end),
		cmocka_unit_test(a_module_is_named_as_the_kernel_names_it),
		cmocka_unit_test(a_build_id_is_found_behind_other_notes),
		cmocka_unit_test(a_note_that_lies_about_its_sizes_gives_no_build_id),
	};

	return cmocka_run_group_tests(tests, make_list, remove_list);
}
