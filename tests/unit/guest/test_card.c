// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cards, what goes along with them and what stands in their way: in trees of sysfs as the outer guest of
 * tests/vm/nested showed them (`nested.sh ... tree`), with what else there may be laid over.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/card.h"
#include "guest/gpu/journal.h"
#include "guest/gpu/layout.h"
#include "guest/gpu/nodedev.h"
#include "guest/gpu/pciids.h"
#include "guest/gpu/sysfs.h"

#define CARD  "0000:00:05.0"
#define AUDIO "0000:00:05.1"

struct machine {
	char root[64], sys[80], proc[80], dev[80];
	struct card_roots roots;
};

static void parents(const char *path)
{
	_cleanup_free_ char *dir = xstrdup(path);
	struct err err;

	*strrchr(dir, '/') = '\0';
	assert_int_equal(fs_mkdirs(dir, &err), 0);
}

static void put_file(const struct machine *m, const char *path, const char *text)
{
	_cleanup_free_ char *full = str_printf("%s/%s", m->root, path);
	FILE *f;

	parents(full);
	f = fopen(full, "w");
	assert_non_null(f);
	for (; *text; text++)
		if (text[0] == '\\' && text[1] == 'n')
			text++, fputc('\n', f);
		else
			fputc(*text, f);
	fputc('\n', f);
	fclose(f);
}

static void put_link(const struct machine *m, const char *path, const char *target)
{
	_cleanup_free_ char *full = str_printf("%s/%s", m->root, path);

	parents(full);
	unlink(full);
	assert_int_equal(symlink(target, full), 0);
}

static void put_dir(const struct machine *m, const char *path)
{
	_cleanup_free_ char *full = str_printf("%s/%s", m->root, path);
	struct err err;

	assert_int_equal(fs_mkdirs(full, &err), 0);
}

