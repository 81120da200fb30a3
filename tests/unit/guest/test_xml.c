// SPDX-License-Identifier: GPL-2.0-or-later
/* The domain's XML: whatever is put in comes out again, and nothing can break out of it. */
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "guest/virt/xml.h"

static struct xml_domain domain(void)
{
	return (struct xml_domain){
		.name = "ab-1-1-abcdef1",
		.kernel = "/k",
		.initrd = "/i",
		.cmdline = "quiet",
		.console = "/c",
		.port = "org.test.0",
		.emulator = "/usr/bin/qemu",
		.memory_mib = 512,
		.vcpus = 1,
	};
}

static void assert_at(const char *xml, const char *xpath, const char *value)
{
	xmlDocPtr doc = xmlReadMemory(xml, (int)strlen(xml), NULL, NULL, XML_PARSE_NONET);
	xmlXPathContextPtr context = xmlXPathNewContext(doc);
	xmlXPathObjectPtr found = xmlXPathEvalExpression((const xmlChar *)xpath, context);
	xmlChar *text = xmlXPathCastToString(found);

	assert_non_null(doc);
	assert_string_equal((const char *)text, value);
	xmlFree(text);
	xmlXPathFreeObject(found);
	xmlXPathFreeContext(context);
	xmlFreeDoc(doc);
}

static void a_guest_elsewhere_has_a_pty_and_its_controllers_mark(void **state)
{
	struct xml_domain d = domain();
	_cleanup_free_ char *xml = NULL;
	struct err err;

	(void)state;
	d.console = NULL;
	d.owner = "a b 1 2 3 <4>";
	assert_int_equal(xml_domain(&d, &xml, &err), 0);
	assert_at(xml, "/domain/devices/serial/@type", "pty");
	assert_at(xml, "count(/domain/devices/serial/source)", "0");
	assert_at(xml, "/domain/metadata/*[namespace-uri()='urn:amdgpu-bisect:controller']",
		  d.owner);
}

static void markup_in_a_text_stays_text(void **state)
{
	static const char nasty[] = "a <b>&amp; \"c\" 'd' ]]> </cmdline><x/>";
	struct xml_domain d = domain();
	_cleanup_free_ char *xml = NULL;
	struct err err;

	(void)state;
	d.cmdline = nasty;
	d.console = "/tmp/a\"b<c>&/\xc3\xa4";
	assert_int_equal(xml_domain(&d, &xml, &err), 0);
	assert_at(xml, "/domain/os/cmdline", nasty);
	assert_at(xml, "/domain/devices/serial/source/@path", d.console);
	assert_at(xml, "count(//x)", "0");
}

static void acceleration_chooses_type_and_cpu(void **state)
{
	struct xml_domain d = domain();
	_cleanup_free_ char *tcg = NULL, *kvm = NULL;
	struct err err;

	(void)state;
	assert_int_equal(xml_domain(&d, &tcg, &err), 0);
	assert_at(tcg, "/domain/@type", "qemu");
	assert_at(tcg, "count(/domain/cpu)", "0");
	d.kvm = true;
	assert_int_equal(xml_domain(&d, &kvm, &err), 0);
	assert_at(kvm, "/domain/@type", "kvm");
	assert_at(kvm, "/domain/cpu/@mode", "host-passthrough");
	assert_at(kvm, "/domain/on_reboot", "destroy");
	assert_at(kvm, "/domain/memory", "512");
}

static void what_xml_cannot_hold_is_refused(void **state)
{
	static const char *const bad[] = { "a\nb", "a\x01", "a\x7f", "\xff\xfe" };
	struct xml_domain d = domain();
	char *xml = NULL;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		d.cmdline = bad[i];
		assert_int_equal(xml_domain(&d, &xml, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_null(xml);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(markup_in_a_text_stays_text),
		cmocka_unit_test(a_guest_elsewhere_has_a_pty_and_its_controllers_mark),
		cmocka_unit_test(acceleration_chooses_type_and_cpu),
		cmocka_unit_test(what_xml_cannot_hold_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
