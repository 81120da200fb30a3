// SPDX-License-Identifier: GPL-2.0-or-later
/* The ladder writes what the kernel's files want, on a tree of plain files; the quarantine is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/card_rescue.h"

static char root[] = "/tmp/test-rescue.XXXXXX";
static struct card_function members[] = {
	{ .address = "0000:03:00.0", .along = true },
	{ .address = "0000:03:00.1", .along = true },
	{ .address = "0000:02:00.0" }, /* a bridge, which stays */
};
static const struct card card = { .self = { .address = "0000:03:00.0" },
				  .members = members,
				  .n_members = ARRAY_SIZE(members) };

static char *path_of(const char *address, const char *file)
{
	return str_printf("%s/sys/bus/pci/%s%s/%s", root, *address ? "devices/" : "", address,
			  file);
}

static void put(const char *address, const char *file, const char *text)
{
	_cleanup_free_ char *path = path_of(address, file);
	struct err err;

	assert_int_equal(fs_write(path, text, strlen(text), &err), 0);
}

static void expect(const char *address, const char *file, const char *text)
{
	_cleanup_free_ char *path = path_of(address, file);
	_cleanup_free_ char *got = NULL;
	struct err err;

	assert_int_equal(fs_read(path, 4096, &got, NULL, &err), 0);
	assert_string_equal(got, text);
}

/* As the kernel shows a function: what is written to a file of it is there to be read, with us. */
static struct card_roots machine(const char *methods)
{
	_cleanup_free_ char *sys = str_printf("%s/sys", root);
	struct err err;
	static char kept[64];

	str_copy(kept, sizeof(kept), sys);
	fs_remove_tree(sys, &err);
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		_cleanup_free_ char *dir = path_of(members[i].address, "");

		assert_int_equal(fs_mkdirs(dir, &err), 0);
		put(members[i].address, "reset", "-");
		put(members[i].address, "remove", "-");
		if (methods)
			put(members[i].address, "reset_method", methods);
	}
	put("", "drivers_autoprobe", "1\n");
	put("", "rescan", "-");
	return (struct card_roots){ .sys = kept };
}

static void each_function_of_the_slot_is_reset_by_the_method_asked_for(void **state)
{
	struct card_roots r = machine("flr bus");
	struct err err;

	(void)state;
	assert_int_equal(card_reset(&card, CARD_RUNG_FLR, &r, &err), 1);
	expect("0000:03:00.0", "reset", "1");
	expect("0000:03:00.1", "reset", "1");
	expect("0000:02:00.0", "reset", "-");
	/* and left as it was */
	expect("0000:03:00.0", "reset_method", "flr bus");
}

static void a_bus_is_reset_once(void **state)
{
	struct card_roots r = machine("bus");
	struct err err;

	(void)state;
	assert_int_equal(card_reset(&card, CARD_RUNG_BUS, &r, &err), 1);
	expect("0000:03:00.0", "reset", "1");
	expect("0000:03:00.1", "reset", "-");
}

static void what_a_card_cannot_do_is_not_tried(void **state)
{
	struct card_roots r = machine("cxl_bus af_flr");
	struct err err;

	(void)state;
	for (int rung = CARD_RUNG_FLR; rung <= CARD_RUNG_DEVICE; rung++)
		assert_int_equal(card_reset(&card, (enum card_rung)rung, &r, &err), 0);
	expect("0000:03:00.0", "reset", "-");
	r = machine(NULL); /* an old kernel: it chooses */
	assert_int_equal(card_reset(&card, CARD_RUNG_BUS, &r, &err), 0);
	assert_int_equal(card_reset(&card, CARD_RUNG_FLR, &r, &err), 1);
	expect("0000:03:00.0", "reset", "1");
}

static void a_reset_that_fails_is_an_error_that_names_the_function(void **state)
{
	struct card_roots r = machine("flr");
	_cleanup_free_ char *path = path_of("0000:03:00.0", "reset");
	struct err err;

	(void)state;
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0); /* refuses to be written to, also for root */
	assert_int_equal(card_reset(&card, CARD_RUNG_FLR, &r, &err), -1);
	assert_int_equal(err.kind, ERR_HOST);
	assert_non_null(strstr(err.msg, "0000:03:00.0"));
}

static void no_driver_is_offered_what_is_found_anew(void **state)
{
	struct card_roots r = machine(NULL);
	struct err err;

	(void)state;
	assert_int_equal(card_reset(&card, CARD_RUNG_RESCAN, &r, &err), 1);
	expect("0000:03:00.0", "remove", "1");
	expect("0000:03:00.1", "remove", "1");
	expect("0000:02:00.0", "remove", "-");
	expect("", "rescan", "1");
	expect("", "drivers_autoprobe", "1\n");
}

static void a_quarantine_lasts_until_the_card_is_released(void **state)
{
	_cleanup_free_ char *dir = str_printf("%s/cards", root);
	_cleanup_free_ char *note = str_printf("%s/0000:03:00.0", dir);
	char why[256] = "";
	struct err err;

	(void)state;
	assert_false(card_is_quarantined(dir, "0000:03:00.0", why, sizeof(why)));
	assert_int_equal(card_release(dir, "0000:03:00.0", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(card_quarantine(dir, "0000:03:00.0", "fails\x1b[1m the good one", &err),
			 0);
	assert_true(card_is_quarantined(dir, "0000:03:00.0", why, sizeof(why)));
	assert_non_null(strstr(why, ": fails?[1m the good one"));
	assert_null(strstr(why, "anew"));
	assert_false(card_is_quarantined(dir, "0000:04:00.0", why, sizeof(why)));
	/* by another boot; and a note that somebody damaged */
	assert_int_equal(fs_write(note, "x 2026-01-01 00:00\nwhy\n", 23, &err), 0);
	assert_true(card_is_quarantined(dir, "0000:03:00.0", why, sizeof(why)));
	assert_string_equal(why,
			    "since 2026-01-01 00:00, before this machine was started anew: why");
	assert_int_equal(fs_write(note, "x", 1, &err), 0);
	assert_true(card_is_quarantined(dir, "0000:03:00.0", why, sizeof(why)));
	assert_int_equal(card_release(dir, "../x", &err), -1);
	assert_int_equal(card_release(dir, "0000:03:00.0", &err), 0);
	assert_false(card_is_quarantined(dir, "0000:03:00.0", why, sizeof(why)));
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	struct err err;

	(void)state;
	return fs_remove_tree(root, &err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_function_of_the_slot_is_reset_by_the_method_asked_for),
		cmocka_unit_test(a_bus_is_reset_once),
		cmocka_unit_test(what_a_card_cannot_do_is_not_tried),
		cmocka_unit_test(a_reset_that_fails_is_an_error_that_names_the_function),
		cmocka_unit_test(no_driver_is_offered_what_is_found_anew),
		cmocka_unit_test(a_quarantine_lasts_until_the_card_is_released),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
