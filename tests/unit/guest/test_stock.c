// SPDX-License-Identifier: GPL-2.0-or-later
/* What was made for guests: listed, checked, removed. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/image/manifest.h"
#include "guest/stock/stock.h"

static char work[] = "/tmp/test-guest-stock.XXXXXX";

static char *put(const char *name, const char *text, time_t when)
{
	struct timespec t[2] = { { .tv_sec = when }, { .tv_sec = when } };
	char *path = str_printf("%s/guest/%s", work, name);
	struct err err;

	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
	assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
	return path;
}

/* As the rooms make one: named by what went in. */
static char *make(const char *prefix, const char *input, const char *content, time_t when)
{
	_cleanup_manifest_ struct manifest m = { 0 };
	_cleanup_free_ char *name = NULL;
	char key[65];
	char *path;
	struct err err;

	manifest_say(&m, "%s", input);
	manifest_key(&m, key);
	name = str_printf("%s%.16s", prefix, key);
	path = put(name, content, when);
	assert_int_equal(manifest_write(&m, path, &err), 0);
	return path;
}

static struct stock list(void)
{
	struct stock s;
	struct err err;

	assert_int_equal(stock_list(work, &s, &err), 0);
	return s;
}

static enum stock_state state_of(const struct stock_image *i, const char *words)
{
	char why[192];
	struct err err;
	int r = stock_check(i, why, sizeof(why), &err);

	assert_true(r >= 0);
	if (!strstr(why, words))
		fail_msg("'%s' does not say '%s'", why, words);
	return (enum stock_state)r;
}

static void without_a_cache_there_is_nothing(void **state)
{
	struct stock s;
	struct err err;

	(void)state;
	assert_int_equal(stock_list("/nonexistent", &s, &err), 0);
	assert_int_equal(s.n, 0);
}

static void all_are_listed_by_kind_and_those_used_last_first(void **state)
{
	_cleanup_free_ char *disk = make("disk-", "suite trixie", "d", 10),
			    *old = make("vmlinux-", "one", "k", 10),
			    *new = make("vmlinux-", "two", "k", 20),
			    *half = put("disk-0123456789abcdef.part.1", "x", 30),
			    *other = put("runtime-notes", "x", 30),
			    *bare = put("initramfs-0123456789abcdef", "xyz", 5);
	struct stock s = list();

	(void)state;
	assert_true(fs_exists(half) && fs_exists(other));
	assert_int_equal(s.n, 4);
	assert_string_equal(s.images[0].path, new);
	assert_string_equal(s.images[1].path, old);
	assert_string_equal(s.images[2].path, bare);
	assert_string_equal(s.images[3].path, disk);
	assert_int_equal(s.images[2].bytes, 3);
	assert_null(s.images[2].manifest);
	assert_string_equal(s.images[3].summary, "trixie, 0 packages");
	assert_int_equal(strlen(s.images[3].digest), 64);
	stock_deinit(&s);
}

static void a_name_may_be_cut_short_where_it_is_the_only_one(void **state)
{
	const struct stock_image *found = NULL;
	struct stock s = list();
	struct err err;

	(void)state;
	assert_int_equal(stock_find(&s, "disk-", &found, &err), 0);
	assert_int_equal(found->kind, STOCK_DISK);
	assert_int_equal(stock_find(&s, "vmlinux", &found, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(stock_find(&s, s.images[0].name, &found, &err), 0);
	assert_int_equal(stock_find(&s, "runtime", &found, &err), -1);
	assert_non_null(strstr(err.msg, "amdgpu-bisect image"));
	stock_deinit(&s);
}

static void a_damaged_image_is_told_from_a_whole_one(void **state)
{
	_cleanup_free_ char *manifest = NULL, *text = NULL;
	struct stock s = list();
	struct err err;

	(void)state;
	assert_int_equal(state_of(&s.images[0], ""), STOCK_WHOLE);
	assert_int_equal(state_of(&s.images[2], "no digest"), STOCK_UNKNOWN);
	assert_int_equal(fs_write(s.images[0].path, "K", 1, &err), 0);
	assert_int_equal(state_of(&s.images[0], "image remove"), STOCK_DAMAGED);
	manifest = str_printf("%s.manifest", s.images[1].path);
	text = str_printf("three\n%s", strchr(s.images[1].manifest, '\n') + 1);
	assert_int_equal(fs_write(manifest, text, strlen(text), &err), 0);
	stock_deinit(&s);
	s = list();
	assert_int_equal(state_of(&s.images[1], "its manifest"), STOCK_DAMAGED);
	stock_deinit(&s);
}

static void what_is_removed_takes_its_manifest_along(void **state)
{
	struct stock s = list();
	_cleanup_free_ char *manifest = str_printf("%s.manifest", s.images[3].path);
	struct err err;

	(void)state;
	assert_true(fs_exists(manifest));
	assert_int_equal(stock_remove(&s.images[3], &err), 0);
	assert_false(fs_exists(s.images[3].path) || fs_exists(manifest));
	assert_int_equal(stock_remove(&s.images[3], &err), 0); /* somebody was faster */
	stock_deinit(&s);
}

static int set_up(void **state)
{
	_cleanup_free_ char *dir = NULL;
	struct err err;

	(void)state;
	if (!mkdtemp(work))
		return -1;
	dir = str_printf("%s/guest", work);
	return fs_mkdirs(dir, &err);
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
		cmocka_unit_test(without_a_cache_there_is_nothing),
		cmocka_unit_test(all_are_listed_by_kind_and_those_used_last_first),
		cmocka_unit_test(a_name_may_be_cut_short_where_it_is_the_only_one),
		cmocka_unit_test(a_damaged_image_is_told_from_a_whole_one),
		cmocka_unit_test(what_is_removed_takes_its_manifest_along),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
