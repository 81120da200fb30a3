// SPDX-License-Identifier: GPL-2.0-or-later
/* What is ours on another machine, volumes and guests, and what of it may go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/clock.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "guest/remote/owner.h"
#include "guest/remote/shelf.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define HOUR   (3600 * NS_PER_S)
#define T0     (1000000 * HOUR)

static void a_name_comes_back(void **state)
{
	char name[SHELF_NAME], mark_name[SHELF_NAME + 8], digest[65];
	bool mark;

	(void)state;
	shelf_name(DIGEST, 0xabc, name);
	assert_true(shelf_ours(name, digest, &mark));
	assert_string_equal(digest, DIGEST);
	assert_false(mark);
	snprintf(mark_name, sizeof(mark_name), "%s" SHELF_MARK, name);
	assert_true(shelf_ours(mark_name, digest, &mark));
	assert_string_equal(digest, DIGEST);
	assert_true(mark);
}

static void another_name_is_somebody_elses(void **state)
{
	static const char *const others[] = {
		"",
		"amdgpu-bisect-",
		"amdgpu-bisect.qcow2",
		"amdgpu-bisect-" DIGEST,
		"amdgpu-bisect-" DIGEST "-",
		"amdgpu-bisect-" DIGEST "-0000abc",
		"amdgpu-bisect-" DIGEST "-0000abcd0",
		"amdgpu-bisect-" DIGEST "-0000abcd.half",
		"amdgpu-bisect-" DIGEST "-0000abcd.whole2",
		"amdgpu-bisect-" DIGEST "-0000ABCD",
		"amdgpu-bisect-0" DIGEST "-0000abcd",
		"my-amdgpu-bisect-" DIGEST "-0000abcd",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(shelf_ours(others[i], NULL, NULL));
}

static struct shelf_item item(const char *name, uint64_t bytes, int64_t written, int64_t used)
{
	struct shelf_item i = { .bytes = bytes, .written_ns = written, .used_ns = used };

	str_copy(i.name, sizeof(i.name), name);
	return i;
}

static bool is_dropped(const struct shelf_item *items, const bool *drop, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(items[i].name, name) == 0)
			return drop[i];
	fail_msg("%s is gone from the list", name);
	return false;
}

static void those_used_last_stay(void **state)
{
	struct shelf_item items[] = {
		item("old", 40, T0, T0 + HOUR),
		item("newest", 40, T0, T0 + 90 * HOUR),
		item("older", 40, T0, T0 + 2 * HOUR),
		item("small", 10, T0, T0 + HOUR / 2),
	};
	bool drop[4];

	(void)state;
	shelf_cap(items, 4, 100, drop);
	assert_false(is_dropped(items, drop, 4, "newest"));
	assert_false(is_dropped(items, drop, 4, "older"));
	assert_true(is_dropped(items, drop, 4, "old"));
	assert_false(is_dropped(items, drop, 4, "small")); /* still fits */
}

static void what_is_in_use_stays_however_large(void **state)
{
	struct shelf_item items[] = {
		item("mine", 500, T0, T0 + HOUR),
		item("another controller's", 500, T0, T0 + 90 * HOUR - HOUR / 2),
		item("newest", 500, T0, T0 + 90 * HOUR),
	};
	bool drop[3];

	(void)state;
	items[0].needed = true;
	shelf_cap(items, 3, 100, drop);
	for (size_t i = 0; i < 3; i++)
		assert_false(drop[i]);
}

static void half_an_upload_goes_once_nobody_writes_to_it(void **state)
{
	struct shelf_item items[] = {
		item("dead", 1, T0, 0),
		item("in progress", 1, T0 + 90 * HOUR, 0),
		item("changed after it was whole", 1, T0 + 2 * HOUR, T0 + HOUR),
		item("whole", 1, T0, T0 + HOUR),
	};
	bool drop[4];

	(void)state;
	shelf_cap(items, 4, 100, drop);
	assert_true(is_dropped(items, drop, 4, "dead"));
	assert_false(is_dropped(items, drop, 4, "in progress"));
	assert_true(is_dropped(items, drop, 4, "changed after it was whole"));
	assert_false(is_dropped(items, drop, 4, "whole"));
	assert_false(shelf_whole(&items[0]));
}

static void nothing_is_capped_without_a_list(void **state)
{
	(void)state;
	shelf_cap(NULL, 0, 100, NULL);
}

static int64_t written(const char *xml)
{
	return shelf_written(xml, strlen(xml));
}

static char *target(const char *xml)
{
	return shelf_target(xml, strlen(xml));
}

