// SPDX-License-Identifier: GPL-2.0-or-later
/* Recorded runs, one after the other: see cases.h. */
#include "golden/cases.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "base/str.h"

#define EXPECT_MAX 65536

static bool case_holds(const char *dir, const char *name, char *(*judge)(const char *name))
{
	_cleanup_free_ char *path = str_printf("%s/%s/expect", dir, name);
	_cleanup_free_ char *got = judge(name);
	_cleanup_free_ char *expect = NULL;
	const char *body;
	struct err err;

	if (fs_read(path, EXPECT_MAX, &expect, NULL, &err))
		fail_msg("%s", err.msg);
	body = strchr(expect, '\n');
	if (body && *expect == '#' && strcmp(body + 1, got) == 0)
		return true;
	print_error("== %s: judged\n%s== expected\n%s\n", name, got, expect);
	return false;
}

void cases_hold(const char *dir, const char *except, char *(*judge)(const char *name))
{
	_cleanup_closedir_ DIR *d = opendir(dir);
	_cleanup_strv_ struct strv names = { 0 };
	struct dirent *e;
	int wrong = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		if (e->d_name[0] != '.' && e->d_type == DT_DIR &&
		    !(except && strcmp(e->d_name, except) == 0))
			strv_add(&names, e->d_name);
	assert_true(names.n >= 30);
	strv_sort_once(&names);
	for (size_t i = 0; i < names.n; i++)
		wrong += !case_holds(dir, names.items[i], judge);
	assert_int_equal(wrong, 0);
}
