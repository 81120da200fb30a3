// SPDX-License-Identifier: GPL-2.0-or-later
/* A run keeps the disk that it began with, and notices when that is another one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../range/kit.h"
#include "base/cleanup.h"
#include "base/fs.h"
#include "controller/kept/disk.h"
#include "guest/rig.h"

static char *dir, *disk;
static struct store *store;
static struct options o;
static struct rig rig;
static struct err err;

static void put(const char *text)
{
	assert_int_equal(fs_write(disk, text, strlen(text), &err), 0);
}

static int set_up(void **state)
{
	(void)state;
	dir = kit_path("run");
	disk = str_printf("%s/disk-0123456789abcdef", dir);
	options_default(CMD_RUN, &o);
	if (fs_mkdirs(dir, &err) < 0 || store_create(dir, &store, &err) < 0)
		return -1;
	rig = (struct rig){ .base = disk };
	put("one");
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	options_deinit(&o);
	store_close(store);
	free(kit_sh("rm -rf '%s'", dir));
	free(dir);
	free(disk);
	return 0;
}

static void the_options_of_a_run_name_the_disk_that_was_found(void **state)
{
	(void)state;
	assert_null(options_str(&o, OPT_DISK));
	assert_int_equal(disk_keep(&o, store, &rig, &err), 0);
	assert_string_equal(options_str(&o, OPT_DISK), disk);
	assert_int_equal(disk_same(&o, store, &rig, &err), 0);
}

static void a_disk_made_anew_is_not_the_runs(void **state)
{
	(void)state;
	assert_int_equal(disk_keep(&o, store, &rig, &err), 0);
	put("another");
	assert_int_equal(disk_same(&o, store, &rig, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "was made anew since this run began"));
	put("one");
}

static void one_that_the_user_names_is_taken_from_then_on(void **state)
{
	(void)state;
	assert_int_equal(disk_keep(&o, store, &rig, &err), 0);
	put("another");
	assert_int_equal(options_set(&o, "guest.disk", disk, ORIGIN_FLAG, &err), 0);
	assert_int_equal(disk_same(&o, store, &rig, &err), 0);
	o.o[OPT_DISK].origin = ORIGIN_RUN;
	assert_int_equal(disk_same(&o, store, &rig, &err), 0);
}

static void without_a_disk_nothing_is_kept(void **state)
{
	_cleanup_free_ char *fact = NULL;

	(void)state;
	rig.base = NULL;
	assert_int_equal(disk_keep(&o, store, &rig, &err), 0);
	assert_int_equal(disk_keep(&o, store, NULL, &err), 0);
	assert_int_equal(disk_same(&o, store, &rig, &err), 0);
	assert_null(options_str(&o, OPT_DISK));
	assert_int_equal(store_get(store, "guest.disk.content", &fact, &err), 0);
	assert_null(fact);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_options_of_a_run_name_the_disk_that_was_found),
		TEST(a_disk_made_anew_is_not_the_runs),
		TEST(one_that_the_user_names_is_taken_from_then_on),
		TEST(without_a_disk_nothing_is_kept),
	};
	int failed;

	kit_start();
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	kit_end();
	return failed;
}
