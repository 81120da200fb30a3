// SPDX-License-Identifier: GPL-2.0-or-later
/* Saved guests as files: only a whole one is ever found, whatever was interrupted or damaged. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/warm/save.h"

#define KEY   "0123456789abcdef"
#define OTHER "fedcba9876543210"

static char work[] = "/tmp/test-guest-save.XXXXXX";
static char dir[64];
static int round_;

/* Each test its own directory. */
static int begin(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "%s/%d", work, ++round_);
	return 0;
}

static size_t count(const char *pattern)
{
	_cleanup_free_ char *all = str_printf("%s/%s", dir, pattern);
	glob_t g = { 0 };
	size_t n;

	glob(all, 0, NULL, &g);
	n = g.gl_pathc;
	globfree(&g);
	return n;
}

static void make(const char *key, const char *content)
{
	struct making m;
	struct err err;

	assert_int_equal(making_begin(dir, &m, &err), 0);
	assert_int_equal(fs_write(m.path, content, strlen(content), &err), 0);
	assert_int_equal(making_keep(&m, dir, key, &err), 0);
	making_deinit(&m);
}

static void what_was_kept_is_found_under_its_key_alone(void **state)
{
	struct save s = { 0 };

	(void)state;
	assert_int_equal(save_find(&s, dir, KEY), 0);
	make(KEY, "a guest");
	assert_int_equal(save_find(&s, dir, OTHER), 0);
	assert_int_equal(save_find(&s, dir, KEY), 1);
	assert_non_null(strstr(s.path, KEY));
	assert_int_equal(save_find(&s, dir, KEY), 1);
	save_deinit(&s);
	assert_int_equal(count("making-*"), 0);
}

static void what_was_not_kept_is_not_found_and_goes(void **state)
{
	struct save s = { 0 };
	struct making m;
	struct err err;

	(void)state;
	assert_int_equal(making_begin(dir, &m, &err), 0);
	assert_int_equal(fs_write(m.path, "half a g", 8, &err), 0);
	assert_int_equal(save_find(&s, dir, KEY), 0);
	making_deinit(&m);
	assert_int_equal(count("making-*"), 0);
}

static void what_a_killed_maker_left_goes(void **state)
{
	struct making m;
	struct err err;
	pid_t pid;

	(void)state;
	pid = fork();
	if (pid == 0)
		_exit(making_begin(dir, &m, &err) < 0 || fs_write(m.path, "half", 4, &err) < 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(count("making-*"), 1);
	make(KEY, "a guest");
	assert_int_equal(count("making-*"), 0);
	assert_int_equal(count("save-*"), 1);
}

static void one_at_a_time_makes_a_save(void **state)
{
	struct making m, second;
	struct err err;

	(void)state;
	assert_int_equal(making_begin(dir, &m, &err), 0);
	assert_int_equal(making_begin(dir, &second, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	making_deinit(&m);
	assert_int_equal(making_begin(dir, &second, &err), 0);
	making_deinit(&second);
}

static void change(const char *path, const char *content, size_t len)
{
	FILE *f = fopen(path, "r+");

	assert_non_null(f);
	assert_int_equal(fwrite(content, 1, len, f), len);
	fclose(f);
}

static void a_damaged_one_is_removed(void **state)
{
	struct save s = { 0 }, fresh = { 0 };

	(void)state;
	make(KEY, "a guest");
	assert_int_equal(save_find(&s, dir, KEY), 1);
	usleep(20000); /* the clock of files is a coarse one */
	change(s.path, "b", 1);
	assert_int_equal(save_find(&s, dir, KEY), -1); /* by who knows it already */
	assert_null(s.path);
	assert_int_equal(count("save-*"), 0);

	make(KEY, "a guest");
	assert_int_equal(save_find(&s, dir, KEY), 1);
	assert_int_equal(truncate(s.path, 3), 0);
	assert_int_equal(save_find(&fresh, dir, KEY), -1); /* by who does not */
	assert_int_equal(save_find(&s, dir, KEY), 0);
	save_deinit(&s);
}

static void one_of_no_use_is_dropped(void **state)
{
	struct save s = { 0 };

	(void)state;
	make(KEY, "a guest");
	assert_int_equal(save_find(&s, dir, KEY), 1);
	save_drop(&s);
	assert_int_equal(count("save-*"), 0);
	assert_int_equal(save_find(&s, dir, KEY), 0);
	save_drop(&s);
}

static void the_oldest_go(void **state)
{
	struct save s = { 0 };

	(void)state;
	for (int i = 0; i < 5; i++) {
		_cleanup_free_ char *key = str_printf("%016d", i);

		make(key, "a guest");
		usleep(20000);
	}
	assert_int_equal(count("save-*"), 3);
	assert_int_equal(save_find(&s, dir, "0000000000000000"), 0);
	assert_int_equal(save_find(&s, dir, "0000000000000004"), 1);
	save_deinit(&s);
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_was_kept_is_found_under_its_key_alone, begin),
		cmocka_unit_test_setup(what_was_not_kept_is_not_found_and_goes, begin),
		cmocka_unit_test_setup(what_a_killed_maker_left_goes, begin),
		cmocka_unit_test_setup(one_at_a_time_makes_a_save, begin),
		cmocka_unit_test_setup(a_damaged_one_is_removed, begin),
		cmocka_unit_test_setup(one_of_no_use_is_dropped, begin),
		cmocka_unit_test_setup(the_oldest_go, begin),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
