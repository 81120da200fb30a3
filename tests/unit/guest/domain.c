// SPDX-License-Identifier: GPL-2.0-or-later
/* See domain.h. */
#include "unit/guest/domain.h"

#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

struct xml_domain domain_plain(void)
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

void domain_assert_at(const char *xml, const char *xpath, const char *value)
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