/* "file PATH TEXT", "link PATH TARGET", "dir PATH" a line, below sys/. */
static void unfold(const struct machine *m, const char *name)
{
	_cleanup_free_ char *path = str_printf("%s/%s.tree", TREES, name);
	_cleanup_free_ char *text = NULL;
	struct err err;
	char *save = NULL;

	assert_int_equal(fs_read(path, 1 << 20, &text, NULL, &err), 0);
	for (char *l = strtok_r(text, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
		_cleanup_free_ char *where = NULL;
		char *space = strchr(l, ' ');
		char *value = space ? strchr(space + 1, ' ') : NULL;

		assert_non_null(space);
		if (value)
			*value++ = '\0';
		where = str_printf("sys/%s", space + 1);
		if (str_starts(l, "file "))
			put_file(m, where, value ? value : "");
		else if (str_starts(l, "link "))
			put_link(m, where, value);
		else
			put_dir(m, where);
	}
}

static void machine_make(struct machine *m, const char *tree)
{
	str_copy(m->root, sizeof(m->root), "/tmp/amdgpu-bisect-card.XXXXXX");
	assert_non_null(mkdtemp(m->root));
	snprintf(m->sys, sizeof(m->sys), "%s/sys", m->root);
	snprintf(m->proc, sizeof(m->proc), "%s/proc", m->root);
	snprintf(m->dev, sizeof(m->dev), "%s/dev", m->root);
	m->roots = (struct card_roots){ m->sys, m->proc, m->dev };
	put_dir(m, "proc");
	put_file(m, "proc/self/status", "Name:\tx\\nCapEff:\t000001ffffffffff");
	put_dir(m, "dev/vfio");
	unfold(m, tree);
}

static void machine_remove(struct machine *m)
{
	struct err err;

	assert_int_equal(fs_remove_tree(m->root, &err), 0);
}

static void look(const struct machine *m, struct cards *cards, struct card_host *host)
{
	struct err err;

	assert_int_equal(cards_find(NULL, &m->roots, cards, &err), 0);
	card_host_read(NULL, &m->roots, host);
	host->root = true; /* whoever runs the tests */
	host->locked_bytes = UINT64_MAX;
}

/* The card's first obstacle, or "" */
static void obstacle(const struct machine *m, bool give_screen, char *ret, size_t size)
{
	const struct card *c;
	struct cards cards;
	struct card_host host;
	struct err err;

	look(m, &cards, &host);
	*ret = '\0';
	assert_int_equal(cards_choose(&cards, CARD, &host, 512, give_screen, &c, &err), 0);
	if (card_check(c, &host, 512, give_screen, &err) < 0)
		str_copy(ret, size, err.msg);
	cards_deinit(&cards);
}

static void assert_obstacle(const struct machine *m, bool give_screen, const char *want)
{
	char got[1024];

	obstacle(m, give_screen, got, sizeof(got));
	if (!(*want ? strstr(got, want) != NULL : !*got))
		fail_msg("'%s' is said, want '%s'", got, want);
}

/* Nobody's screen, so that other obstacles come to be seen. */
static void free_screen(const struct machine *m)
{
	put_file(m, "sys/class/vtconsole/vtcon1/bind", "0");
	put_file(m, "sys/class/vtconsole/vtcon0/bind", "0");
}

static void both_cards_are_found_with_what_goes_along(void **state)
{
	struct machine m;
	struct cards cards;
	struct card_host host;
	const struct card *c;

	(void)state;
	machine_make(&m, "intel");
	look(&m, &cards, &host);
	assert_int_equal(cards.n, 2);
	c = &cards.items[0];
	assert_string_equal(c->self.address, CARD);
	assert_int_equal(c->self.device, 0x5046);
	assert_string_equal(c->self.driver, "aty128fb");
	assert_string_equal(c->self.reset, "");
	assert_true(c->self.group >= 0);
	assert_int_equal(c->n_members, 2);
	assert_string_equal(c->members[1].address, AUDIO);
	assert_string_equal(c->members[1].driver, "snd_hda_intel");
	assert_true(c->members[0].along && c->members[1].along);
	assert_true(host.iommu && host.remapping && host.vfio && host.vfio_pci);
	cards_deinit(&cards);
	machine_remove(&m);
}

static void a_group_with_a_stranger_is_refused_by_name(void **state)
{
	struct machine m;
	struct cards cards;
	struct card_host host;
	struct err err;

	(void)state;
	machine_make(&m, "intel");
	look(&m, &cards, &host);
	assert_int_equal(card_check(&cards.items[1], &host, 512, true, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, "(8086:100e) as well, which the host uses by e1000"));
	/* unbound it is in nobody's way, and it does not go along */
	for (size_t i = 0; i < cards.items[1].n_members; i++) {
		struct card_function *f = &cards.items[1].members[i];

		if (strcmp(f->driver, "e1000") == 0) {
			f->driver[0] = '\0';
			assert_false(f->along);
		}
	}
	assert_int_equal(card_check(&cards.items[1], &host, 512, true, &err), 0);
	cards_deinit(&cards);
	machine_remove(&m);
}

static void a_host_is_told_what_it_lacks(void **state)
{
	struct machine m;

	(void)state;
	machine_make(&m, "none");
	assert_obstacle(&m, true, "no IOMMU");
	machine_remove(&m);
	machine_make(&m, "unremapped");
	assert_obstacle(&m, true, "interrupts are not remapped");
	put_file(&m, "sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts", "Y");
	assert_obstacle(&m, true, "");
	machine_remove(&m);
}

static void a_kernel_without_vfio_is_told_apart_from_one_without_its_module(void **state)
{
	_cleanup_free_ char *driver = NULL, *module = NULL;
	struct machine m;
	struct err err;

	(void)state;
	machine_make(&m, "intel");
	driver = str_printf("%s/bus/pci/drivers/vfio-pci", m.sys);
	module = str_printf("%s/module/vfio", m.sys);
	assert_int_equal(fs_remove_tree(driver, &err), 0);
	assert_obstacle(&m, true, "no vfio-pci for this kernel");
	assert_int_equal(fs_remove_tree(module, &err), 0);
	assert_obstacle(&m, true, "this kernel is without VFIO");
	machine_remove(&m);
}

static void a_screen_is_not_taken_unasked(void **state)
{
	struct machine m;

	(void)state;
	machine_make(&m, "intel");
	assert_obstacle(&m, false, "is the screen of the host's console");
	assert_obstacle(&m, true, "");
	free_screen(&m);
	assert_obstacle(&m, false, "");
	put_dir(&m, "sys/bus/pci/devices/" CARD "/drm/card0");
	put_file(&m, "proc/812/comm", "Xorg");
	put_link(&m, "proc/812/fd/7", "/dev/dri/card0");
	assert_obstacle(&m, false, "is the screen of process 812 (Xorg)");
	assert_obstacle(&m, true, "");
	machine_remove(&m);
}

/* The firmware's frame buffer belongs to no PCI function. */
static void the_boot_display_is_a_screen_without_a_driver_too(void **state)
{
	_cleanup_free_ char *graphics = NULL;
	struct machine m;
	struct err err;

	(void)state;
	machine_make(&m, "intel");
	graphics = str_printf("%s/bus/pci/devices/" CARD "/graphics", m.sys);
	assert_int_equal(fs_remove_tree(graphics, &err), 0);
	put_file(&m, "sys/bus/pci/devices/" CARD "/boot_vga", "0");
	assert_obstacle(&m, false, "");
	put_file(&m, "sys/bus/pci/devices/" CARD "/boot_vga", "1");
	assert_obstacle(&m, false, "on its boot display");
	/* unless the console is on another card's */
	put_dir(&m, "sys/bus/pci/devices/0000:01:01.0/graphics/fb1");
	assert_obstacle(&m, false, "");
	machine_remove(&m);
}

static void a_guest_that_has_it_is_named(void **state)
{
	char link[128];
	struct machine m;
	struct cards cards;
	struct card_host host;

	(void)state;
	machine_make(&m, "intel");
	look(&m, &cards, &host);
	snprintf(link, sizeof(link), "/dev/vfio/%d", cards.items[0].self.group);
	cards_deinit(&cards);
	put_link(&m, "proc/99/fd/3", link);
	put_file(&m, "proc/99/cmdline", "qemu -name guest=l2,debug-threads=on");
	assert_obstacle(&m, true, "in use by guest l2 (process 99)");
	put_link(&m, "proc/99/fd/3", "/dev/vfio/77");
	assert_obstacle(&m, true, "");
	put_dir(&m, "sys/bus/pci/devices/" CARD "/vfio-dev/vfio4");
	put_link(&m, "proc/99/fd/3", "/dev/vfio/devices/vfio4");
	assert_obstacle(&m, true, "in use by guest l2");
	machine_remove(&m);
}

static void rights_and_limits_are_those_of_who_starts_the_guest(void **state)
{
	struct machine m;
	struct cards cards;
	struct card_host host;
	struct card *c;
	struct err err;

	(void)state;
	machine_make(&m, "intel");
	look(&m, &cards, &host);
	c = &cards.items[0];
	host.root = false;
	assert_int_equal(card_check(c, &host, 512, true, &err), -1);
	assert_non_null(strstr(err.msg, "no right to bind"));
	for (size_t i = 0; i < c->n_members; i++)
		str_copy(c->members[i].driver, sizeof(c->members[i].driver), "vfio-pci");
	assert_int_equal(card_check(c, &host, 512, true, &err), -1);
	assert_non_null(strstr(err.msg, "no right to /dev/vfio/"));
	c->opens = true;
	assert_int_equal(card_check(c, &host, 512, true, &err), 0);
	host.privileged = false;
	host.locked_bytes = UINT64_C(8) << 20;
	assert_int_equal(card_check(c, &host, 512, true, &err), -1);
	assert_non_null(strstr(err.msg, "locks 1536 MiB of memory, and the limit is 8"));
	host.daemon = true; /* its rights count */
	assert_int_equal(card_check(c, &host, 512, true, &err), 0);
	str_copy(host.remote, sizeof(host.remote), "qemu+ssh://host/system");
	assert_int_equal(card_check(c, &host, 512, true, &err), -1);
	assert_non_null(strstr(err.msg, "is another"));
	cards_deinit(&cards);
	machine_remove(&m);
}

static void auto_takes_the_only_one_or_none(void **state)
{
	const struct card *c = NULL;
	struct machine m;
	struct cards cards;
	struct card_host host;
	struct err err;

	(void)state;
	machine_make(&m, "intel");
	look(&m, &cards, &host);
	assert_int_equal(cards_choose(&cards, "auto", &host, 512, false, &c, &err), -1);
	assert_non_null(strstr(err.msg, "none of 2 cards"));
	assert_int_equal(cards_choose(&cards, "auto", &host, 512, true, &c, &err), 0);
	assert_string_equal(c->self.address, CARD);
	cards.items[1].n_members = 0; /* nobody in its way any more */
	assert_int_equal(cards_choose(&cards, "auto", &host, 512, true, &c, &err), -1);
	assert_non_null(strstr(err.msg, "several cards"));
	cards_deinit(&cards);
	assert_int_equal(cards_choose(&cards, "auto", &host, 512, true, &c, &err), -1);
	assert_non_null(strstr(err.msg, "no AMD card here"));
	machine_remove(&m);
}

static void a_card_is_named_by_its_address(void **state)
{
	static const char *const bad[] = {
		"", "5", "0000:00:02.0", "0000:00:05.1", "0000:00:05.8", "00:05.0 ", "../00:05.0"
	};
	const struct card *c = NULL;
	struct machine m;
	struct cards cards;
	struct card_host host;
	struct err err;

	(void)state;
	machine_make(&m, "intel");
	look(&m, &cards, &host);
	assert_int_equal(cards_choose(&cards, "00:05.0", &host, 512, true, &c, &err), 0);
	assert_string_equal(c->self.address, CARD);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(cards_choose(&cards, bad[i], &host, 512, true, &c, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
	}
	cards_deinit(&cards);
	machine_remove(&m);
}

static void large_bars_and_resets_are_read(void **state)
{
	struct card_function f;
	struct machine m;

	(void)state;
	machine_make(&m, "intel");
	put_file(&m, "sys/bus/pci/devices/" CARD "/resource",
		 "0x0000006000000000 0x00000063ffffffff 0x000000000014220c\\n"
		 "0x0000000000000000 0x0000000000000000 0x0000000000000000\\n"
		 "0x0000006400000000 0x000000640fffffff 0x000000000014220c\\n"
		 "junk\\n"
		 "0x000000000000e000 0x000000000000e0ff 0x0000000000040101\\n"
		 "0x00000000fcb00000 0x00000000fcbfffff 0x0000000000040200\\n"
		 "0x00000000fcc00000 0x00000000fcc1ffff 0x0000000000046200");
	put_file(&m, "sys/bus/pci/devices/" CARD "/reset_method", "flr bus");
	assert_true(sysfs_function(&m.roots, CARD, &f));
	assert_int_equal(f.bars_bytes, (UINT64_C(16) << 30) + (UINT64_C(256) << 20));
	assert_true(f.rom);
	assert_string_equal(f.reset, "flr bus");
	machine_remove(&m);
}

static void hugepages_are_counted(void **state)
{
	struct machine m;
	struct err err;

	(void)state;
	machine_make(&m, "intel");
	put_file(&m, "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "255");
	assert_int_equal(layout_hugepages(&m.roots, "2M", 512, &err), -1);
	assert_non_null(strstr(err.msg, "256 pages are needed and 255 are free"));
	put_file(&m, "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "256");
	assert_int_equal(layout_hugepages(&m.roots, "2M", 512, &err), 0);
	assert_int_equal(layout_hugepages(&m.roots, "1G", 512, &err), -1);
	assert_non_null(strstr(err.msg, "no multiple"));
	machine_remove(&m);
}

static void put_bytes(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void assert_no_rom(const char *path, const char *want)
{
	struct err err;
	char *ret = NULL;

	assert_int_equal(layout_rom(path, &ret, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.msg, want));
	assert_null(ret);
}

static void a_rom_begins_with_its_mark(void **state)
{
	static const char whole[] = { 0x55, (char)0xaa, 0x40, 0 };
	static const char swapped[] = { (char)0xaa, 0x55, 0x40, 0 };
	_cleanup_free_ char *path = NULL, *dots = NULL, *ret = NULL;
	struct machine m;
	struct err err;

	(void)state;
	machine_make(&m, "intel");
	path = str_printf("%s/rom", m.root);
	dots = str_printf("%s/sys/../rom", m.root);
	put_bytes(path, whole, sizeof(whole));
	assert_int_equal(layout_rom(dots, &ret, &err), 0);
	assert_string_equal(ret, path);
	put_bytes(path, swapped, sizeof(swapped));
	assert_no_rom(path, "55 aa");
	put_bytes(path, whole, 1);
	assert_no_rom(path, "55 aa");
	put_bytes(path, whole, 0);
	assert_no_rom(path, "55 aa");
	assert_no_rom(m.root, "--gpu-rom"); /* a directory */
	unlink(path);
	assert_no_rom(path, "No such file");
	machine_remove(&m);
}

static void without_a_file_the_rom_is_the_cards_own_or_none(void **state)
{
	char *ret = NULL;
	struct err err;

	(void)state;
	assert_int_equal(layout_rom(NULL, &ret, &err), 0);
	assert_null(ret);
	assert_int_equal(layout_rom("on", &ret, &err), 0);
	assert_null(ret);
	assert_int_equal(layout_rom("off", &ret, &err), 0);
	assert_string_equal(ret, "off");
	free(ret);
}

static void a_journal_is_read_as_it_was_written(void **state)
{
	static const char *const bad[] = {
		"",
		"boot",
		"boot \n",
		"boot a\n0000:00:05.0 x\n",
		"boot a\n0000:00:05.0 ../x -\n",
		"boot a\n0000:00:05.0 .. -\n",
		"boot a\n0000:00:05.9 x -\n",
		"boot a\n0000:00:05.0 x -",
		"boot a\n\n",
	};
	struct journal j = { .boot = "0a-1b", .n = 2 }, back;
	_cleanup_buf_ struct buf text = { 0 };

	(void)state;
	j.items[0] = (struct binding){ CARD, "aty128fb", "" };
	j.items[1] = (struct binding){ AUDIO, "", "vfio-pci" };
	journal_write(&j, &text);
	assert_true(journal_parse(text.data, text.len, &back));
	assert_int_equal(back.n, 2);
	assert_string_equal(back.boot, "0a-1b");
	assert_string_equal(back.items[0].driver, "aty128fb");
	assert_string_equal(back.items[0].override, "");
	assert_string_equal(back.items[1].driver, "");
	assert_string_equal(back.items[1].override, "vfio-pci");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(journal_parse(bad[i], strlen(bad[i]), &back));
}

static void a_name_is_that_of_its_vendor(void **state)
{
	static const char list[] = "# 1002  no\n0e11  Compaq\n\t5046  not this\n1002  AMD\n"
				   "\t5047  other\n\t5046  Rage\n\t\t5046 1  subsystem\n10de  N\n"
				   "\t5048  not this\n";
	char name[32] = "none", cut[3];

	(void)state;
	assert_true(pciids_find(list, strlen(list), 0x1002, 0x5046, name, sizeof(name)));
	assert_string_equal(name, "Rage");
	assert_true(pciids_find(list, strlen(list), 0x1002, 0x5046, cut, sizeof(cut)));
	assert_string_equal(cut, "Ra");
	assert_false(pciids_find(list, strlen(list), 0x1002, 0x5048, name, sizeof(name)));
	assert_false(pciids_find(list, 0, 0x1002, 0x5046, name, sizeof(name)));
}

static void node_devices_are_read(void **state)
{
	static const char xml[] =
		"<device><name>pci_0000_03_00_0</name><driver><name>amdgpu</name></driver>"
		"<capability type='pci'><class>0x030000</class><domain>0</domain><bus>3</bus>"
		"<slot>0</slot><function>0</function><product id='0x744c'>Navi 31 "
		"\xc3\xa4</product>"
		"<vendor id='0x1002'>AMD/ATI</vendor></capability></device>";
	static const char *const bad[] = {
		"",
		"<device/>",
		"<device><capability type='usb'/></device>",
		"<device><capability type='pci'><domain>0</domain></capability></device>",
		"<!DOCTYPE d [<!ENTITY a 'b'>]><device><capability type='pci'/></device>",
	};
	struct nodedev d;

	(void)state;
	assert_true(nodedev_parse(xml, strlen(xml), &d));
	assert_string_equal(d.address, "0000:03:00.0");
	assert_int_equal(d.vendor, 0x1002);
	assert_int_equal(d.device, 0x744c);
	assert_int_equal(d.class, 0x030000);
	assert_string_equal(d.product_name, "Navi 31 ??");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(nodedev_parse(bad[i], strlen(bad[i]), &d));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_cards_are_found_with_what_goes_along),
		cmocka_unit_test(a_group_with_a_stranger_is_refused_by_name),
		cmocka_unit_test(a_host_is_told_what_it_lacks),
		cmocka_unit_test(a_kernel_without_vfio_is_told_apart_from_one_without_its_module),
		cmocka_unit_test(a_screen_is_not_taken_unasked),
		cmocka_unit_test(the_boot_display_is_a_screen_without_a_driver_too),
		cmocka_unit_test(a_guest_that_has_it_is_named),
		cmocka_unit_test(rights_and_limits_are_those_of_who_starts_the_guest),
		cmocka_unit_test(auto_takes_the_only_one_or_none),
		cmocka_unit_test(a_card_is_named_by_its_address),
		cmocka_unit_test(large_bars_and_resets_are_read),
		cmocka_unit_test(hugepages_are_counted),
		cmocka_unit_test(a_rom_begins_with_its_mark),
		cmocka_unit_test(without_a_file_the_rom_is_the_cards_own_or_none),
		cmocka_unit_test(a_journal_is_read_as_it_was_written),
		cmocka_unit_test(a_name_is_that_of_its_vendor),
		cmocka_unit_test(node_devices_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
