// SPDX-License-Identifier: GPL-2.0-or-later
/* A domain with a card: libvirt's own schema takes every combination, and the layout is the host's. */
#include <libxml/parser.h>
#include <libxml/relaxng.h>
#include <libxml/xpath.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/fs.h"
#include "guest/gpu/layout.h"
#include "guest/virt/xml.h"
#include "unit/guest/domain.h"

#define SCHEMA "/usr/share/libvirt/schemas/domain.rng"

static const unsigned int cpus[] = { 2, 3, 9 };

/* GPU, audio, USB and UCSI of one card. */
static struct card_function functions[] = {
	{ .address = "0000:03:00.0",
	  .class = 0x030000,
	  .along = true,
	  .rom = true,
	  .bars_bytes = UINT64_C(24) << 30 },
	{ .address = "0000:03:00.1", .class = 0x040300, .along = true },
	{ .address = "0000:03:00.2", .class = 0x0c0330, .along = true },
	{ .address = "0000:03:00.3", .class = 0x0c8000, .along = true },
};

/* Four processors, so that three that are pinned come round. */
static struct xml_domain domain_of_four(void)
{
	struct xml_domain d = domain_plain();

	d.vcpus = 4;
	return d;
}

static int validate(xmlRelaxNGPtr schema, const char *xml)
{
	xmlDocPtr doc = xmlReadMemory(xml, (int)strlen(xml), NULL, NULL, XML_PARSE_NONET);
	xmlRelaxNGValidCtxtPtr context = xmlRelaxNGNewValidCtxt(schema);
	int r = doc ? xmlRelaxNGValidateDoc(context, doc) : -1;

	xmlRelaxNGFreeValidCtxt(context);
	xmlFreeDoc(doc);
	return r;
}

/* One bit for each thing that may or may not be there. */
static struct xml_domain combination(unsigned int bits, const struct xml_hostdev *hostdevs)
{
	static const size_t numbers[] = { 0, 1, 2, 4 };
	static const char *const pages[] = { NULL, "2M", "1G", NULL };
	static const char *const roms[] = { NULL, "off", "/roms/card.rom", NULL };
	struct xml_domain d = domain_of_four();

	d.kvm = bits & 1;
	d.n_cpus = bits & 2 ? 3 : 0;
	d.cpus = bits & 2 ? cpus : NULL;
	d.n_hostdevs = numbers[bits >> 2 & 3];
	d.hostdevs = d.n_hostdevs ? hostdevs : NULL;
	d.hugepages = pages[bits >> 4 & 3];
	d.rom = roms[bits >> 6 & 3];
	d.window_gib = bits & 256 ? 64 : 0;
	return d;
}

static void libvirt_s_schema_takes_every_combination(void **state)
{
	struct xml_hostdev hostdevs[LAYOUT_MAX] = { 0 };
	const struct card card = { .members = functions, .n_members = 4 };
	xmlRelaxNGParserCtxtPtr parser;
	xmlRelaxNGPtr schema;
	struct err err;

	(void)state;
	if (!fs_exists(SCHEMA)) {
		print_message("no %s; install libvirt0\n", SCHEMA);
		skip();
	}
	assert_int_equal(layout_hostdevs(&card, hostdevs), 4);
	parser = xmlRelaxNGNewParserCtxt(SCHEMA);
	schema = xmlRelaxNGParse(parser);
	xmlRelaxNGFreeParserCtxt(parser);
	assert_non_null(schema);
	for (unsigned int bits = 0; bits < 512; bits++) {
		struct xml_domain d = combination(bits, hostdevs);
		_cleanup_free_ char *xml = NULL;

		assert_int_equal(xml_domain(&d, &xml, &err), 0);
		if (validate(schema, xml) != 0)
			fail_msg("combination %u is not libvirt's:\n%s", bits, xml);
	}
	/* that the schema refuses at all */
	assert_int_not_equal(
		validate(schema, "<domain type='kvm'><name>a</name><memory>much</memory></domain>"),
		0);
	xmlRelaxNGFree(schema);
}

static void functions_stay_one_device(void **state)
{
	struct xml_hostdev hostdevs[LAYOUT_MAX] = { 0 };
	const struct card card = { .members = functions, .n_members = 4 };
	struct xml_domain d = domain_of_four();
	_cleanup_free_ char *xml = NULL;
	struct err err;

	(void)state;
	d.n_hostdevs = layout_hostdevs(&card, hostdevs);
	d.hostdevs = hostdevs;
	assert_int_equal(xml_domain(&d, &xml, &err), 0);
	domain_assert_at(xml, "/domain/os/type/@machine", "q35");
	domain_assert_at(xml, "count(//hostdev[@managed='yes'])", "4");
	domain_assert_at(xml, "count(//hostdev/address[@bus='0x1' and @slot='0x0'])", "4");
	domain_assert_at(xml, "//hostdev[1]/source/address/@bus", "0x3");
	domain_assert_at(xml, "//hostdev[1]/address/@multifunction", "on");
	domain_assert_at(xml, "//hostdev[4]/source/address/@function", "0x3");
	domain_assert_at(xml, "//hostdev[4]/address/@function", "0x3");
	domain_assert_at(xml, "count(//memoryBacking/locked)", "1");
}