static void a_pool_tells_where_it_lies(void **state)
{
	_cleanup_free_ char *path = target("<pool type='dir'><name>default</name><target>"
					   "<path>/var/lib/images</path></target></pool>");

	(void)state;
	assert_string_equal(path, "/var/lib/images");
	assert_null(target("<pool type='rbd'><source><name>x</name></source></pool>"));
	assert_null(target("<pool><target><path>images</path></target></pool>"));
	assert_null(target("<pool><target>"));
}

static void a_volume_tells_when_it_was_written(void **state)
{
	(void)state;
	assert_int_equal(
		written("<volume><target><path>/x</path><timestamps><atime>3.1</atime>"
			"<mtime>1341933637.27319099</mtime></timestamps></target></volume>"),
		INT64_C(1341933637273190990));
	assert_int_equal(
		written("<volume><target><timestamps><mtime>7</mtime></timestamps></target>"
			"</volume>"),
		7 * NS_PER_S);
	assert_int_equal(written("<volume><target/></volume>"), 0);
	assert_int_equal(written("<volume><target><timestamps><mtime>soon</mtime></timestamps>"
				 "</target></volume>"),
			 0);
	assert_int_equal(written("no XML"), 0);
}

static struct owner somebody(void)
{
	return (struct owner){ .machine = "aa", .boot = "b1", .pid_ns = 7, .pid = 42, .start = 99 };
}

static void only_who_is_surely_dead_is_gone(void **state)
{
	struct owner self = somebody(), o = somebody();

	(void)state;
	assert_false(owner_gone(&o, &self, 99));
	assert_true(owner_gone(&o, &self, 0));
	assert_true(owner_gone(&o, &self, 100)); /* its number is another's now */
	o.pid_ns = 8;				 /* another container's */
	assert_false(owner_gone(&o, &self, 0));
	o = somebody();
	str_copy(o.boot, sizeof(o.boot), "b0"); /* before this machine was booted */
	assert_true(owner_gone(&o, &self, 99));
	str_copy(o.machine, sizeof(o.machine), "bb"); /* another machine */
	assert_false(owner_gone(&o, &self, 0));
	str_copy(o.machine, sizeof(o.machine), "-"); /* two of which nothing is known */
	str_copy(self.machine, sizeof(self.machine), "-");
	assert_false(owner_gone(&o, &self, 0));
}

static bool parse(const char *text, struct owner *ret)
{
	_cleanup_free_ char *xml =
		str_printf("<ab:controller xmlns:ab=\"" OWNER_URI "\">%s</ab:controller>", text);

	return owner_parse(xml, strlen(xml), ret);
}

static void a_mark_comes_back(void **state)
{
	struct owner self, o;
	_cleanup_free_ char *text = NULL;

	(void)state;
	owner_self(3, &self);
	assert_int_equal(self.pid, getpid());
	assert_int_equal(self.start, owner_start((uint64_t)getpid()));
	assert_true(self.start > 0);
	text = owner_format(&self);
	assert_true(parse(text, &o));
	assert_string_equal(o.machine, self.machine);
	assert_string_equal(o.boot, self.boot);
	assert_int_equal(o.pid_ns, self.pid_ns);
	assert_int_equal(o.pid, self.pid);
	assert_int_equal(o.start, self.start);
	assert_int_equal(o.rig, 3);
	assert_false(owner_gone(&o, &self, owner_start(o.pid)));
}

static void another_mark_is_none(void **state)
{
	static const char *const others[] = { "",
					      "aa b1 7 42 99",
					      "aa b1 7 42 99 x",
					      "aa b1 7 0 99 0",
					      "aa b1 7 42 99 0 1",
					      "aa  b1 7 42 99 0" };
	static const char other[] = "<creator>aa b1 7 42 99 0</creator>";
	struct owner o;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		assert_false(parse(others[i], &o));
	assert_false(owner_parse(other, strlen(other), &o));
	assert_int_equal(owner_start(UINT64_C(1) << 40), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_comes_back),
		cmocka_unit_test(another_name_is_somebody_elses),
		cmocka_unit_test(those_used_last_stay),
		cmocka_unit_test(what_is_in_use_stays_however_large),
		cmocka_unit_test(half_an_upload_goes_once_nobody_writes_to_it),
		cmocka_unit_test(nothing_is_capped_without_a_list),
		cmocka_unit_test(a_pool_tells_where_it_lies),
		cmocka_unit_test(a_volume_tells_when_it_was_written),
		cmocka_unit_test(only_who_is_surely_dead_is_gone),
		cmocka_unit_test(a_mark_comes_back),
		cmocka_unit_test(another_mark_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
