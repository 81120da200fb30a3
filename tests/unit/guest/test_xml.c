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
#include "unit/guest/domain.h"

static void a_guest_elsewhere_has_a_pty_and_its_controllers_mark(void **state)
{
	struct xml_domain d = domain_plain();
	_cleanup_free_ char *xml = NULL;
	struct err err;

	(void)state;
	d.console = NULL;
	d.owner = "a b 1 2 3 <4>";
	assert_int_equal(xml_domain(&d, &xml, &err), 0);
	domain_assert_at(xml, "/domain/devices/serial/@type", "pty");
	domain_assert_at(xml, "count(/domain/devices/serial/source)", "0");
	domain_assert_at(xml, "/domain/metadata/*[namespace-uri()='urn:amdgpu-bisect:controller']",
			 d.owner);
}

static void markup_in_a_text_stays_text(void **state)
{
	static const char nasty[] = "a <b>&amp; \"c\" 'd' ]]> </cmdline><x/>";
	struct xml_domain d = domain_plain();
	_cleanup_free_ char *xml = NULL;
	struct err err;

	(void)state;
	d.cmdline = nasty;
	d.console = "/tmp/a\"b<c>&/\xc3\xa4";
	assert_int_equal(xml_domain(&d, &xml, &err), 0);
	domain_assert_at(xml, "/domain/os/cmdline", nasty);
	domain_assert_at(xml, "/domain/devices/serial/source/@path", d.console);
	domain_assert_at(xml, "count(//x)", "0");
}

static void acceleration_chooses_type_and_cpu(void **state)
{
	struct xml_domain d = domain_plain();
	_cleanup_free_ char *tcg = NULL, *kvm = NULL;
	struct err err;

	(void)state;
	assert_int_equal(xml_domain(&d, &tcg, &err), 0);
	domain_assert_at(tcg, "/domain/@type", "qemu");
	domain_assert_at(tcg, "count(/domain/cpu)", "0");
	d.kvm = true;
	assert_int_equal(xml_domain(&d, &kvm, &err), 0);
	domain_assert_at(kvm, "/domain/@type", "kvm");
	domain_assert_at(kvm, "/domain/cpu/@mode", "host-passthrough");
	domain_assert_at(kvm, "/domain/on_reboot", "destroy");
	domain_assert_at(kvm, "/domain/memory", "512");
}

static void what_xml_cannot_hold_is_refused(void **state)
{
	static const char *const bad[] = { "a\nb", "a\x01", "a\x7f", "\xff\xfe" };
	struct xml_domain d = domain_plain();
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