/* A guest sees no function of a device that has no function 0. */
static void first_function_is_zero(void **state)
{
	struct card_function lone[] = { { .address = "0000:03:00.1", .along = true } };
	const struct card card = { .members = lone, .n_members = 1 };
	struct xml_hostdev hostdevs[LAYOUT_MAX] = { 0 };

	(void)state;
	assert_int_equal(layout_hostdevs(&card, hostdevs), 1);
	assert_int_equal(hostdevs[0].function, 1);
	assert_int_equal(hostdevs[0].guest_function, 0);
}

static void what_does_not_go_along_is_not_passed(void **state)
{
	struct card_function two[] = {
		{ .address = "0000:02:00.0", .class = 0x060400 },
		{ .address = "abcd:ff:1f.7", .class = 0x030000, .along = true },
	};
	const struct card card = { .members = two, .n_members = 2 };
	struct xml_hostdev hostdevs[LAYOUT_MAX] = { 0 };

	(void)state;
	assert_int_equal(layout_hostdevs(&card, hostdevs), 1);
	assert_int_equal(hostdevs[0].domain, 0xabcd);
	assert_int_equal(hostdevs[0].bus, 0xff);
	assert_int_equal(hostdevs[0].slot, 0x1f);
	assert_int_equal(hostdevs[0].function, 7);
}

static void large_bars_get_room(void **state)
{
	const struct card card = { .members = functions, .n_members = 4 };
	struct card_function small[] = { { .along = true, .bars_bytes = UINT64_C(256) << 20 } };
	const struct card little = { .members = small, .n_members = 1 };

	(void)state;
	assert_int_equal(layout_window_gib(&card), 64); /* 24 GiB twice */
	assert_int_equal(layout_window_gib(&little), 0);
}

static void a_rom_replaces_that_of_the_card_alone(void **state)
{
	struct xml_hostdev hostdevs[LAYOUT_MAX] = { 0 };
	const struct card card = { .members = functions, .n_members = 4 };
	struct xml_domain d = domain_of_four();
	_cleanup_free_ char *xml = NULL, *off = NULL;
	struct err err;

	(void)state;
	d.n_hostdevs = layout_hostdevs(&card, hostdevs);
	d.hostdevs = hostdevs;
	d.rom = "/a <b>.rom";
	assert_int_equal(xml_domain(&d, &xml, &err), 0);
	domain_assert_at(xml, "count(//rom)", "1");
	domain_assert_at(xml, "//hostdev[1]/rom/@file", "/a <b>.rom");
	d.rom = "off";
	assert_int_equal(xml_domain(&d, &off, &err), 0);
	domain_assert_at(off, "//hostdev[1]/rom/@bar", "off");
}

static void processors_are_given_in_turn(void **state)
{
	struct xml_domain d = domain_of_four();
	_cleanup_free_ char *xml = NULL;
	struct err err;

	(void)state;
	d.cpus = cpus;
	d.n_cpus = 3;
	assert_int_equal(xml_domain(&d, &xml, &err), 0);
	domain_assert_at(xml, "count(//vcpupin)", "4");
	domain_assert_at(xml, "//vcpupin[@vcpu='3']/@cpuset", "2");
	domain_assert_at(xml, "//emulatorpin/@cpuset", "2,3,9");
}

static void lists_of_processors_are_read(void **state)
{
	static const char *const bad[] = { "",	  ",",	"0,",	"0-",  "-0",
					   "a",	  "0 ", "0,,0", "1-0", "99999999999999999999",
					   "1023" };
	unsigned int *list = NULL;
	struct err err;
	size_t n = 0;

	(void)state;
	assert_int_equal(layout_cpus("0", true, &list, &n, &err), 0);
	assert_int_equal(n, 1);
	assert_int_equal(list[0], 0);
	free(list);
	assert_int_equal(layout_cpus("0-0,0", true, &list, &n, &err), 0);
	assert_int_equal(n, 2);
	free(list);
	assert_int_equal(layout_cpus("1000", false, &list, &n, &err), 0);
	assert_int_equal(list[0], 1000);
	free(list);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(layout_cpus(bad[i], true, &list, &n, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libvirt_s_schema_takes_every_combination),
		cmocka_unit_test(functions_stay_one_device),
		cmocka_unit_test(first_function_is_zero),
		cmocka_unit_test(what_does_not_go_along_is_not_passed),
		cmocka_unit_test(large_bars_get_room),
		cmocka_unit_test(a_rom_replaces_that_of_the_card_alone),
		cmocka_unit_test(processors_are_given_in_turn),
		cmocka_unit_test(lists_of_processors_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
